//! Durable memory: one narrow trait, of which each method says what the caller may believe once it
//! returned.
//!
//! A store knows executions, events and leases. It does not know what an action is, when to try
//! again, or what an end means: it applies events ([`Execution::apply`]) and writes what comes out,
//! together with the audit entry, in one transaction. It alone decides who holds a claim.

#[cfg(feature = "testing")]
pub mod conformance;
pub mod memory;
#[cfg(feature = "sqlite")]
pub mod sqlite;

use std::any::Any;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use crate::audit::{Author, StateEntry};
use crate::clock::Timestamp;
use crate::key::Key;
use crate::record::{Event, Execution, Identity, InstanceId, NotAllowed, Request, RowId, Status};

/// A store's answer, on its way. It may be dropped at any time: the work goes on without it.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Durable memory of executions.
pub trait Store: fmt::Debug + Send + Sync + 'static {
    /// Inserts an execution, unless its identity has one already.
    ///
    /// Once it returned `Granted`, the execution and its first audit entry are committed and
    /// visible to every instance, and synced unless the claim said [`Durability::Visible`].
    /// `Existing` shows a **committed** row. After an error, nothing is known: the row may be
    /// there, with the claim's token.
    fn claim(&self, claim: NewExecution) -> Answer<'_, Claimed>;

    /// Applies one event to an execution, if it is still as `change.before` says (its row, the
    /// number of its last entry, its token), and appends the audit entry.
    ///
    /// `Done`: both are committed, and synced unless said otherwise. `Lost`: nothing was written;
    /// this is the committed state that stood in the way. `Gone`: no such row. After an error other
    /// than [`StoreError::NotAllowed`] nothing is known.
    fn record(&self, change: Change) -> Answer<'_, Recorded>;

    /// Renews the lease of an instance for `lease` and tells of all instances that the store
    /// knows. The first renewal makes the instance known.
    fn heartbeat(&self, instance: InstanceId, lease: Duration) -> Answer<'_, Vec<Seen>>;

    /// The committed execution of that identity or key.
    fn get(&self, which: Which) -> Answer<'_, Option<Arc<Execution>>>;

    /// Executions that fit the filter, newest first, and where to go on.
    fn list(&self, filter: Filter) -> Answer<'_, Page>;

    /// All state entries of an execution, from the first.
    fn history(&self, row: RowId) -> Answer<'_, Vec<StateEntry>>;

    /// Executions of one action by one field of their key: `node` is the field's encoded value.
    /// Complete for everything that was committed a second ago.
    fn find(&self, wanted: KeyField) -> Answer<'_, Vec<Arc<Execution>>>;

    /// Executions that somebody must take up: waiting and due, or running on an instance that is
    /// gone.
    fn due(&self, wanted: DueQuery) -> Answer<'_, DuePage>;

    /// Ends the retention of up to `limit` executions whose time is over: a success becomes a
    /// tombstone, a failure loses its parameters and text. Returns how many.
    fn prune(&self, author: Author, limit: usize) -> Answer<'_, usize>;

    /// Begins a transaction on a connection of the users' kind. The default refuses: this store
    /// has none.
    fn begin(&self) -> Answer<'_, Box<dyn Transaction>> {
        Box::pin(async { Err(StoreError::NoTransactions) })
    }

    /// Accepts an execution within a transaction of the caller's own, on a connection of the
    /// users' kind; it stands once the caller commits. The default refuses.
    fn claim_within<'a>(
        &'a self,
        _connection: &'a mut (dyn Any + Send),
        _claim: NewExecution,
    ) -> Answer<'a, Claimed> {
        Box::pin(async { Err(StoreError::NoTransactions) })
    }

    /// The database whose connections [`begin`](Self::begin) gives, as sqlx names it.
    fn database(&self) -> Option<&'static str> {
        None
    }

    /// Finishes what was accepted and closes; later calls fail with [`StoreError::Closed`].
    fn close(&self) -> Answer<'_, ()>;
}

/// A transaction for a body: effect, outcome and audit entry commit together.
pub trait Transaction: Send {
    /// The connection inside the transaction: the body's `&mut` parameter.
    fn connection(&mut self) -> &mut (dyn Any + Send);

    /// Writes the outcome last and commits.
    ///
    /// `Done`: effect and outcome are committed and synced. `Lost`: rolled back, this stood in the
    /// way. [`StoreError::TransactionEnded`]: the body ended the transaction by itself.
    /// [`StoreError::Rejected`]: the database refused at the commit; rolled back.
    /// [`StoreError::Unknown`]: the commit's answer was lost; ask with
    /// [`Store::record`] or [`Store::claim`], which read under the write lock.
    fn commit(self: Box<Self>, change: Change) -> Answer<'static, Recorded>;

    /// Rolls back. The connection is closed, never used again, when that did not end cleanly.
    fn rollback(self: Box<Self>) -> Pin<Box<dyn Future<Output = ()> + Send>>;
}

/// How far a write must have gone before it is acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Durability {
    /// It survives a power loss.
    Synced,
    /// Every instance sees it; a power loss may forget it. For claims whose loss loses nothing.
    Visible,
}

/// An execution to insert.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NewExecution {
    /// What it is the record of.
    pub identity: Identity,
    /// What was asked for.
    pub request: Request,
    /// Its first event: `Claimed` or `Submitted`.
    pub event: Event,
    /// Who stands behind it.
    pub author: Author,
    /// How far it must have gone.
    pub durability: Durability,
}

impl NewExecution {
    /// Synced before it is acknowledged.
    #[must_use]
    pub const fn new(identity: Identity, request: Request, event: Event, author: Author) -> Self {
        Self { identity, request, event, author, durability: Durability::Synced }
    }

    /// The same with another durability.
    #[must_use]
    pub const fn durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }
}

/// What a claim met.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Claimed {
    /// Nothing: this execution was inserted.
    Granted(Arc<Execution>),
    /// This execution, which is committed.
    Existing(Arc<Execution>),
}

/// An event to apply.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Change {
    /// The execution as last seen.
    pub before: Arc<Execution>,
    /// What happened.
    pub event: Event,
    /// What is asked for from now on, when a new round brings another request.
    pub request: Option<Request>,
    /// Who stands behind it.
    pub author: Author,
    /// How far it must have gone.
    pub durability: Durability,
}

impl Change {
    /// Synced before it is acknowledged; the request stays.
    #[must_use]
    pub const fn new(before: Arc<Execution>, event: Event, author: Author) -> Self {
        Self { before, event, request: None, author, durability: Durability::Synced }
    }

    /// The same with another request.
    #[must_use]
    pub fn request(mut self, request: Request) -> Self {
        self.request = Some(request);
        self
    }

    /// The same with another durability.
    #[must_use]
    pub const fn durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }
}

/// What became of a change.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Recorded {
    /// It is committed; the execution after it.
    Done(Arc<Execution>),
    /// The execution was no longer as last seen; nothing was written.
    Lost(Arc<Execution>),
    /// There is no such execution.
    Gone,
}

/// An instance as the store knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Seen {
    /// The instance.
    pub instance: InstanceId,
    /// Rises with each renewal.
    pub renewals: u64,
    /// Its lease is over by the store's clock.
    pub over: bool,
    /// Its process is known to be dead.
    pub dead: bool,
}

impl Seen {
    /// An instance as seen now.
    #[must_use]
    pub const fn new(instance: InstanceId, renewals: u64, over: bool, dead: bool) -> Self {
        Self { instance, renewals, over, dead }
    }
}

/// Which execution to read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Which {
    /// The one of this identity.
    Identity(Identity),
    /// The one of this key, in that scope.
    Key {
        /// The tenant that asks.
        scope: Arc<str>,
        /// The execution's id as shown to people.
        key: Key,
    },
}

/// One field of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyField {
    /// The tenant.
    pub scope: Arc<str>,
    /// The action.
    pub action: Arc<str>,
    /// The field's name.
    pub field: Arc<str>,
    /// The field's encoded value.
    pub node: String,
    /// At most that many, newest first.
    pub limit: usize,
}

impl KeyField {
    /// That field with that value.
    #[must_use]
    pub const fn new(
        scope: Arc<str>,
        action: Arc<str>,
        field: Arc<str>,
        node: String,
        limit: usize,
    ) -> Self {
        Self { scope, action, field, node, limit }
    }
}

/// Which executions to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Filter {
    /// Of one tenant; none means of all.
    pub scope: Option<Arc<str>>,
    /// Of one action.
    pub action: Option<Arc<str>>,
    /// In one of these states; empty means in any.
    pub status: Vec<Status>,
    /// Where the page before ended.
    pub before: Option<RowId>,
    /// At most that many; 0 means [`Filter::LIMIT`].
    pub limit: usize,
}

impl Filter {
    /// Rows of a page when the filter names no other number.
    pub const LIMIT: usize = 100;

    /// The same, of one action.
    #[must_use]
    pub fn action(mut self, action: impl Into<Arc<str>>) -> Self {
        self.action = Some(action.into());
        self
    }

    /// The same, in this state too.
    #[must_use]
    pub fn status(mut self, status: Status) -> Self {
        self.status.push(status);
        self
    }

    /// The same, of one tenant.
    #[must_use]
    pub fn scope(mut self, scope: impl Into<Arc<str>>) -> Self {
        self.scope = Some(scope.into());
        self
    }

    /// The same, going on where a page ended.
    #[must_use]
    pub const fn before(mut self, row: RowId) -> Self {
        self.before = Some(row);
        self
    }

    /// The same, with at most that many rows.
    #[must_use]
    pub const fn limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }
}

/// A page of executions.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Page {
    /// The executions, newest first.
    pub executions: Vec<Arc<Execution>>,
    /// Give it to [`Filter::before`] for the next page; none at the end.
    pub next: Option<RowId>,
}

impl Page {
    /// That page.
    #[must_use]
    pub const fn new(executions: Vec<Arc<Execution>>, next: Option<RowId>) -> Self {
        Self { executions, next }
    }
}

/// Which executions to take up.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DueQuery {
    /// Of these actions only.
    pub actions: Arc<[Arc<str>]>,
    /// Instances that are gone, and this one: their running executions are wanted too.
    pub instances: Vec<InstanceId>,
    /// Only rows after this one, in the order of rows.
    pub after: Option<RowId>,
    /// At most that many.
    pub limit: usize,
}

impl DueQuery {
    /// A first page.
    #[must_use]
    pub const fn new(
        actions: Arc<[Arc<str>]>,
        instances: Vec<InstanceId>,
        after: Option<RowId>,
        limit: usize,
    ) -> Self {
        Self { actions, instances, after, limit }
    }
}

/// What to take up.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct DuePage {
    /// Waiting and due, or running on one of the instances; in the order of rows.
    pub executions: Vec<Arc<Execution>>,
    /// When the next one that waits becomes due, by the store's clock; only of a page that is not
    /// full.
    pub next_due: Option<Timestamp>,
}

impl DuePage {
    /// That page.
    #[must_use]
    pub const fn new(executions: Vec<Arc<Execution>>, next_due: Option<Timestamp>) -> Self {
        Self { executions, next_due }
    }
}

/// Why a store did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreError {
    /// Somebody else held the write lock for too long; nothing was written.
    Busy(String),
    /// No room; nothing was written. It goes on by itself once there is room.
    Full(String),
    /// The store cannot be opened, or not as asked; nothing was written.
    Open(String),
    /// It stopped after an I/O error or corruption, and takes no more work until the process is
    /// started again.
    Stopped(String),
    /// It was closed.
    Closed,
    /// The commit's answer was lost: it may stand or not.
    Unknown(String),
    /// The event is not allowed in the execution's state; nothing was written.
    NotAllowed(NotAllowed),
    /// This store has no connection of that kind to borrow.
    NoTransactions,
    /// The body committed or rolled back the transaction by itself.
    TransactionEnded,
    /// The database refused the body's work at the commit (a deferred constraint); rolled back.
    Rejected(String),
    /// A record that cannot be read.
    Corrupt(String),
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy(why) => write!(f, "the store is busy: {why}"),
            Self::Full(why) => write!(f, "the store is full: {why}; make room, it goes on by itself"),
            Self::Open(why) => write!(f, "cannot open the store: {why}"),
            Self::Stopped(why) => write!(
                f,
                "the store has stopped: {why}; check the disk, then start the program again"
            ),
            Self::Closed => f.write_str("the store is closed"),
            Self::Unknown(why) => write!(f, "the answer to a commit was lost: {why}"),
            Self::NotAllowed(refused) => fmt::Display::fmt(refused, f),
            Self::NoTransactions => {
                f.write_str("this store has no connection that an action could borrow")
            }
            Self::TransactionEnded => f.write_str(
                "the body ended its transaction by itself; remove its COMMIT or ROLLBACK, the \
                 runtime commits",
            ),
            Self::Rejected(why) => write!(f, "the database refused the commit: {why}"),
            Self::Corrupt(why) => write!(f, "a record cannot be read: {why}"),
        }
    }
}

impl std::error::Error for StoreError {}

impl From<NotAllowed> for StoreError {
    fn from(refused: NotAllowed) -> Self {
        Self::NotAllowed(refused)
    }
}
