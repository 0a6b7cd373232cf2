//! The reads that look at more than one execution.

use std::sync::Arc;

use rusqlite::types::Value;
use rusqlite::{Connection, Transaction, TransactionBehavior, params, params_from_iter};

use super::error::Fault;
use super::index;
use super::statements::columns;
use super::table;
use crate::clock::Timestamp;
use crate::record::{Execution, InstanceId};
use crate::store::{DuePage, DueQuery, Filter, KeyField, Page, Which};

/// Of the rows that the index covers, those under one number.
pub(super) const FOUND: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM do_key_field JOIN do_execution ON id = execution \
     WHERE hash = ?1 AND execution <= ?2 ORDER BY execution DESC"
);

/// Rows to take up. Which they are is read from the two partial indexes, in which nothing stands
/// that has ended; only then are the rows read.
pub(super) const DUE: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM (SELECT id AS taken FROM do_execution INDEXED BY do_execution_due \
            WHERE status = 'waiting' AND due <= ?1 AND id > ?2 \
            AND action IN (SELECT value FROM json_each(?3)) \
            UNION ALL SELECT id FROM do_execution INDEXED BY do_execution_running \
            WHERE status = 'running' AND id > ?2 \
            AND instance IN (SELECT unhex(value) FROM json_each(?4)) \
            AND action IN (SELECT value FROM json_each(?3))) \
     CROSS JOIN do_execution ON id = taken ORDER BY taken"
);

/// The first due time after now.
pub(super) const NEXT_DUE: &str = "SELECT min(due) FROM (SELECT due FROM do_execution \
     INDEXED BY do_execution_due WHERE status = 'waiting' AND due > ?1 \
     AND action IN (SELECT value FROM json_each(?2)) ORDER BY due LIMIT 1)";

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
    let mut sql = concat!("SELECT ", columns!(), " FROM do_execution WHERE id < ?").to_owned();
    let mut values = vec![Value::from(filter.before.map_or(i64::MAX, |before| before.0))];
    if let Some(scope) = &filter.scope {
        sql.push_str(" AND scope = ?");
        values.push(Value::from(scope.to_string()));
    }
    if let Some(action) = &filter.action {
        sql.push_str(" AND action = ?");
        values.push(Value::from(action.to_string()));
    }
    if !filter.status.is_empty() {
        sql.push_str(" AND status IN (SELECT value FROM json_each(?))");
        values.push(Value::from(words(filter.status.iter().map(|status| status.as_str()))));
    }
    sql.push_str(" ORDER BY id DESC");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(params_from_iter(values))?;
    let executions = table::readable(&mut rows, limit, |_| true)?;
    let more = executions.len() == limit && rows.next()?.is_some();
    let next = executions.last().filter(|_| more).map(|execution| execution.row);
    Ok(Page::new(executions, next))
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
    let executions = {
        let mut statement = snapshot.prepare_cached(DUE)?;
        let after = wanted.after.map_or(i64::MIN, |after| after.0);
        let mut rows = statement.query(params![now.unix_ms(), after, actions, instances])?;
        table::readable(&mut rows, wanted.limit, |_| true)?
    };
    let next_due =
        if executions.len() < wanted.limit { next_due(&snapshot, &actions, now)? } else { None };
    snapshot.finish()?;
    Ok(DuePage::new(executions, next_due))
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
