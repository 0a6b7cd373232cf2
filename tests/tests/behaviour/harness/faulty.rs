//! A store that fails when told to.

use std::any::Any;
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use do_runtime::audit::{Author, StateEntry};
use do_runtime::clock::Timestamp;
use do_runtime::record::{Execution, InstanceId, RowId};
use do_runtime::store::{
    Answer, Borrows, Change, Claimed, DuePage, DueQuery, Filter, KeyField, NewExecution, Page,
    Recorded, Seen, Store, StoreError, Transaction, Which,
};
use tokio::sync::watch;

use super::Dice;

/// A method of the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Point {
    Claim,
    Record,
    Heartbeat,
    Get,
    Begin,
    Commit,
}

/// What goes wrong there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It does nothing and says so.
    Down,
    /// It does nothing and nobody learns that.
    LostBefore,
    /// It does all of it and nobody learns that.
    LostAfter,
    /// It never answers, and does nothing.
    Silent,
}

/// Which calls of a method go wrong.
#[derive(Debug, Clone, Copy)]
struct Plan {
    skip: usize,
    fault: Fault,
    times: usize,
}

/// A store with faults; clones are one store.
#[derive(Debug, Clone)]
pub(crate) struct Faulty {
    store: Arc<dyn Store>,
    plans: Arc<Mutex<HashMap<Point, Plan>>>,
    chaos: Arc<Mutex<Option<(Dice, u64)>>>,
    hits: watch::Sender<usize>,
}

impl Faulty {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self { store, plans: Arc::default(), chaos: Arc::default(), hits: watch::Sender::new(0) }
    }

    /// The next so many calls of that method go wrong.
    pub(crate) fn fail(&self, point: Point, fault: Fault, times: usize) {
        self.fail_after(point, 0, fault, times);
    }

    /// The same, once so many calls went well.
    pub(crate) fn fail_after(&self, point: Point, skip: usize, fault: Fault, times: usize) {
        self.plans.lock().unwrap().insert(point, Plan { skip, fault, times });
    }

    /// All calls of that method go wrong from now on.
    pub(crate) fn break_down(&self, point: Point, fault: Fault) {
        self.fail(point, fault, usize::MAX);
    }

    /// From now on that many of a hundred calls go wrong, by chance; with none, all is well again.
    pub(crate) fn chaos(&self, seed: u64, percent: u64) {
        *self.chaos.lock().unwrap() = Some((Dice(seed), percent));
    }

    /// That method works again.
    pub(crate) fn repair(&self, point: Point) {
        self.plans.lock().unwrap().remove(&point);
    }

    /// Ends when so many calls went wrong.
    pub(crate) async fn until_hits(&self, count: usize) {
        self.hits.subscribe().wait_for(|hits| *hits >= count).await.unwrap();
    }

    fn fault(&self, point: Point) -> Option<Fault> {
        self.fault_by_chance(point).or_else(|| self.planned_fault(point))
    }

    fn fault_by_chance(&self, point: Point) -> Option<Fault> {
        let mut chaos = self.chaos.lock().unwrap();
        let (dice, percent) = chaos.as_mut()?;
        if dice.throw(100) >= *percent {
            return None;
        }
        match (point, dice.throw(3)) {
            (Point::Get | Point::Heartbeat | Point::Begin, _) | (_, 0) => Some(Fault::Down),
            (_, 1) => Some(Fault::LostBefore),
            _ => Some(Fault::LostAfter),
        }
    }

    fn planned_fault(&self, point: Point) -> Option<Fault> {
        let mut plans = self.plans.lock().unwrap();
        let plan = plans.get_mut(&point)?;
        if plan.skip > 0 {
            plan.skip -= 1;
            return None;
        }
        plan.times = plan.times.checked_sub(1)?;
        let fault = plan.fault;
        drop(plans);
        self.hits.send_modify(|hits| *hits += 1);
        Some(fault)
    }

    fn at<'a, T: Send + 'a>(&'a self, point: Point, answer: Answer<'a, T>) -> Answer<'a, T> {
        let fault = self.fault(point);
        Box::pin(async move {
            let lost = StoreError::Unknown("scripted".to_owned());
            match fault {
                None => answer.await,
                Some(Fault::Down) => Err(StoreError::Busy("scripted".to_owned())),
                Some(Fault::LostBefore) => Err(lost),
                Some(Fault::LostAfter) => {
                    drop(answer.await);
                    Err(lost)
                }
                Some(Fault::Silent) => std::future::pending().await,
            }
        })
    }

    /// The memory store does its work when it is called, so it is called only when it may.
    fn lazily<'a, T: Send + 'a>(
        &'a self,
        point: Point,
        call: impl FnOnce(&'a dyn Store) -> Answer<'a, T> + Send + 'a,
    ) -> Answer<'a, T> {
        self.at(point, Box::pin(async move { call(&*self.store).await }))
    }
}

impl Store for Faulty {
    fn claim(&self, claim: NewExecution) -> Answer<'_, Claimed> {
        self.lazily(Point::Claim, |store| store.claim(claim))
    }

    fn record(&self, change: Change) -> Answer<'_, Recorded> {
        self.lazily(Point::Record, |store| store.record(change))
    }

    fn heartbeat(&self, instance: InstanceId, lease: Duration) -> Answer<'_, Vec<Seen>> {
        self.lazily(Point::Heartbeat, move |store| store.heartbeat(instance, lease))
    }

    fn get(&self, which: Which) -> Answer<'_, Option<Arc<Execution>>> {
        self.lazily(Point::Get, |store| store.get(which))
    }

    fn list(&self, filter: Filter) -> Answer<'_, Page> {
        self.store.list(filter)
    }

    fn history(&self, row: RowId) -> Answer<'_, Vec<StateEntry>> {
        self.store.history(row)
    }

    fn find(&self, wanted: KeyField) -> Answer<'_, Vec<Arc<Execution>>> {
        self.store.find(wanted)
    }

    fn due(&self, wanted: DueQuery) -> Answer<'_, DuePage> {
        self.store.due(wanted)
    }

    fn prune(&self, author: Author, limit: usize) -> Answer<'_, usize> {
        self.store.prune(author, limit)
    }

    fn begin(&self) -> Answer<'_, Box<dyn Transaction>> {
        let faulty = self.clone();
        self.lazily(Point::Begin, |store| {
            Box::pin(async move {
                let inner = store.begin().await?;
                Ok(Box::new(FaultyTransaction { inner, faulty }) as Box<dyn Transaction>)
            })
        })
    }

    fn claim_within<'a>(
        &'a self,
        connection: &'a mut (dyn Any + Send),
        claim: NewExecution,
    ) -> Answer<'a, Claimed> {
        self.store.claim_within(connection, claim)
    }

    fn borrows(&self) -> Option<Borrows> {
        self.store.borrows()
    }

    fn now(&self) -> Timestamp {
        self.store.now()
    }

    fn epoch(&self) -> Answer<'_, u64> {
        self.store.epoch()
    }

    fn close(&self) -> Answer<'_, ()> {
        self.store.close()
    }
}

/// A body's transaction whose commit may go wrong.
struct FaultyTransaction {
    inner: Box<dyn Transaction>,
    faulty: Faulty,
}

impl Transaction for FaultyTransaction {
    fn connection(&mut self) -> &mut (dyn Any + Send) {
        self.inner.connection()
    }

    fn commit(self: Box<Self>, change: Change) -> Answer<'static, Recorded> {
        let Self { inner, faulty } = *self;
        let lost = StoreError::Unknown("scripted".to_owned());
        match faulty.fault(Point::Commit) {
            None => inner.commit(change),
            Some(Fault::LostAfter) => Box::pin(async move {
                drop(inner.commit(change).await);
                Err(lost)
            }),
            Some(fault) => Box::pin(async move {
                inner.rollback().await;
                Err(if fault == Fault::Down { StoreError::Busy("scripted".into()) } else { lost })
            }),
        }
    }

    fn rollback(self: Box<Self>) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        self.inner.rollback()
    }
}
