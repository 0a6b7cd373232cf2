//! A piece of work for the writer: done within a group's transaction, answered after its commit.

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::error::Fault;
use crate::clock::Clock;
use crate::store::StoreError;

/// What a piece of work writes through.
pub(super) struct Tables<'a> {
    /// The writer's connection, within a transaction that holds the write lock.
    pub(super) connection: &'a Connection,
    /// The store's clock.
    pub(super) clock: &'a dyn Clock,
}

/// A piece of work.
pub(super) trait Work: Send {
    /// It renews a lease and goes first.
    fn is_renewal(&self) -> bool;

    /// Its commit must be synced.
    fn is_synced(&self) -> bool;

    /// About how many bytes it writes.
    fn size(&self) -> usize;

    /// Does it; it may be done again after its transaction was rolled back.
    fn attempt(&mut self, tables: &Tables<'_>) -> Result<(), rusqlite::Error>;

    /// Tells what it came to, once its transaction ended so.
    fn answer(self: Box<Self>, end: Result<(), StoreError>);
}

/// Work that gives a `T`.
pub(super) struct Task<I, T> {
    pub(super) input: I,
    pub(super) run: fn(&Tables<'_>, &I) -> Result<T, Fault>,
    pub(super) renewal: bool,
    pub(super) synced: bool,
    pub(super) size: usize,
    pub(super) result: Option<Result<T, StoreError>>,
    pub(super) reply: oneshot::Sender<Result<T, StoreError>>,
}

impl<I: Send, T: Send> Work for Task<I, T> {
    fn is_renewal(&self) -> bool {
        self.renewal
    }

    fn is_synced(&self) -> bool {
        self.synced
    }

    fn size(&self) -> usize {
        self.size
    }

    fn attempt(&mut self, tables: &Tables<'_>) -> Result<(), rusqlite::Error> {
        self.result = match (self.run)(tables, &self.input) {
            Ok(answer) => Some(Ok(answer)),
            Err(Fault::Refused(error)) => Some(Err(error)),
            Err(Fault::Database(error)) => {
                self.result = None;
                return Err(error);
            }
        };
        Ok(())
    }

    fn answer(self: Box<Self>, end: Result<(), StoreError>) {
        let answer = match (end, self.result) {
            // What was refused wrote nothing, so the end of the transaction does not matter.
            (_, Some(Err(refused))) => Err(refused),
            (Err(error), _) => Err(error),
            (Ok(()), Some(result)) => result,
            (Ok(()), None) => Err(StoreError::Unknown("it was not done".to_owned())),
        };
        // Nobody listens when the caller was dropped; the work stands all the same.
        drop(self.reply.send(answer));
    }
}
