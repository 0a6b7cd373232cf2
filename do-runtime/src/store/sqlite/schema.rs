//! The tables, and how an older file gets them.
//!
//! The tables live beside those of the user, so all names begin with `do_`, and the version is a
//! column of our own rather than the file's. A migration is one transaction behind the write
//! lock: of two processes that start at once the second waits and finds the work done, and a
//! crash leaves the old schema or the new one.
//!
//! `key16` is the beginning of the key: 16 bytes of a SHA-256 over the identity tell executions
//! apart, and a narrower index is a faster one. That an identity is unique is seen to where rows
//! are inserted, behind the write lock, by comparing the whole of it.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use super::error::Fault;
use crate::store::StoreError;

/// The schema this code knows.
pub(super) const VERSION: i64 = 1;

const VERSION_1: &str = "
CREATE TABLE do_meta (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    schema INTEGER NOT NULL,
    store BLOB NOT NULL,
    epoch INTEGER NOT NULL,
    indexed INTEGER NOT NULL
) STRICT;
CREATE TABLE do_execution (
    id INTEGER PRIMARY KEY,
    key16 BLOB NOT NULL,
    scope TEXT NOT NULL,
    action TEXT NOT NULL,
    key BLOB NOT NULL,
    created INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    status TEXT NOT NULL,
    n INTEGER NOT NULL,
    token BLOB,
    instance BLOB,
    due INTEGER,
    keep_until INTEGER,
    state TEXT NOT NULL,
    key_version INTEGER NOT NULL,
    fields TEXT NOT NULL,
    fingerprint BLOB NOT NULL,
    params BLOB,
    value BLOB,
    value_missing TEXT
) STRICT;
CREATE INDEX do_execution_key ON do_execution (key16);
CREATE INDEX do_execution_due ON do_execution (due, action) WHERE status = 'waiting';
CREATE INDEX do_execution_running ON do_execution (instance, action) WHERE status = 'running';
CREATE INDEX do_execution_stuck ON do_execution (status)
    WHERE status IN ('failed', 'parked', 'in_doubt');
CREATE INDEX do_execution_keep ON do_execution (keep_until) WHERE keep_until IS NOT NULL;
CREATE TABLE do_audit (
    execution INTEGER NOT NULL,
    n INTEGER NOT NULL,
    at INTEGER NOT NULL,
    event TEXT NOT NULL,
    before TEXT,
    after TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    round INTEGER NOT NULL,
    principal TEXT NOT NULL,
    why TEXT,
    instance BLOB NOT NULL,
    version TEXT,
    failure TEXT,
    value_hash TEXT,
    other_request INTEGER NOT NULL,
    PRIMARY KEY (execution, n)
) STRICT, WITHOUT ROWID;
CREATE TABLE do_instance (
    id BLOB PRIMARY KEY,
    lease_until INTEGER NOT NULL,
    renewals INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE do_key_field (
    hash INTEGER NOT NULL,
    execution INTEGER NOT NULL,
    PRIMARY KEY (hash, execution)
) STRICT, WITHOUT ROWID;
INSERT INTO do_meta VALUES (1, 1, randomblob(16), 0, 0);
";

/// Brings the file to this code's schema.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), Fault> {
    if version(connection)? == VERSION {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found = version(&transaction)?;
    if found > VERSION {
        return Err(Fault::Refused(StoreError::Open(format!(
            "its tables are of schema {found}, written by a newer release; this one knows \
             {VERSION}: run the newer release, or restore the copy from before its start"
        ))));
    }
    if found < 1 {
        transaction.execute_batch(VERSION_1)?;
    }
    transaction.commit()?;
    Ok(())
}

/// The schema in the file; 0 when there is none.
fn version(connection: &Connection) -> Result<i64, rusqlite::Error> {
    let there: bool = connection.query_row(
        "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'do_meta')",
        [],
        |row| row.get(0),
    )?;
    if !there {
        return Ok(0);
    }
    let version = connection
        .query_row("SELECT schema FROM do_meta WHERE one = 1", [], |row| row.get(0))
        .optional()?;
    Ok(version.unwrap_or(0))
}
