//! The find index: from one field of a key to executions.
//!
//! It is filled behind the writer's back, from the row after the last one that it covers, because
//! it would cost every claim a random page. A search looks at the rows that are not covered too,
//! so it never misses one.

use rusqlite::{Connection, params};
use sha2::{Digest, Sha256};
use std::time::Duration;
use tokio::sync::oneshot;

use super::error::Fault;
use super::work::{Tables, Task, Work};
use crate::key::KeyFields;

/// How long rows wait at least before they are covered.
pub(super) const EVERY: Duration = Duration::from_millis(500);
/// The most rows that are covered in one transaction.
pub(super) const BATCH: i64 = 256;

/// When the writer fills the index: each so often where rows came, and without a pause for as long
/// as it has not caught up.
#[derive(Debug)]
pub(super) struct Pace {
    /// Rows may have come since the index had caught up.
    behind: bool,
    catching_up: bool,
    since: Duration,
}

impl Pace {
    pub(super) fn new(now: Duration) -> Self {
        Self { behind: true, catching_up: false, since: now }
    }

    /// How long the writer may sleep.
    pub(super) fn patience(&self) -> Option<Duration> {
        if self.catching_up { Some(Duration::ZERO) } else { self.behind.then_some(EVERY) }
    }

    pub(super) fn is_due(&self, now: Duration) -> bool {
        self.catching_up || (self.behind && now.saturating_sub(self.since) >= EVERY)
    }

    /// Rows may have come.
    pub(super) const fn rows_came(&mut self) {
        self.behind = true;
    }

    /// Some rows were covered; or not, and it is tried again later.
    pub(super) const fn went_on(&mut self, now: Duration, done: bool, still_behind: bool) {
        self.behind = still_behind;
        self.catching_up = done && still_behind;
        self.since = now;
    }
}

/// Covers some more rows.
pub(super) fn work() -> Box<dyn Work> {
    let (reply, _) = oneshot::channel();
    Box::new(Task {
        input: (),
        run: |tables, ()| cover(tables),
        renewal: false,
        synced: false,
        size: 0,
        result: None,
        reply,
    })
}

/// The number under which a field is found; collisions are sorted out by reading.
pub(super) fn hash(scope: &str, action: &str, field: &str, node: &str) -> i64 {
    let mut hash = Sha256::new();
    for part in [scope, action, field] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.update(node);
    let digest = hash.finalize();
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&digest[..8]);
    i64::from_le_bytes(bytes)
}

/// The last row that is covered.
pub(super) fn covered(connection: &Connection) -> Result<i64, rusqlite::Error> {
    connection
        .prepare_cached("SELECT indexed FROM do_meta WHERE one = 1")?
        .query_row([], |row| row.get(0))
}

/// There are rows that are not covered.
pub(super) fn is_behind(connection: &Connection) -> Result<bool, rusqlite::Error> {
    connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM do_execution \
             WHERE id > (SELECT indexed FROM do_meta WHERE one = 1))",
        )?
        .query_row([], |row| row.get(0))
}

/// Covers the next rows that are not covered.
pub(super) fn cover(tables: &Tables<'_>) -> Result<(), Fault> {
    let connection = tables.connection;
    let before = covered(connection)?;
    let mut last = before;
    let mut entries = Vec::new();
    {
        let mut statement = connection.prepare_cached(
            "SELECT id, scope, action, fields FROM do_execution WHERE id > ?1 ORDER BY id LIMIT ?2",
        )?;
        let mut rows = statement.query(params![last, BATCH])?;
        while let Some(row) = rows.next()? {
            last = row.get(0)?;
            let (scope, action) = (row.get_ref(1)?.as_str()?, row.get_ref(2)?.as_str()?);
            // A row whose fields cannot be read is told of where it is read for its own sake.
            if let Ok(fields) = KeyFields::from_json(row.get_ref(3)?.as_str()?) {
                let of_row = |(field, node): (&str, &str)| (hash(scope, action, field, node), last);
                entries.extend(fields.iter().map(of_row));
            }
        }
    }
    if last == before {
        return Ok(());
    }
    entries.sort_unstable();
    let mut insert =
        connection.prepare_cached("INSERT OR IGNORE INTO do_key_field VALUES (?1, ?2)")?;
    for (hash, row) in entries {
        insert.execute([hash, row])?;
    }
    connection.prepare_cached("UPDATE do_meta SET indexed = ?1 WHERE one = 1")?.execute([last])?;
    Ok(())
}
