//! Reading on the caller's own thread: a read takes some microseconds, less than handing it over.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use rusqlite::Connection;

use super::error::{Fault, Kind, answer_to, kind_of};
use super::shared::Shared;
use crate::store::StoreError;

/// The gap between two looks at a file that another process holds.
const GAP: Duration = Duration::from_millis(10);

/// Connections that only read; each serves one caller at a time.
#[derive(Debug)]
pub(super) struct Readers {
    connections: Vec<Mutex<Option<Connection>>>,
    next: AtomicUsize,
}

impl Readers {
    pub(super) fn new(connections: Vec<Connection>) -> Self {
        let connections = connections.into_iter().map(|one| Mutex::new(Some(one))).collect();
        Self { connections, next: AtomicUsize::new(0) }
    }

    /// Reads, and waits while another process keeps readers out.
    pub(super) async fn read<T>(
        &self,
        shared: &Shared,
        query: impl Fn(&Connection) -> Result<T, Fault> + Send + Sync,
    ) -> Result<T, StoreError> {
        let began = shared.clock.monotonic();
        loop {
            shared.health.check()?;
            let error = match self.once(&query)? {
                Ok(answer) => return Ok(answer),
                Err(Fault::Refused(error)) => return Err(error),
                Err(Fault::Database(error)) => error,
            };
            match kind_of(&error) {
                Kind::Busy
                    if shared.clock.monotonic().saturating_sub(began) < shared.busy_timeout =>
                {
                    shared.clock.sleep(GAP).await;
                }
                Kind::Fatal => return Err(shared.stop(&error.to_string())),
                kind @ (Kind::Busy | Kind::Full | Kind::Unfit | Kind::Constraint) => {
                    return Err(answer_to(kind, error.to_string()));
                }
            }
        }
    }

    /// Closes all connections; what is being read is read to its end.
    pub(super) fn close(&self) {
        for connection in &self.connections {
            let closed = lock(connection).take();
            drop(closed);
        }
    }

    fn once<T>(
        &self,
        query: impl Fn(&Connection) -> Result<T, Fault>,
    ) -> Result<Result<T, Fault>, StoreError> {
        let connection = self.free();
        match &*connection {
            Some(connection) => Ok(query(connection)),
            None => Err(StoreError::Closed),
        }
    }

    /// A connection that nobody uses, or else one to wait for.
    fn free(&self) -> MutexGuard<'_, Option<Connection>> {
        let count = self.connections.len();
        let first = self.next.fetch_add(1, Ordering::Relaxed) % count;
        for at in (first..count).chain(0..first) {
            match self.connections[at].try_lock() {
                Ok(free) => return free,
                Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => {}
            }
        }
        lock(&self.connections[first])
    }
}

fn lock(connection: &Mutex<Option<Connection>>) -> MutexGuard<'_, Option<Connection>> {
    // A reader that panicked left at most an open statement, which its drop has reset.
    connection.lock().unwrap_or_else(PoisonError::into_inner)
}
