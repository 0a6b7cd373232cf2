//! Who may write next, within this process.
//!
//! The file has one write lock, and SQLite gives it to whoever polls at the right moment. So
//! bodies that borrow a transaction and the writer's groups take turns at a gate of our own,
//! in the order in which they came. Bodies queue among themselves first and only the foremost
//! stands at the gate: the writer waits for one body at most, however many there are, so that
//! renewals of leases are never late.

use std::sync::Arc;

#[cfg(feature = "sqlx")]
use tokio::sync::OwnedMutexGuard;
use tokio::sync::{Mutex, MutexGuard};

#[derive(Debug, Default)]
pub(super) struct Gate {
    file: Arc<Mutex<()>>,
    #[cfg(feature = "sqlx")]
    bodies: Arc<Mutex<()>>,
}

/// A body's turn.
#[cfg(feature = "sqlx")]
#[derive(Debug)]
pub(super) struct Turn {
    _file: OwnedMutexGuard<()>,
    _bodies: OwnedMutexGuard<()>,
}

impl Gate {
    /// The writer's turn; only on its own thread.
    pub(super) fn writer(&self) -> MutexGuard<'_, ()> {
        self.file.blocking_lock()
    }

    /// A body's turn; may be dropped while it waits.
    #[cfg(feature = "sqlx")]
    pub(super) async fn body(&self) -> Turn {
        let bodies = Arc::clone(&self.bodies).lock_owned().await;
        let file = Arc::clone(&self.file).lock_owned().await;
        Turn { _file: file, _bodies: bodies }
    }
}
