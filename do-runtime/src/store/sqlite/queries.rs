//! The reads that look at more than one execution.

use std::sync::Arc;

use rusqlite::types::Value;
use rusqlite::{Connection, Transaction, TransactionBehavior, params, params_from_iter};

use super::error::Fault;
use super::index;
use super::statements::columns;
use super::table;
use crate::clock::Timestamp;
use crate::record::{Execution, InstanceId, RowId, Status};
use crate::store::{DuePage, DueQuery, Filter, KeyField, Page, Which};

/// Of the rows that the index covers, those under one number.
pub(super) const FOUND: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM do_key_field JOIN do_execution ON id = execution \
     WHERE hash = ?1 AND execution <= ?2 ORDER BY execution DESC"
);

/// Rows to take up, in their order: read from the two partial indexes, in which nothing stands
/// that has ended.
pub(super) const DUE: &str = "SELECT id FROM do_execution INDEXED BY do_execution_due \
     WHERE status = 'waiting' AND due <= ?1 AND id > ?2 \
     AND action IN (SELECT value FROM json_each(?3)) \
     UNION ALL SELECT id FROM do_execution INDEXED BY do_execution_running \
     WHERE status = 'running' AND id > ?2 \
     AND instance IN (SELECT unhex(value) FROM json_each(?4)) \
     AND action IN (SELECT value FROM json_each(?3)) \
     ORDER BY id LIMIT ?5";

/// The first due time after now.
pub(super) const NEXT_DUE: &str = "SELECT min(due) FROM (SELECT due FROM do_execution \
     INDEXED BY do_execution_due WHERE status = 'waiting' AND due > ?1 \
     AND action IN (SELECT value FROM json_each(?2)) ORDER BY due LIMIT 1)";

/// How many verbs of operators there were.
pub(super) fn epoch(connection: &Connection) -> Result<u64, Fault> {
    let mut statement = connection.prepare_cached("SELECT epoch FROM do_meta")?;
    let epoch: i64 = statement.query_row([], |row| row.get(0))?;
    Ok(u64::try_from(epoch).unwrap_or(0))
}

/// The execution of that identity or key.
pub(super) fn get(connection: &Connection, which: &Which) -> Result<Option<Arc<Execution>>, Fault> {
    let found = match which {
        Which::Identity(identity) => table::by_identity(connection, identity)?,
        Which::Key { scope, key } => table::by_key(connection, key, |found| found.scope == *scope)?,
    };
    Ok(found.map(Arc::new))
}

/// Executions that fit the filter, newest first.
pub(super) fn list(connection: &Connection, filter: &Filter) -> Result<Page, Fault> {
    let limit = if filter.limit == 0 { Filter::LIMIT } else { filter.limit };
    let snapshot = Transaction::new_unchecked(connection, TransactionBehavior::Deferred)?;
    let (sql, mut values) = selection(filter);
    let before = filter.before.unwrap_or(RowId(i64::MAX));
    let page = collect(&snapshot, limit, before, |before, most| {
        values[0] = Value::from(before.0);
        values[1] = Value::from(most);
        ids(&snapshot, &sql, params_from_iter(values.iter()))
    })?;
    snapshot.finish()?;
    let next = page.executions.last().filter(|_| page.more).map(|execution| execution.row);
    Ok(Page::new(page.executions, next))
}

/// The statement that selects rows by that filter, and its values after the first two: where the
/// page begins, and how many rows.
pub(super) fn selection(filter: &Filter) -> (String, Vec<Value>) {
    let mut sql = "SELECT id FROM do_execution".to_owned();
    let mut values = vec![Value::Null, Value::Null];
    let words = filter.status.iter().map(|status| format!("'{}'", status.as_str()));
    let words = words.collect::<Vec<_>>().join(", ");
    let stuck = |status| matches!(status, &Status::Failed | &Status::Parked | &Status::InDoubt);
    // SQLite takes a partial index only where its condition stands word for word.
    match &*filter.status {
        [] => sql.push_str(" WHERE id < ?1"),
        [Status::Waiting] => {
            sql.push_str(" INDEXED BY do_execution_due WHERE status = 'waiting' AND id < ?1");
        }
        [Status::Running] => {
            sql.push_str(" INDEXED BY do_execution_running WHERE status = 'running' AND id < ?1");
        }
        these if these.iter().all(stuck) => {
            sql.push_str(
                " INDEXED BY do_execution_stuck WHERE status IN ('failed', 'parked', 'in_doubt') \
                 AND id < ?1",
            );
            sql.push_str(&format!(" AND status IN ({words})"));
        }
        _ => sql.push_str(&format!(" WHERE id < ?1 AND status IN ({words})")),
    }
    for (column, wanted) in [("scope", &filter.scope), ("action", &filter.action)] {
        if let Some(wanted) = wanted {
            values.push(Value::from(wanted.to_string()));
            sql.push_str(&format!(" AND {column} = ?{}", values.len()));
        }
    }
    sql.push_str(" ORDER BY id DESC LIMIT ?2");
    (sql, values)
}

/// Executions, and whether there are more.
struct Collected {
    executions: Vec<Arc<Execution>>,
    more: bool,
}

/// Reads up to `limit` executions. `next` gives so many rows from that one on; it is asked again
/// when rows that cannot be read were left out.
fn collect(
    connection: &Connection,
    limit: usize,
    mut from: RowId,
    mut next: impl FnMut(RowId, i64) -> Result<Vec<RowId>, Fault>,
) -> Result<Collected, Fault> {
    let mut executions = Vec::new();
    loop {
        let wanted = limit - executions.len();
        let mut rows = next(from, i64::try_from(wanted.saturating_add(1)).unwrap_or(i64::MAX))?;
        let more = rows.len() > wanted;
        rows.truncate(wanted);
        from = rows.last().copied().unwrap_or(from);
        for row in rows {
            match table::by_row(connection, row) {
                Ok(found) => executions.extend(found.map(Arc::new)),
                Err(Fault::Refused(error)) => table::left_out(&error),
                Err(fault @ Fault::Database(_)) => return Err(fault),
            }
        }
        if !more || executions.len() == limit {
            return Ok(Collected { executions, more });
        }
    }
}

fn ids(
    connection: &Connection,
    sql: &str,
    values: impl rusqlite::Params,
) -> Result<Vec<RowId>, Fault> {
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(values, |row| Ok(RowId(row.get(0)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Executions by one field of their key, newest first: those behind the index's end, then those
/// that it covers.
pub(super) fn find(
    connection: &Connection,
    wanted: &KeyField,
) -> Result<Vec<Arc<Execution>>, Fault> {
    let fits = |execution: &Execution| {
        let identity = &execution.identity;
        identity.scope == wanted.scope
            && identity.action == wanted.action
            && execution
                .request
                .fields
                .iter()
                .any(|(field, node)| *field == *wanted.field && node == wanted.node)
    };
    let snapshot = Transaction::new_unchecked(connection, TransactionBehavior::Deferred)?;
    let covered = index::covered(&snapshot)?;
    let mut found = {
        let mut statement = snapshot.prepare_cached(concat!(
            "SELECT ",
            columns!(),
            " FROM do_execution WHERE id > ?1 AND scope = ?2 AND action = ?3 ORDER BY id DESC"
        ))?;
        let mut rows = statement.query(params![covered, &*wanted.scope, &*wanted.action])?;
        table::readable(&mut rows, wanted.limit, fits)?
    };
    if found.len() < wanted.limit {
        let hash = index::hash(&wanted.scope, &wanted.action, &wanted.field, &wanted.node);
        let mut statement = snapshot.prepare_cached(FOUND)?;
        let mut rows = statement.query([hash, covered])?;
        found.extend(table::readable(&mut rows, wanted.limit - found.len(), fits)?);
    }
    snapshot.finish()?;
    Ok(found)
}

/// Executions to take up, in the order of rows.
pub(super) fn due(
    connection: &Connection,
    wanted: &DueQuery,
    now: Timestamp,
) -> Result<DuePage, Fault> {
    let actions = words(wanted.actions.iter().map(|action| &**action));
    let instances = words(wanted.instances.iter().map(InstanceId::to_string));
    let snapshot = Transaction::new_unchecked(connection, TransactionBehavior::Deferred)?;
    let after = wanted.after.unwrap_or(RowId(i64::MIN));
    let page = collect(&snapshot, wanted.limit, after, |after, most| {
        ids(&snapshot, DUE, params![now.unix_ms(), after.0, actions, instances, most])
    })?;
    let is_full = page.executions.len() >= wanted.limit;
    let next_due = if is_full { None } else { next_due(&snapshot, &actions, now)? };
    snapshot.finish()?;
    Ok(DuePage::new(page.executions, next_due))
}

/// When the next one of these actions becomes due that is not due yet.
fn next_due(
    connection: &Connection,
    actions: &str,
    now: Timestamp,
) -> Result<Option<Timestamp>, Fault> {
    let next: Option<i64> = connection
        .prepare_cached(NEXT_DUE)?
        .query_row(params![now.unix_ms(), actions], |row| row.get(0))?;
    Ok(next.map(Timestamp::from_unix_ms))
}

/// A list as one bound value.
fn words<T: AsRef<str>>(words: impl Iterator<Item = T>) -> String {
    let words = words.map(|word| serde_json::Value::from(word.as_ref())).collect();
    serde_json::Value::Array(words).to_string()
}
