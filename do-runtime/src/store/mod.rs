//! Durable memory: one narrow trait, of which each method says what the caller may believe once it
//! returned.
//!
//! A store knows executions, events and leases. It does not know what an action is, when to try
//! again, or what an end means: it applies events ([`Execution::apply`]) and writes what comes out,
//! together with the audit entry, in one transaction. It alone decides who holds a claim.

#[cfg(any(test, feature = "testing"))]
pub mod conformance;
mod error;
pub mod memory;
mod query;
#[cfg(feature = "sqlite")]
pub mod sqlite;
mod write;

use std::any::Any;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use crate::audit::{Author, StateEntry};
use crate::clock::Timestamp;
use crate::record::{Execution, InstanceId, RowId};

pub use error::StoreError;
pub use query::{DuePage, DueQuery, Filter, KeyField, Page, Seen, Which};
pub use write::{Change, Claimed, Durability, NewExecution, Recorded};

/// A store's answer, on its way. It may be dropped at any time: the work goes on without it.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Durable memory of executions.
pub trait Store: fmt::Debug + Send + Sync + 'static {
    /// Inserts an execution, unless its identity has one already.
    ///
    /// Once it returned `Granted`, the execution and its first audit entry are committed and
    /// visible to every instance, and synced unless the claim said [`Durability::Visible`].
    /// `Existing` shows a **committed** row. After [`StoreError::Unknown`] the row may be there,
    /// with the claim's token; after any other error nothing was written.
    fn claim(&self, claim: NewExecution) -> Answer<'_, Claimed>;

    /// Applies one event to an execution, if it is still as `change.before` says (its row, the
    /// number of its last entry, its token), and appends the audit entry.
    ///
    /// `Done`: both are committed, and synced unless said otherwise. `Lost`: nothing was written;
    /// this is the committed state that stood in the way. `Gone`: no such row. After an error other
    /// than [`StoreError::NotAllowed`] nothing is known.
    fn record(&self, change: Change) -> Answer<'_, Recorded>;

    /// Renews the lease of an instance for `lease` and tells of all instances that the store
    /// knows. The first renewal makes the instance known; one on which something runs is never
    /// forgotten.
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

    /// A number that every operator's verb raises, with its own write: whoever answers from memory
    /// asks for it. The default is for a store that no such verb reaches.
    fn epoch(&self) -> Answer<'_, u64> {
        Box::pin(async { Ok(0) })
    }

    /// What [`begin`](Self::begin) gives bodies to borrow; none: nothing.
    fn borrows(&self) -> Option<Borrows> {
        None
    }

    /// The store's time, as far as this process knows it; never ahead of it. Due times, ends and
    /// retention are compared with it, not with the process's own clock.
    fn now(&self) -> Timestamp;

    /// Finishes what was accepted and closes; later calls fail with [`StoreError::Closed`].
    fn close(&self) -> Answer<'_, ()>;
}

/// The connections that a store lends to bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Borrows {
    /// The database, as sqlx names it.
    pub database: &'static str,
    /// A body that holds a transaction keeps all other writers out, and may do so for that long;
    /// it cannot execute or submit meanwhile. None: bodies exclude nobody.
    pub hold: Option<Duration>,
}

impl Borrows {
    /// Connections to that database, of which each excludes the other writers for at most `hold`.
    #[must_use]
    pub const fn new(database: &'static str, hold: Option<Duration>) -> Self {
        Self { database, hold }
    }
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
