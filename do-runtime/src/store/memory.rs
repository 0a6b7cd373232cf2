//! A store in memory: for tests, and the oracle that the other stores are compared with.
//!
//! One lock guards all of it and each method does its whole work when it is called, so an answer
//! that is dropped has happened all the same. It outlives its handles' closing: [`Memory::reopen`]
//! stands for a second process, or for a start after a crash.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::future::ready;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::{
    Answer, Change, Claimed, DuePage, DueQuery, Filter, KeyField, NewExecution, Page, Recorded,
    Seen, Store, StoreError, Which,
};
use crate::audit::{Author, StateEntry};
use crate::clock::{Clock, Timestamp};
use crate::record::{Event, Execution, Identity, InstanceId, RowId, Status};

/// Executions in memory, gone with the last handle.
///
/// A clone is the same handle, which is closed once for all its clones.
#[derive(Debug, Clone)]
pub struct Memory {
    shared: Arc<Shared>,
    closed: Arc<AtomicBool>,
}

impl Memory {
    /// An empty store that takes its time from this clock.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        let shared = Shared { clock, tables: Mutex::default() };
        Self { shared: Arc::new(shared), closed: Arc::default() }
    }

    /// Another handle onto the same executions, open whether or not this one is.
    #[must_use]
    pub fn reopen(&self) -> Self {
        Self { shared: Arc::clone(&self.shared), closed: Arc::default() }
    }

    /// From now on that instance counts as known to be dead.
    pub fn kill(&self, instance: InstanceId) {
        self.tables().dead.insert(instance);
    }

    /// Does all the work under the lock, at one instant.
    fn answer<'a, T: Send + 'a>(
        &self,
        work: impl FnOnce(&mut Tables, Timestamp) -> Result<T, StoreError>,
    ) -> Answer<'a, T> {
        let mut tables = self.tables();
        let answer = if self.closed.load(Ordering::Acquire) {
            Err(StoreError::Closed)
        } else {
            work(&mut tables, self.shared.clock.now())
        };
        Box::pin(ready(answer))
    }

    fn tables(&self) -> MutexGuard<'_, Tables> {
        // Each change is put in place as a whole, so a panic elsewhere leaves nothing half done.
        self.shared.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for Memory {
    fn now(&self) -> Timestamp {
        self.shared.clock.now()
    }

    fn claim(&self, claim: NewExecution) -> Answer<'_, Claimed> {
        self.answer(|tables, at| tables.claim(claim, at))
    }

    fn record(&self, change: Change) -> Answer<'_, Recorded> {
        self.answer(|tables, at| tables.record(&change, at))
    }

    fn epoch(&self) -> Answer<'_, u64> {
        self.answer(|tables, _| Ok(tables.epoch))
    }

    fn heartbeat(&self, instance: InstanceId, lease: Duration) -> Answer<'_, Vec<Seen>> {
        self.answer(|tables, at| Ok(tables.heartbeat(instance, lease, at)))
    }

    fn get(&self, which: Which) -> Answer<'_, Option<Arc<Execution>>> {
        self.answer(|tables, _| Ok(tables.execution_of(&which)))
    }

    fn list(&self, filter: Filter) -> Answer<'_, Page> {
        self.answer(|tables, _| Ok(tables.list(&filter)))
    }

    fn history(&self, row: RowId) -> Answer<'_, Vec<StateEntry>> {
        self.answer(|tables, _| {
            Ok(tables.rows.get(&row).map(|row| row.entries.clone()).unwrap_or_default())
        })
    }

    fn find(&self, wanted: KeyField) -> Answer<'_, Vec<Arc<Execution>>> {
        self.answer(|tables, _| Ok(tables.find(&wanted)))
    }

    fn due(&self, wanted: DueQuery) -> Answer<'_, DuePage> {
        self.answer(|tables, at| Ok(tables.due(&wanted, at)))
    }

    fn prune(&self, author: Author, limit: usize) -> Answer<'_, usize> {
        self.answer(|tables, at| tables.prune(&author, limit, at))
    }

    fn close(&self) -> Answer<'_, ()> {
        self.closed.store(true, Ordering::Release);
        Box::pin(ready(Ok(())))
    }
}

#[derive(Debug)]
struct Shared {
    clock: Arc<dyn Clock>,
    tables: Mutex<Tables>,
}

#[derive(Debug, Default)]
struct Tables {
    rows: BTreeMap<RowId, Row>,
    rows_by_identity: HashMap<Identity, RowId>,
    leases: BTreeMap<InstanceId, Lease>,
    dead: HashSet<InstanceId>,
    /// Raised by operators' verbs.
    epoch: u64,
}

#[derive(Debug)]
struct Row {
    execution: Arc<Execution>,
    entries: Vec<StateEntry>,
}

#[derive(Debug)]
struct Lease {
    until: Timestamp,
    renewals: u64,
}

impl Tables {
    fn claim(&mut self, claim: NewExecution, at: Timestamp) -> Result<Claimed, StoreError> {
        let NewExecution { identity, request, event, author, durability: _ } = claim;
        if let Some(execution) = self.execution_of(&Which::Identity(identity.clone())) {
            return Ok(Claimed::Existing(execution));
        }
        let last = self.rows.last_key_value().map_or(0, |(row, _)| row.0);
        let row = RowId(last + 1);
        let execution = Execution::begin(row, identity.clone(), request, &event, at)?;
        let entry = StateEntry::of(None, &execution, &event, &author);
        let execution = Arc::new(execution);
        self.rows_by_identity.insert(identity, row);
        self.rows.insert(row, Row { execution: Arc::clone(&execution), entries: vec![entry] });
        Ok(Claimed::Granted(execution))
    }

    fn record(&mut self, change: &Change, at: Timestamp) -> Result<Recorded, StoreError> {
        let Change { before, event, request, author, durability: _ } = change;
        let Some(row) = self.rows.get_mut(&before.row) else {
            return Ok(Recorded::Gone);
        };
        let (stands, seen) = (&row.execution.state, &before.state);
        if (stands.entries, stands.token) != (seen.entries, seen.token) {
            return Ok(Recorded::Lost(Arc::clone(&row.execution)));
        }
        // A wall clock that jumps back leaves the entries in order.
        let at = at.max(row.execution.changed);
        let after = row.execution.apply(event, request.as_ref(), at)?;
        row.put(after, event, author);
        self.epoch += u64::from(event.is_verb());
        Ok(Recorded::Done(Arc::clone(&row.execution)))
    }

    fn heartbeat(&mut self, instance: InstanceId, lease: Duration, at: Timestamp) -> Vec<Seen> {
        let renewed = self.leases.entry(instance).or_insert(Lease { until: at, renewals: 0 });
        renewed.until = at.plus(lease);
        renewed.renewals += 1;
        self.leases
            .iter()
            .map(|(&instance, lease)| {
                let dead = self.dead.contains(&instance);
                Seen::new(instance, lease.renewals, lease.until <= at, dead)
            })
            .collect()
    }

    fn execution_of(&self, which: &Which) -> Option<Arc<Execution>> {
        match which {
            Which::Identity(identity) => {
                let row = self.rows_by_identity.get(identity)?;
                self.rows.get(row).map(|row| Arc::clone(&row.execution))
            }
            Which::Key { scope, key } => self
                .newest_first()
                .find(|execution| {
                    execution.identity.scope == *scope && execution.identity.key == *key
                })
                .map(Arc::clone),
        }
    }

    fn newest_first(&self) -> impl Iterator<Item = &Arc<Execution>> {
        self.rows.values().rev().map(|row| &row.execution)
    }

    fn list(&self, filter: &Filter) -> Page {
        let limit = if filter.limit == 0 { Filter::LIMIT } else { filter.limit };
        let mut fitting = self.newest_first().filter(|execution| {
            let identity = &execution.identity;
            filter.before.is_none_or(|before| execution.row < before)
                && filter.scope.as_ref().is_none_or(|scope| identity.scope == *scope)
                && filter.action.as_ref().is_none_or(|action| identity.action == *action)
                && (filter.status.is_empty() || filter.status.contains(&execution.state.status))
        });
        let executions: Vec<_> = fitting.by_ref().take(limit).map(Arc::clone).collect();
        let more = fitting.next().is_some();
        let next = executions.last().filter(|_| more).map(|execution| execution.row);
        Page::new(executions, next)
    }

    fn find(&self, wanted: &KeyField) -> Vec<Arc<Execution>> {
        let of_that_field = |execution: &&Arc<Execution>| {
            execution.identity.scope == wanted.scope
                && execution.identity.action == wanted.action
                && execution
                    .request
                    .fields
                    .iter()
                    .any(|(field, node)| *field == *wanted.field && node == wanted.node)
        };
        self.newest_first().filter(of_that_field).take(wanted.limit).map(Arc::clone).collect()
    }

    fn due(&self, wanted: &DueQuery, at: Timestamp) -> DuePage {
        let listed = || {
            let rows = self.rows.values().map(|row| &row.execution);
            rows.filter(|execution| wanted.actions.contains(&execution.identity.action))
        };
        let executions: Vec<_> = listed()
            .filter(|execution| wanted.after.is_none_or(|after| execution.row > after))
            .filter(|execution| match execution.state.status {
                Status::Waiting => execution.state.is_due(at),
                Status::Running => {
                    execution.state.instance.is_some_and(|one| wanted.instances.contains(&one))
                }
                Status::Succeeded
                | Status::Failed
                | Status::Parked
                | Status::InDoubt
                | Status::Expired => false,
            })
            .take(wanted.limit)
            .map(Arc::clone)
            .collect();
        let full = executions.len() >= wanted.limit;
        let later = listed().filter_map(|execution| execution.state.due).filter(|due| *due > at);
        let next_due = if full { None } else { later.min() };
        DuePage::new(executions, next_due)
    }

    fn prune(&mut self, author: &Author, limit: usize, at: Timestamp) -> Result<usize, StoreError> {
        let over = |row: &&mut Row| {
            row.execution.state.keep_until.is_some_and(|keep_until| keep_until <= at)
        };
        let mut pruned = 0;
        for row in self.rows.values_mut().filter(over).take(limit) {
            let event = match row.execution.state.status {
                Status::Succeeded => Event::Expired,
                _ => Event::Pruned,
            };
            let after = row.execution.apply(&event, None, at)?;
            row.put(after, &event, author);
            pruned += 1;
        }
        Ok(pruned)
    }
}

impl Row {
    fn put(&mut self, after: Execution, event: &Event, author: &Author) {
        self.entries.push(StateEntry::of(Some(&self.execution), &after, event, author));
        self.execution = Arc::new(after);
    }
}
