//! A store that fails when a test tells it to: before the work, or after it with its answer lost.

use std::any::Any;
use std::collections::HashMap;
use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::Gate;
use crate::audit::{Author, StateEntry};
use crate::clock::Timestamp;
use crate::record::{Execution, InstanceId, RowId};
use crate::store::{
    Answer, Borrows, Change, Claimed, DuePage, DueQuery, Filter, KeyField, NewExecution, Page,
    Recorded, Seen, Store, StoreError, Transaction, Which,
};

/// A method of a store, or the commit of a transaction that it gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[expect(missing_docs, reason = "they are the methods of the trait")]
pub enum Method {
    Claim,
    Record,
    Heartbeat,
    Get,
    List,
    History,
    Find,
    Due,
    Prune,
    Begin,
    ClaimWithin,
    /// [`Transaction::commit`].
    Commit,
}

/// What happens to a call.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum StoreFault {
    /// It fails; the store behind is not asked.
    Before(StoreError),
    /// The store behind does it, and the answer is lost.
    After(StoreError),
    /// It waits at the gate, then the store behind is asked.
    HeldBefore(Gate),
    /// The store behind does it, and the answer waits at the gate.
    HeldAfter(Gate),
}

/// Another store, with faults. Clones share them.
#[derive(Debug, Clone)]
pub struct FaultyStore {
    store: Arc<dyn Store>,
    plan: Arc<Mutex<Plan>>,
}

impl FaultyStore {
    /// That store, without faults so far.
    #[must_use]
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store, plan: Arc::default() }
    }

    /// The `nth` call of that method from now on meets this fault; 1 is the next.
    pub fn fail(&self, method: Method, nth: u64, fault: StoreFault) {
        let mut plan = self.plan();
        let at = plan.calls.get(&method).copied().unwrap_or(0) + nth.max(1);
        plan.planned.push(Planned { method, at, fault });
    }

    /// From now on every call that has no fault of its own meets this one; none: they work again.
    pub fn always(&self, fault: Option<StoreFault>) {
        self.plan().always = fault;
    }

    /// The same for one method.
    pub fn always_of(&self, method: Method, fault: Option<StoreFault>) {
        let mut plan = self.plan();
        match fault {
            Some(fault) => plan.always_of.insert(method, fault),
            None => plan.always_of.remove(&method),
        };
    }

    /// How often that method was called.
    #[must_use]
    pub fn calls(&self, method: Method) -> u64 {
        self.plan().calls.get(&method).copied().unwrap_or(0)
    }

    /// Whether a fault that [`fail`](Self::fail) planned is still to come.
    #[must_use]
    pub fn has_more(&self) -> bool {
        !self.plan().planned.is_empty()
    }

    fn plan(&self) -> MutexGuard<'_, Plan> {
        // A plan is changed in one step, so a panic of its holder leaves it whole.
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn call<'a, T: Send + 'a>(
        &self,
        method: Method,
        ask: impl FnOnce() -> Answer<'a, T> + Send + 'a,
    ) -> Answer<'a, T> {
        let fault = self.plan().call(method);
        match fault {
            None => ask(),
            Some(StoreFault::Before(error)) => Box::pin(ready(Err(error))),
            Some(StoreFault::After(error)) => {
                let answer = ask();
                Box::pin(async move {
                    drop(answer.await);
                    Err(error)
                })
            }
            Some(StoreFault::HeldBefore(gate)) => Box::pin(async move {
                gate.pass().await;
                ask().await
            }),
            Some(StoreFault::HeldAfter(gate)) => {
                let answer = ask();
                Box::pin(async move {
                    let answer = answer.await;
                    gate.pass().await;
                    answer
                })
            }
        }
    }
}

impl Store for FaultyStore {
    fn claim(&self, claim: NewExecution) -> Answer<'_, Claimed> {
        self.call(Method::Claim, || self.store.claim(claim))
    }

    fn record(&self, change: Change) -> Answer<'_, Recorded> {
        self.call(Method::Record, || self.store.record(change))
    }

    fn heartbeat(&self, instance: InstanceId, lease: Duration) -> Answer<'_, Vec<Seen>> {
        self.call(Method::Heartbeat, move || self.store.heartbeat(instance, lease))
    }

    fn get(&self, which: Which) -> Answer<'_, Option<Arc<Execution>>> {
        self.call(Method::Get, || self.store.get(which))
    }

    fn list(&self, filter: Filter) -> Answer<'_, Page> {
        self.call(Method::List, || self.store.list(filter))
    }

    fn history(&self, row: RowId) -> Answer<'_, Vec<StateEntry>> {
        self.call(Method::History, move || self.store.history(row))
    }

    fn find(&self, wanted: KeyField) -> Answer<'_, Vec<Arc<Execution>>> {
        self.call(Method::Find, || self.store.find(wanted))
    }

    fn due(&self, wanted: DueQuery) -> Answer<'_, DuePage> {
        self.call(Method::Due, || self.store.due(wanted))
    }

    fn prune(&self, author: Author, limit: usize) -> Answer<'_, usize> {
        self.call(Method::Prune, move || self.store.prune(author, limit))
    }

    fn begin(&self) -> Answer<'_, Box<dyn Transaction>> {
        self.call(Method::Begin, move || {
            let begun = self.store.begin();
            Box::pin(async move {
                let transaction: Box<dyn Transaction> =
                    Box::new(FaultyTransaction { inner: begun.await?, store: self.clone() });
                Ok(transaction)
            })
        })
    }

    fn claim_within<'a>(
        &'a self,
        connection: &'a mut (dyn Any + Send),
        claim: NewExecution,
    ) -> Answer<'a, Claimed> {
        self.call(Method::ClaimWithin, || self.store.claim_within(connection, claim))
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

struct FaultyTransaction {
    inner: Box<dyn Transaction>,
    store: FaultyStore,
}

impl Transaction for FaultyTransaction {
    fn connection(&mut self) -> &mut (dyn Any + Send) {
        self.inner.connection()
    }

    fn commit(self: Box<Self>, change: Change) -> Answer<'static, Recorded> {
        let Self { inner, store } = *self;
        store.call(Method::Commit, || inner.commit(change))
    }

    fn rollback(self: Box<Self>) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        self.inner.rollback()
    }
}

#[derive(Debug, Default)]
struct Plan {
    calls: HashMap<Method, u64>,
    planned: Vec<Planned>,
    always: Option<StoreFault>,
    always_of: HashMap<Method, StoreFault>,
}

#[derive(Debug)]
struct Planned {
    method: Method,
    at: u64,
    fault: StoreFault,
}

impl Plan {
    fn call(&mut self, method: Method) -> Option<StoreFault> {
        let calls = self.calls.entry(method).or_default();
        *calls += 1;
        let planned = self
            .planned
            .iter()
            .position(|planned| planned.method == method && planned.at == *calls);
        match planned {
            Some(at) => Some(self.planned.swap_remove(at).fault),
            None => self.always_of.get(&method).or(self.always.as_ref()).cloned(),
        }
    }
}
