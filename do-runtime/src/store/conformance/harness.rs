//! What a store's tests give to the suite.

use std::any::Any;
use std::future::{Future, ready};
use std::pin::Pin;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use crate::record::InstanceId;
use crate::store::{Answer, Store};

/// A future that a harness gives or a case is.
pub type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// One store under test, on data of its own.
pub trait Harness: Send + Sync {
    /// Opens a store on the harness's data: a further call opens the same data again.
    fn open(&self) -> Answer<'_, Arc<dyn Store>>;

    /// Moves the store's clock on.
    fn advance(&self, gap: Duration);

    /// How this store differs from others.
    fn differences(&self) -> Differences;

    /// Ends once what the store does behind its answers is done: an index that is filled later.
    fn settled(&self) -> Boxed<'_, ()> {
        Box::pin(ready(()))
    }

    /// Lets the process of that instance be known to be dead; false when this store cannot know.
    fn kill(&self, _instance: InstanceId) -> bool {
        false
    }

    /// The users' own rows; of a store with transactions only.
    fn rows(&self) -> Option<&dyn Rows> {
        None
    }

    /// A command that runs another process, which opens the same data and prints what
    /// [`work`](super::work) of that job answers; of a store that several processes share only.
    fn process(&self, _job: &str) -> Option<Command> {
        None
    }
}

/// Where stores may differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Differences {
    /// It has transactions that an action's body may borrow; then [`Harness::rows`] gives rows.
    pub transactions: bool,
    /// Several processes may share it; then [`Harness::process`] gives a command.
    pub processes: bool,
}

impl Differences {
    /// No transactions, one process.
    #[must_use]
    pub const fn none() -> Self {
        Self { transactions: false, processes: false }
    }

    /// The same with transactions.
    #[must_use]
    pub const fn with_transactions(mut self) -> Self {
        self.transactions = true;
        self
    }

    /// The same, shared by processes.
    #[must_use]
    pub const fn with_processes(mut self) -> Self {
        self.processes = true;
        self
    }
}

/// A table of the users' own in the store's database, of texts.
///
/// The connections are those that [`Store::begin`] gives.
pub trait Rows: Send + Sync {
    /// Inserts a row on that connection.
    fn insert<'a>(&'a self, connection: &'a mut (dyn Any + Send), text: &'a str) -> Boxed<'a, ()>;

    /// Inserts a row that the database will refuse at the commit, as a deferred constraint does.
    fn insert_refused<'a>(&'a self, connection: &'a mut (dyn Any + Send)) -> Boxed<'a, ()>;

    /// Says `COMMIT`, or else `ROLLBACK`, on that connection, as a body must not; whether the
    /// database took it.
    fn end<'a>(&'a self, connection: &'a mut (dyn Any + Send), commit: bool) -> Boxed<'a, bool>;

    /// How many committed rows hold that text.
    fn count<'a>(&'a self, text: &'a str) -> Boxed<'a, usize>;

    /// A transaction of a caller's own.
    fn begin(&self) -> Boxed<'_, Box<dyn OwnTransaction>>;
}

/// A transaction of a caller's own, begun without the store.
pub trait OwnTransaction: Send {
    /// Its connection.
    fn connection(&mut self) -> &mut (dyn Any + Send);

    /// Commits.
    fn commit(self: Box<Self>) -> Boxed<'static, ()>;

    /// Rolls back.
    fn rollback(self: Box<Self>) -> Boxed<'static, ()>;
}
