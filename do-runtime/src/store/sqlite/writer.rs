//! The one thread that writes: it takes what waits, does it in one transaction, answers.
//!
//! **Group commit.** A synced commit costs the same for one row as for a thousand, so the writer
//! takes everything that waits and commits it at once; the more callers there are, the larger the
//! groups. Nobody is answered before the commit.
//!
//! **One failing piece of work must not fail the others.** When the database refuses one, the
//! transaction is rolled back and its work is done again, one transaction each; then the error
//! belongs to the one that meets it.
//!
//! **What stops the store.** After an I/O error, corruption or a failed sync nothing that SQLite
//! says next can be trusted (a second sync may succeed without having written what the first one
//! lost), so the store answers nothing more until the process is started again, and recovery has
//! read the file anew. When it was the commit itself that failed, its work may stand: *unknown*.
//! A full disk and a busy file are not of that kind; both leave nothing behind.

use std::sync::Arc;

use rusqlite::Connection;

use super::checkpoint::Checkpoints;
use super::error::{Kind, answer_to, kind_of};
use super::index;
use super::queue::Woken;
use super::shared::Shared;
use super::work::{Tables, Work};
use crate::store::StoreError;

/// The most pieces of work in one transaction.
const GROUP_MAX: usize = 1024;
/// About the most bytes in one transaction.
const GROUP_BYTES_MAX: usize = 16 * 1024 * 1024;

pub(super) struct Writer {
    shared: Arc<Shared>,
    connection: Connection,
    checkpoints: Checkpoints,
    /// The connection syncs its commits.
    synced: bool,
    pace: index::Pace,
}

/// How a transaction ended that was not committed.
enum Failure {
    /// Nobody knows whether it was.
    Unknown(StoreError),
    /// It was rolled back.
    RolledBack(Kind, String),
}

impl Writer {
    /// A writer for that connection, which syncs its commits.
    pub(super) fn new(
        shared: Arc<Shared>,
        connection: Connection,
        checkpoints: Checkpoints,
    ) -> Self {
        let pace = index::Pace::new(shared.clock.monotonic());
        Self { shared, connection, checkpoints, synced: true, pace }
    }

    /// Works until the queue is closed and empty, or the store stops.
    pub(super) fn run(mut self) {
        let stops = StopsOnPanic(Arc::clone(&self.shared));
        loop {
            match self.shared.queue.wait(self.pace.patience()) {
                Woken::Work => self.group(GROUP_MAX),
                Woken::Idle => self.group(0),
                Woken::Closed => break,
            }
            self.checkpoints.after_commit(&self.connection, &self.shared);
        }
        drop(stops);
    }

    /// Does and answers what waits, and fills the find index when its time has come.
    fn group(&mut self, most: usize) {
        let shared = Arc::clone(&self.shared);
        let turn = shared.gate.writer();
        let mut group = shared.queue.take(most, GROUP_BYTES_MAX);
        let indexing = most == 0 || self.pace.is_due(shared.clock.monotonic());
        if indexing {
            group.push(index::work());
        }
        let ends = self.commit_group(&mut group);
        drop(turn);
        self.pace.rows_came();
        if indexing {
            let done = matches!(ends.last(), Some(Ok(())));
            let behind = index::is_behind(&self.connection).unwrap_or(true);
            self.pace.went_on(shared.clock.monotonic(), done, behind);
        }
        for (work, end) in group.into_iter().zip(ends) {
            work.answer(end);
        }
    }

    /// Does the group in one transaction, or one by one when that fails.
    fn commit_group(&mut self, group: &mut [Box<dyn Work>]) -> Vec<Result<(), StoreError>> {
        if group.is_empty() {
            return Vec::new();
        }
        if let Err(stopped) = self.shared.check_file() {
            return group.iter().map(|_| Err(stopped.clone())).collect();
        }
        match self.transaction(group) {
            Ok(()) => group.iter().map(|_| Ok(())).collect(),
            Err(Failure::Unknown(error)) => group.iter().map(|_| Err(error.clone())).collect(),
            Err(Failure::RolledBack(kind @ (Kind::Busy | Kind::Fatal), why)) => {
                let error = self.end_of(kind, why);
                group.iter().map(|_| Err(error.clone())).collect()
            }
            Err(Failure::RolledBack(kind, why)) if group.len() == 1 => {
                vec![Err(self.end_of(kind, why))]
            }
            Err(Failure::RolledBack(..)) => group
                .iter_mut()
                .map(|work| match self.transaction(std::slice::from_mut(work)) {
                    Ok(()) => Ok(()),
                    Err(Failure::Unknown(error)) => Err(error),
                    Err(Failure::RolledBack(kind, why)) => Err(self.end_of(kind, why)),
                })
                .collect(),
        }
    }

    fn end_of(&self, kind: Kind, why: String) -> StoreError {
        match kind {
            Kind::Fatal => self.shared.stop(&why),
            Kind::Busy | Kind::Full | Kind::Unfit | Kind::Constraint => answer_to(kind, why),
        }
    }

    fn transaction(&mut self, group: &mut [Box<dyn Work>]) -> Result<(), Failure> {
        self.shared
            .health
            .check()
            .map_err(|stopped| Failure::RolledBack(Kind::Fatal, stopped.to_string()))?;
        let synced = group.iter().any(|work| work.is_synced());
        self.sync_level(synced)
            .and_then(|()| self.execute("BEGIN IMMEDIATE"))
            .map_err(|error| Failure::RolledBack(kind_of(&error), error.to_string()))?;
        let tables = Tables { connection: &self.connection, clock: &*self.shared.clock };
        for work in group.iter_mut() {
            if let Err(error) = work.attempt(&tables) {
                return Err(self.roll_back(&error));
            }
        }
        crate::fault!("store_commit");
        if let Err(error) = self.execute("COMMIT") {
            return Err(self.commit_failed(&error));
        }
        crate::fault!("store_committed");
        Ok(())
    }

    fn sync_level(&mut self, synced: bool) -> Result<(), rusqlite::Error> {
        if synced != self.synced {
            self.execute(if synced {
                "PRAGMA synchronous=FULL"
            } else {
                "PRAGMA synchronous=NORMAL"
            })?;
            self.synced = synced;
        }
        Ok(())
    }

    fn execute(&self, statement: &'static str) -> Result<(), rusqlite::Error> {
        self.connection.prepare_cached(statement)?.execute([]).map(drop)
    }

    fn roll_back(&self, error: &rusqlite::Error) -> Failure {
        let (kind, why) = (kind_of(error), error.to_string());
        // SQLite has rolled back by itself after some errors.
        if !self.connection.is_autocommit()
            && let Err(error) = self.execute("ROLLBACK")
        {
            return Failure::RolledBack(Kind::Fatal, format!("{why}; then {error}"));
        }
        Failure::RolledBack(kind, why)
    }

    fn commit_failed(&self, error: &rusqlite::Error) -> Failure {
        let rolled_back = self.roll_back(error);
        match rolled_back {
            Failure::RolledBack(Kind::Fatal, why) => {
                self.shared.stop(&why);
                Failure::Unknown(StoreError::Unknown(why))
            }
            Failure::RolledBack(..) | Failure::Unknown(_) => rolled_back,
        }
    }
}

/// A panic of the writer is a bug of this module; what it was doing is rolled back with its
/// connection, and nothing is served any more.
struct StopsOnPanic(Arc<Shared>);

impl Drop for StopsOnPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop("the store's writer panicked");
        }
    }
}
