//! The writes: what each does within a group's transaction.

use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, params};

use super::error::Fault;
use super::table;
use super::work::Tables;
use crate::audit::{Author, StateEntry};
use crate::clock::Timestamp;
use crate::record::{Event, Execution, InstanceId, NotAllowed, RowId, Status, Value};
use crate::store::{Change, Claimed, NewExecution, Recorded, StoreError};

/// Inserts an execution, unless there is one.
pub(super) fn claim(tables: &Tables<'_>, new: &NewExecution) -> Result<Claimed, Fault> {
    let connection = tables.connection;
    if let Some(found) = table::by_identity(connection, &new.identity)? {
        return Ok(Claimed::Existing(Arc::new(found)));
    }
    let mut execution = begin(new, tables.clock.now())?;
    execution.row = table::insert(connection, &execution)?;
    let entry = StateEntry::of(None, &execution, &new.event, &new.author);
    table::append(connection, execution.row, &entry)?;
    Ok(Claimed::Granted(Arc::new(execution)))
}

/// What a claim begins; its row comes with the insert.
pub(super) fn begin(new: &NewExecution, now: Timestamp) -> Result<Execution, NotAllowed> {
    Execution::begin(RowId(0), new.identity.clone(), new.request.clone(), &new.event, now)
}

/// What a change makes of the execution as last seen.
pub(super) fn after(change: &Change, now: Timestamp) -> Result<Execution, NotAllowed> {
    change.before.apply(&change.event, change.request.as_ref(), now)
}

/// Whether a change touches what was asked for, or drops its parameters.
pub(super) fn with_request(change: &Change, after: &Execution) -> bool {
    change.request.is_some()
        || change.before.request.params.is_some() != after.request.params.is_some()
}

/// Applies an event, if the execution is still as last seen.
pub(super) fn record(tables: &Tables<'_>, change: &Change) -> Result<Recorded, Fault> {
    let connection = tables.connection;
    let refused = match after(change, tables.clock.now()) {
        Ok(after) => {
            if table::update(connection, &change.before, &after, with_request(change, &after))? {
                let entry =
                    StateEntry::of(Some(&change.before), &after, &change.event, &change.author);
                table::append(connection, after.row, &entry)?;
                if change.event.is_verb() {
                    connection
                        .prepare_cached("UPDATE do_meta SET epoch = epoch + 1")?
                        .execute([])?;
                }
                return Ok(Recorded::Done(Arc::new(after)));
            }
            StoreError::Corrupt("it does not match what it matches".to_owned())
        }
        Err(refused) => refused.into(),
    };
    match table::by_row(connection, change.before.row)? {
        None => Ok(Recorded::Gone),
        Some(found) if is_as_seen(change, &found) => Err(refused.into()),
        Some(found) => Ok(Recorded::Lost(Arc::new(found))),
    }
}

/// The execution is still the one that the change was made for.
pub(super) fn is_as_seen(change: &Change, found: &Execution) -> bool {
    let (seen, found) = (&change.before.state, &found.state);
    (seen.entries, seen.token) == (found.entries, found.token)
}

/// An instance's row.
#[derive(Debug, Clone, Copy)]
pub(super) struct InstanceRow {
    pub(super) instance: InstanceId,
    pub(super) renewals: u64,
    pub(super) over: bool,
}

/// A renewal of a lease.
#[derive(Debug)]
pub(super) struct Renewal {
    pub(super) instance: InstanceId,
    pub(super) lease: Duration,
    /// Instances known to be dead for a while, to be forgotten once nothing runs on them.
    pub(super) dead: Vec<InstanceId>,
}

/// What a renewal saw.
#[derive(Debug)]
pub(super) struct Renewed {
    pub(super) instances: Vec<InstanceRow>,
    pub(super) forgotten: Vec<InstanceId>,
}

const RENEW: &str = "INSERT INTO do_instance (id, lease_until, renewals) VALUES (?1, ?2, 1) \
     ON CONFLICT (id) DO UPDATE SET lease_until = ?2, renewals = renewals + 1";

const FORGET: &str = "DELETE FROM do_instance WHERE id = ?1 AND NOT EXISTS \
     (SELECT 1 FROM do_execution WHERE status = 'running' AND instance = ?1)";

/// Renews a lease and tells of all instances.
pub(super) fn renew(tables: &Tables<'_>, renewal: &Renewal) -> Result<Renewed, Fault> {
    let connection = tables.connection;
    let now = tables.clock.now();
    connection
        .prepare_cached(RENEW)?
        .execute(params![renewal.instance.as_bytes(), now.plus(renewal.lease).unix_ms()])?;
    let mut forgotten = Vec::new();
    for dead in &renewal.dead {
        if connection.prepare_cached(FORGET)?.execute([dead.as_bytes()])? > 0 {
            forgotten.push(*dead);
        }
    }
    let mut statement =
        connection.prepare_cached("SELECT id, renewals, lease_until FROM do_instance")?;
    let instances = statement.query_map([], |row| {
        Ok(InstanceRow {
            instance: InstanceId::from_bytes(row.get(0)?),
            renewals: u64::try_from(row.get::<_, i64>(1)?).unwrap_or(0),
            over: row.get::<_, i64>(2)? <= now.unix_ms(),
        })
    })?;
    Ok(Renewed { instances: instances.collect::<Result<_, _>>()?, forgotten })
}

/// Forgets an instance on which nothing runs; false when something does.
pub(super) fn forget(tables: &Tables<'_>, instance: &InstanceId) -> Result<bool, Fault> {
    Ok(tables.connection.prepare_cached(FORGET)?.execute([instance.as_bytes()])? > 0)
}

/// There is a row of that instance.
pub(super) fn is_known(connection: &Connection, instance: InstanceId) -> rusqlite::Result<bool> {
    connection.query_row(
        "SELECT EXISTS (SELECT 1 FROM do_instance WHERE id = ?1)",
        [instance.as_bytes()],
        |row| row.get(0),
    )
}

/// The end of retention for some executions.
#[derive(Debug)]
pub(super) struct Pruning {
    pub(super) author: Author,
    pub(super) limit: usize,
}

/// Ends the retention of executions whose time is over.
pub(super) fn prune(tables: &Tables<'_>, pruning: &Pruning) -> Result<usize, Fault> {
    let now = tables.clock.now();
    let over = {
        let mut statement = tables.connection.prepare_cached(concat!(
            "SELECT ",
            super::statements::columns!(),
            " FROM do_execution WHERE keep_until IS NOT NULL AND keep_until <= ?1 \
             ORDER BY keep_until"
        ))?;
        let mut rows = statement.query([now.unix_ms()])?;
        table::readable(&mut rows, pruning.limit, |_| true)?
    };
    let mut pruned = 0;
    for before in over {
        let event = match before.state.status {
            Status::Succeeded => Event::Expired,
            Status::Failed => Event::Pruned,
            Status::Running
            | Status::Waiting
            | Status::Parked
            | Status::InDoubt
            | Status::Expired => continue,
        };
        let change = Change::new(before, event, pruning.author.clone());
        if matches!(record(tables, &change)?, Recorded::Done(_)) {
            pruned += 1;
        }
    }
    Ok(pruned)
}

/// About how many bytes a new execution writes.
pub(super) fn size_of_new(new: &NewExecution) -> usize {
    ROW_BYTES + new.request.params.as_ref().map_or(0, |params| params.len())
}

/// About how many bytes a change writes.
pub(super) fn size_of_change(change: &Change) -> usize {
    let value = match change.event.value() {
        Some(Value::Json(bytes)) => bytes.len(),
        Some(Value::Missing { .. }) | None => 0,
    };
    let request = change.request.as_ref().or(Some(&change.before.request));
    let params = request.and_then(|request| request.params.as_ref()).map_or(0, |bytes| bytes.len());
    ROW_BYTES + value + params
}

/// A row and its audit entry without parameters and value.
const ROW_BYTES: usize = 1024;
