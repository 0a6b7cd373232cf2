//! Opening the file: connections, migration, and a look at whether it is sound.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::error::{Fault, Kind, kind_of};
use super::schema;
use crate::store::StoreError;

/// The oldest SQLite whose log cannot lose a commit when a checkpoint meets a new write.
const SQLITE_MIN: i32 = 3_051_003;
/// Files up to that size are checked whole when they are opened.
const CHECKED_WHOLE_BYTES: u64 = 64 * 1024 * 1024;
/// In larger files the audit entries of so many of the newest executions are checked.
const CHECKED_ROWS: i64 = 100;
/// The writer's page cache. A larger one is slower: SQLite walks all of it after a commit that
/// split a page, and pages that are not in it come from the system's cache.
const WRITER_CACHE_KIB: u32 = 16 * 1024;
/// The gap between two tries to open a file that others hold.
const PAUSE: Duration = Duration::from_millis(10);
/// Statements that each connection keeps prepared.
const STATEMENTS: usize = 64;

/// The connection of the writer, on a file that was brought up to date and looks sound.
pub(super) fn writer(path: &Path, busy_timeout: Duration) -> Result<Connection, StoreError> {
    let found = rusqlite::version_number();
    if found < SQLITE_MIN {
        return Err(StoreError::Open(format!(
            "SQLite {} is linked, at least 3.51.3 is needed; use the bundled one",
            rusqlite::version()
        )));
    }
    let prepare = || -> Result<Connection, Fault> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(path, flags)?;
        settings(&connection, Duration::ZERO)?;
        use_log(&connection, path)?;
        connection.execute_batch(&format!(
            "PRAGMA synchronous=FULL; PRAGMA cache_size=-{WRITER_CACHE_KIB}"
        ))?;
        schema::migrate(&mut connection)?;
        check(&connection, path)?;
        connection.busy_timeout(busy_timeout)?;
        Ok(connection)
    };
    patiently(busy_timeout, prepare).map_err(|fault| refusal(path, fault))
}

/// A connection that copies the log into the file.
pub(super) fn checkpointer(path: &Path, patience: Duration) -> Result<Connection, StoreError> {
    open_existing(path, patience, "PRAGMA synchronous=FULL")
}

/// A connection that only reads. It never waits by itself, because it is used where nothing may
/// block.
pub(super) fn reader(path: &Path, patience: Duration) -> Result<Connection, StoreError> {
    open_existing(path, patience, "PRAGMA query_only=ON; PRAGMA cache_size=-8192")
}

fn open_existing(path: &Path, patience: Duration, pragmas: &str) -> Result<Connection, StoreError> {
    let open = || -> Result<Connection, Fault> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        settings(&connection, Duration::ZERO)?;
        connection.execute_batch(pragmas)?;
        // SQLite opens the log with the first read; better now than when files have run out.
        connection.query_row("SELECT schema FROM do_meta", [], |_| Ok(()))?;
        Ok(connection)
    };
    patiently(patience, open).map_err(|fault| refusal(path, fault))
}

/// Opens again while others hold the file: SQLite does not wait by itself where it must change the
/// journal's mode, or recover the log, together with another process that opens.
fn patiently(
    patience: Duration,
    open: impl Fn() -> Result<Connection, Fault>,
) -> Result<Connection, Fault> {
    let tries = patience.as_millis() / PAUSE.as_millis();
    for _ in 0..tries {
        match open() {
            Err(Fault::Database(error)) if kind_of(&error) == Kind::Busy => {
                crate::clock::block(PAUSE);
            }
            end => return end,
        }
    }
    open()
}

fn settings(connection: &Connection, busy_timeout: Duration) -> Result<(), Fault> {
    connection.busy_timeout(busy_timeout)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.execute_batch("PRAGMA wal_autocheckpoint=0; PRAGMA journal_size_limit=67108864")?;
    Ok(())
}

/// Sees to it that changes go to a log first, so that readers and the writer never wait for each
/// other.
fn use_log(connection: &Connection, path: &Path) -> Result<(), Fault> {
    let mode: String = connection.query_row("PRAGMA journal_mode=WAL", [], |row| row.get(0))?;
    if mode.eq_ignore_ascii_case("wal") {
        return Ok(());
    }
    Err(Fault::Refused(StoreError::Open(format!(
        "{}: it cannot keep a write-ahead log (journal mode {mode}); put it on a local disk",
        path.display()
    ))))
}

/// Whether the file is sound: the whole of a small one, the newest rows of a large one.
fn check(connection: &Connection, path: &Path) -> Result<(), Fault> {
    let size = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    let whole = size <= CHECKED_WHOLE_BYTES;
    if whole {
        // The second one also compares the index of keys with the rows: a key that is only
        // missing there would look like one that was never executed.
        for check in ["PRAGMA quick_check(1)", "PRAGMA integrity_check('do_execution')"] {
            let found: String = connection.query_row(check, [], |row| row.get(0))?;
            if found != "ok" {
                return Err(damaged(path, &found));
            }
        }
    }
    let holed: Option<i64> = connection.query_row(
        "SELECT min(id) FROM do_execution AS execution \
         WHERE id > (SELECT coalesce(max(id), 0) - ?1 FROM do_execution) AND n <> \
         (SELECT iif(count(*) = max(n) AND min(n) = 1, max(n), -1) FROM do_audit \
          WHERE do_audit.execution = execution.id)",
        [if whole { i64::MAX } else { CHECKED_ROWS }],
        |row| row.get(0),
    )?;
    match holed {
        None => Ok(()),
        Some(id) => Err(damaged(path, &format!("the audit entries of execution {id} have a hole"))),
    }
}

fn damaged(path: &Path, found: &str) -> Fault {
    Fault::Refused(StoreError::Open(format!(
        "{}: the database is damaged ({found}); restore a copy, or recover it with the sqlite3 \
         program",
        path.display()
    )))
}

/// Names the file and the next step.
fn refusal(path: &Path, fault: Fault) -> StoreError {
    let error = match fault {
        Fault::Refused(StoreError::Open(why)) if why.starts_with(&*path.to_string_lossy()) => {
            return StoreError::Open(why);
        }
        Fault::Refused(StoreError::Open(why)) => {
            return StoreError::Open(format!("{}: {why}", path.display()));
        }
        Fault::Refused(refused) => return refused,
        Fault::Database(error) => error,
    };
    let step = match (error.sqlite_error_code(), kind_of(&error)) {
        (Some(ErrorCode::NotADatabase), _) => {
            "it is not an SQLite database; name another file, or move this one away"
        }
        (Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied), _) => {
            "it cannot be written; let this program's user write the file and its directory"
        }
        (Some(ErrorCode::CannotOpen), _) => {
            "let this program's user read and write the file and its directory"
        }
        (Some(ErrorCode::DatabaseCorrupt), _) => {
            "the database is damaged; restore a copy, or recover it with the sqlite3 program"
        }
        (_, Kind::Busy) => "another process holds it; end that one, or wait longer",
        (_, Kind::Full) => "make room on its disk",
        (_, Kind::Unfit | Kind::Constraint | Kind::Fatal) => "check the file and its disk",
    };
    StoreError::Open(format!("{}: {error}; {step}", path.display()))
}
