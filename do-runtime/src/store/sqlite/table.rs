//! Rows through rusqlite: the writer's statements, and reading.

use std::sync::Arc;

use rusqlite::{Connection, Row, params};

use super::error::Fault;
use super::row::{
    EntryColumns, RequestColumns, StateColumns, StoredEntry, StoredExecution, key16, number,
};
use super::statements;
use crate::audit::StateEntry;
use crate::key::Key;
use crate::record::{Execution, Identity, RowId, Token};
use crate::store::StoreError;

/// The execution in that row of an answer.
pub(super) fn execution_of(row: &Row<'_>) -> Result<Execution, StoreError> {
    let read = || -> Result<Execution, Fault> { Ok(stored_execution(row)?.execution()?) };
    read().map_err(unreadable)
}

/// That a column has not the type that its table demands is the row's fault, not the file's.
fn unreadable(fault: Fault) -> StoreError {
    match fault {
        Fault::Refused(error) => error,
        Fault::Database(error) => StoreError::Corrupt(format!("a row of the store: {error}")),
    }
}

fn stored_execution<'a>(row: &'a Row<'_>) -> rusqlite::Result<StoredExecution<'a>> {
    let text = |at: usize| row.get_ref(at).and_then(|value| Ok(value.as_str()?));
    let blob = |at: usize| row.get_ref(at).and_then(|value| Ok(value.as_blob()?));
    Ok(StoredExecution {
        id: row.get(0)?,
        key16: blob(1)?,
        scope: text(2)?,
        action: text(3)?,
        key: blob(4)?,
        created: row.get(5)?,
        changed: row.get(6)?,
        status: text(7)?,
        n: row.get(8)?,
        state: text(9)?,
        key_version: row.get(10)?,
        fields: text(11)?,
        fingerprint: blob(12)?,
        params: row.get_ref(13)?.as_blob_or_null()?,
        value: row.get_ref(14)?.as_blob_or_null()?,
        value_missing: row.get_ref(15)?.as_str_or_null()?,
    })
}

/// The execution in that row of the table.
pub(super) fn by_row(connection: &Connection, row: RowId) -> Result<Option<Execution>, Fault> {
    let mut statement = connection.prepare_cached(statements::BY_ROW)?;
    let mut rows = statement.query([row.0])?;
    match rows.next()? {
        Some(row) => Ok(Some(execution_of(row)?)),
        None => Ok(None),
    }
}

/// The newest execution that fits, of those whose key is that one.
pub(super) fn by_key(
    connection: &Connection,
    key: &Key,
    fits: impl Fn(&Identity) -> bool,
) -> Result<Option<Execution>, Fault> {
    let mut statement = connection.prepare_cached(statements::BY_KEY)?;
    let mut rows = statement.query([key16(key)])?;
    while let Some(row) = rows.next()? {
        let execution = execution_of(row)?;
        if execution.identity.key == *key && fits(&execution.identity) {
            return Ok(Some(execution));
        }
    }
    Ok(None)
}

/// The execution of that identity.
pub(super) fn by_identity(
    connection: &Connection,
    identity: &Identity,
) -> Result<Option<Execution>, Fault> {
    by_key(connection, &identity.key, |found| found == identity)
}

/// Inserts an execution and gives its row; its identity has none.
pub(super) fn insert(connection: &Connection, execution: &Execution) -> Result<RowId, Fault> {
    let Identity { scope, action, key } = &execution.identity;
    let state = StateColumns::of(execution)?;
    let request = RequestColumns::of(&execution.request);
    connection.prepare_cached(statements::INSERT)?.execute(params![
        key16(key),
        &**scope,
        &**action,
        key.as_bytes(),
        execution.created.unix_ms(),
        request.key_version,
        request.fields,
        request.fingerprint,
        request.params,
        state.changed,
        state.status,
        state.n,
        state.token,
        state.instance,
        state.due,
        state.keep_until,
        state.state,
        state.value,
        state.value_missing,
    ])?;
    Ok(RowId(connection.last_insert_rowid()))
}

/// Writes an execution over the one it was made of; false when that is no longer there.
pub(super) fn update(
    connection: &Connection,
    before: &Execution,
    after: &Execution,
    with_request: bool,
) -> Result<bool, Fault> {
    let state = StateColumns::of(after)?;
    let token = before.state.token.as_ref().map(Token::as_bytes);
    let (id, n) = (before.row.0, number(before.state.entries));
    let updated = if with_request {
        let request = RequestColumns::of(&after.request);
        connection.prepare_cached(statements::UPDATE_REQUEST)?.execute(params![
            state.changed,
            state.status,
            state.n,
            state.token,
            state.instance,
            state.due,
            state.keep_until,
            state.state,
            state.value,
            state.value_missing,
            id,
            n,
            token,
            request.key_version,
            request.fields,
            request.fingerprint,
            request.params,
        ])?
    } else {
        connection.prepare_cached(statements::UPDATE)?.execute(params![
            state.changed,
            state.status,
            state.n,
            state.token,
            state.instance,
            state.due,
            state.keep_until,
            state.state,
            state.value,
            state.value_missing,
            id,
            n,
            token,
        ])?
    };
    Ok(updated > 0)
}

/// Appends an audit entry.
pub(super) fn append(connection: &Connection, row: RowId, entry: &StateEntry) -> Result<(), Fault> {
    // The state is written already, so that this may not be a mere refusal.
    let columns = EntryColumns::of(entry)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
    connection.prepare_cached(statements::ENTRY)?.execute(params![
        row.0,
        number(entry.n),
        entry.at.unix_ms(),
        entry.event,
        columns.before,
        entry.after.as_str(),
        entry.attempt,
        entry.round,
        &*entry.author.principal,
        entry.author.why.as_deref(),
        entry.author.instance.as_bytes(),
        entry.author.version.as_deref(),
        columns.failure,
        entry.value_hash,
        entry.other_request,
    ])?;
    Ok(())
}

/// The state entries of an execution, which must be 1 to n.
pub(super) fn history(connection: &Connection, row: RowId) -> Result<Vec<StateEntry>, Fault> {
    let mut statement = connection.prepare_cached(statements::HISTORY)?;
    let mut rows = statement.query([row.0])?;
    let mut entries = Vec::new();
    while let Some(row) = rows.next()? {
        let expected = entries.len() as u64 + 1;
        let read = || -> Result<StateEntry, Fault> { Ok(stored_entry(row)?.entry(expected)?) };
        entries.push(read().map_err(unreadable)?);
    }
    Ok(entries)
}

fn stored_entry<'a>(row: &'a Row<'_>) -> rusqlite::Result<StoredEntry<'a>> {
    let text = |at: usize| row.get_ref(at).and_then(|value| Ok(value.as_str()?));
    let optional = |at: usize| row.get_ref(at).and_then(|value| Ok(value.as_str_or_null()?));
    Ok(StoredEntry {
        n: row.get(0)?,
        at: row.get(1)?,
        event: text(2)?,
        before: optional(3)?,
        after: text(4)?,
        attempt: row.get(5)?,
        round: row.get(6)?,
        principal: text(7)?,
        why: optional(8)?,
        instance: row.get_ref(9).and_then(|value| Ok(value.as_blob()?))?,
        version: optional(10)?,
        failure: optional(11)?,
        value_hash: optional(12)?,
        other_request: row.get(13)?,
    })
}

/// The executions in an answer; what cannot be read is told loudly and left out, so that one bad
/// row never stops the others.
pub(super) fn readable(
    rows: &mut rusqlite::Rows<'_>,
    limit: usize,
    wanted: impl Fn(&Execution) -> bool,
) -> Result<Vec<Arc<Execution>>, Fault> {
    let mut executions = Vec::new();
    while executions.len() < limit
        && let Some(row) = rows.next()?
    {
        match execution_of(row) {
            Ok(execution) if wanted(&execution) => executions.push(Arc::new(execution)),
            Ok(_) => {}
            Err(error) => left_out(&error),
        }
    }
    Ok(executions)
}

/// Tells of a row that cannot be read.
pub(super) fn left_out(error: &StoreError) {
    tracing::error!(%error, "a row of the store was left out");
}
