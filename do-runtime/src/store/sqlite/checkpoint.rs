//! Moving committed pages from the log into the file, mostly off the writer's path.
//!
//! A thread of its own copies what it can each time the log has grown by [`PAGES`]. It can never
//! quite finish while the writer goes on, and only a log that was copied whole starts again from
//! its beginning; so at [`PAGES_MAX`] the writer copies the short rest itself, between two groups.
//! A reader that holds an old snapshot keeps the log growing; that is told, not hidden.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use rusqlite::Connection;

use super::error::{Kind, kind_of};
use super::shared::Shared;

/// Pages of the log after which some are copied.
const PAGES: u32 = 1000;
/// Pages of the log at which the writer finishes the copying.
const PAGES_MAX: u32 = 4 * PAGES;
/// Pages of the log at which somebody should be told.
const PAGES_ALARM: u32 = 16 * PAGES;

thread_local! {
    /// Pages in the log after this thread's last commit.
    static LOG_PAGES: Cell<u32> = const { Cell::new(0) };
}

/// The writer's side.
pub(super) struct Checkpoints {
    wake: SyncSender<()>,
    seen: u32,
    finish_at: u32,
    alarm_at: u32,
}

/// The side of the thread.
pub(super) struct Checkpointer {
    woken: Receiver<()>,
}

/// Both sides.
pub(super) fn pair() -> (Checkpoints, Checkpointer) {
    let (wake, woken) = sync_channel(1);
    let writer = Checkpoints { wake, seen: 0, finish_at: PAGES_MAX, alarm_at: PAGES_ALARM };
    (writer, Checkpointer { woken })
}

/// Lets this connection tell how long the log is. To be called on the thread that uses it.
pub(super) fn watch(connection: &Connection) {
    connection.wal_hook(Some(|_, pages| {
        LOG_PAGES.set(u32::try_from(pages).unwrap_or(0));
        Ok(())
    }));
}

impl Checkpoints {
    /// Sees to the log after a commit of this thread.
    pub(super) fn after_commit(&mut self, connection: &Connection, shared: &Shared) {
        let pages = LOG_PAGES.get();
        if pages < self.seen {
            // The log began again.
            self.finish_at = PAGES_MAX;
            self.alarm_at = PAGES_ALARM;
            self.seen = 0;
        }
        if pages >= self.finish_at {
            run(connection, shared);
            self.finish_at = pages + PAGES;
        } else if pages / PAGES > self.seen / PAGES {
            // A thread that was woken already sees these pages too.
            let _ = self.wake.try_send(());
        }
        if pages >= self.alarm_at {
            tracing::warn!(
                pages,
                "the database's log grows: some reader holds an old snapshot; end its transaction"
            );
            self.alarm_at = pages.saturating_mul(2);
        }
        self.seen = pages;
    }
}

impl Checkpointer {
    /// Copies pages each time it is woken, until the writer is gone.
    #[expect(clippy::needless_pass_by_value, reason = "it owns what its thread uses")]
    pub(super) fn run(self, connection: Connection, shared: Arc<Shared>) {
        while let Ok(()) = self.woken.recv() {
            run(&connection, &shared);
        }
    }
}

fn run(connection: &Connection, shared: &Shared) {
    if shared.health.check().is_err() {
        return;
    }
    let copied = connection
        .prepare_cached("PRAGMA wal_checkpoint(PASSIVE)")
        .and_then(|mut statement| statement.query_row([], |_| Ok(())));
    if let Err(error) = copied {
        match kind_of(&error) {
            Kind::Fatal => {
                shared.stop(&format!("copying the log into the file failed: {error}"));
            }
            // Tried again with the next pages.
            Kind::Busy | Kind::Full | Kind::Unfit | Kind::Constraint => {}
        }
    }
}
