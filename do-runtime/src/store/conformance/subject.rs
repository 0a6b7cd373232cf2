//! The store under test in a case's hands: short words for what every case does.

use std::collections::BTreeSet;
use std::sync::{Arc, Barrier};
use std::time::Duration;

use super::{Boxed, Harness};
use crate::audit::{Author, StateEntry};
use crate::failure::{FailureClass, FailureRecord};
use crate::key::{Fingerprint, FingerprintPart, Key, KeyFields};
use crate::policy::Class;
use crate::record::{
    Claim, Due, Event, Execution, Identity, InstanceId, Request, RowId, Token, Value,
};
use crate::store::{
    Change, Claimed, DuePage, DueQuery, NewExecution, Recorded, Store, StoreError, Which,
};

pub(super) const SCOPE: &str = "acme";
pub(super) const ACTION: &str = "send-mail";
pub(super) const HOUR: Duration = Duration::from_secs(3600);
pub(super) const MINUTE: Duration = Duration::from_secs(60);

/// An opened store and its harness.
pub(super) struct Subject<'a> {
    pub(super) harness: &'a dyn Harness,
    pub(super) store: Arc<dyn Store>,
}

impl<'a> Subject<'a> {
    pub(super) async fn open(harness: &'a dyn Harness) -> Self {
        let store = harness.open().await.expect("the store opens");
        Self { harness, store }
    }

    /// The same data, opened again after this handle was closed.
    pub(super) async fn reopened(self) -> Self {
        self.store.close().await.expect("the store closes");
        Self::open(self.harness).await
    }

    pub(super) async fn claim(&self, claim: NewExecution) -> Claimed {
        self.store.claim(claim).await.expect("the claim is answered")
    }

    /// A new execution that the claim must be granted.
    pub(super) async fn granted(&self, claim: NewExecution) -> Arc<Execution> {
        match self.claim(claim).await {
            Claimed::Granted(execution) => execution,
            Claimed::Existing(execution) => panic!("not granted: {execution:?} is there"),
        }
    }

    /// A new running execution of that name.
    pub(super) async fn running(&self, name: &str) -> Arc<Execution> {
        self.granted(claim(name, claimed(1))).await
    }

    /// A new execution that has met these events.
    pub(super) async fn after(&self, name: &str, events: &[Event]) -> Arc<Execution> {
        let (first, rest) = events.split_first().expect("at least the first event");
        let mut execution = self.granted(claim(name, first.clone())).await;
        for event in rest {
            execution = self.record(&execution, event.clone()).await;
        }
        execution
    }

    /// The execution after an event that must be recorded.
    pub(super) async fn record(&self, before: &Arc<Execution>, event: Event) -> Arc<Execution> {
        self.change(change(before, event)).await
    }

    pub(super) async fn change(&self, change: Change) -> Arc<Execution> {
        match self.store.record(change).await.expect("the change is answered") {
            Recorded::Done(execution) => execution,
            other => panic!("not recorded: {other:?}"),
        }
    }

    /// What stood in the way of an event that must not be recorded.
    pub(super) async fn lost(&self, before: &Arc<Execution>, event: Event) -> Arc<Execution> {
        match self.store.record(change(before, event)).await.expect("the change is answered") {
            Recorded::Lost(execution) => execution,
            other => panic!("expected a lost change: {other:?}"),
        }
    }

    pub(super) async fn find_identity(&self, identity: &Identity) -> Option<Arc<Execution>> {
        let which = Which::Identity(identity.clone());
        self.store.get(which).await.expect("the store answers")
    }

    pub(super) async fn history(&self, row: RowId) -> Vec<StateEntry> {
        self.store.history(row).await.expect("the history is read")
    }

    pub(super) async fn due(&self, query: DueQuery) -> DuePage {
        self.store.due(query).await.expect("the due are read")
    }

    pub(super) async fn prune(&self) -> usize {
        self.store.prune(author().because("their time is over"), 1000).await.expect("it prunes")
    }

    /// The store holds exactly this execution, and a history without a hole that leads to it.
    pub(super) async fn holds(&self, execution: &Execution) {
        let stored = self.find_identity(&execution.identity).await.expect("it is there");
        assert_eq!(*stored, *execution);
        let entries = self.history(execution.row).await;
        check_history(execution, &entries);
    }
}

/// Entries 1..n without a hole, each beginning where the one before ended.
pub(super) fn check_history(execution: &Execution, entries: &[StateEntry]) {
    let numbers: Vec<u64> = entries.iter().map(|entry| entry.n).collect();
    let expected: Vec<u64> = (1..=execution.state.entries).collect();
    assert_eq!(numbers, expected, "entries of {:?}", execution.identity);
    let mut before = None;
    for entry in entries {
        assert_eq!(entry.before, before, "entry {} of {:?}", entry.n, execution.identity);
        before = Some(entry.after);
    }
    assert_eq!(before, Some(execution.state.status), "the last entry's state");
}

/// The identity of a call with that one key field.
pub(super) fn identity(name: &str) -> Identity {
    let key = Key::derived(SCOPE, ACTION, 1, &fields(name));
    Identity::new(SCOPE, ACTION, key)
}

pub(super) fn fields(name: &str) -> KeyFields {
    let mut builder = KeyFields::builder();
    builder.field("user", name).field("kind", "welcome");
    builder.finish().expect("a key of two fields")
}

pub(super) fn request(name: &str) -> Request {
    request_with(name, "hello")
}

/// A request under the same key whose other parameter is this text.
pub(super) fn request_with(name: &str, text: &str) -> Request {
    let part = FingerprintPart::of_key_part("text", text).expect("a text can be hashed");
    let params = format!(r#"{{"user":"{name}","kind":"welcome","text":"{text}"}}"#);
    let fingerprint = Fingerprint::new([7; 16], &[part]);
    Request::new(1, fields(name), fingerprint, Some(params.into_bytes().into()))
}

pub(super) fn claim(name: &str, event: Event) -> NewExecution {
    NewExecution::new(identity(name), request(name), event, author())
}

pub(super) fn change(before: &Arc<Execution>, event: Event) -> Change {
    Change::new(Arc::clone(before), event, author())
}

pub(super) fn author() -> Author {
    Author::new("conformance", instance(1)).version("suite 1.0")
}

pub(super) const fn instance(number: u8) -> InstanceId {
    InstanceId::from_bytes([number; 16])
}

/// A claim by instance 1 with that token.
pub(super) const fn claimed(token: u8) -> Event {
    claimed_by(token, 1)
}

pub(super) const fn claimed_by(token: u8, by: u8) -> Event {
    let token = Token::from_bytes([token; 16]);
    Event::Claimed(Claim::new(token, instance(by), Class::Repeatable))
}

pub(super) const fn submitted(gap: Duration) -> Event {
    Event::Submitted { class: Class::Repeatable, due: Due::After(gap) }
}

pub(super) fn value(json: &str) -> Value {
    Value::Json(json.as_bytes().into())
}

pub(super) fn succeeded(json: &str, keep: Option<Duration>) -> Event {
    Event::Succeeded { value: value(json), found: false, keep }
}

pub(super) fn failure(text: &str) -> FailureRecord {
    FailureRecord::new(text).of_class(FailureClass::Permanent).with_code("no_such_user")
}

pub(super) fn failed(keep: Duration) -> Event {
    Event::Failed { failure: failure("no such user"), keep }
}

pub(super) const fn retry_later(unknown: bool, gap: Duration) -> Event {
    Event::RetryLater { failure: None, unknown, gap }
}

pub(super) fn doubted() -> Event {
    Event::Doubted { failure: failure("timed out"), permanent: false, ran: true }
}

pub(super) fn parked() -> Event {
    Event::Parked { failure: failure("bad credential"), ran: true }
}

/// Waiting and due, or running on one of these instances, of the suite's action.
pub(super) fn due_on(instances: &[u8]) -> DueQuery {
    let instances = instances.iter().map(|number| instance(*number)).collect();
    DueQuery::new(Arc::new([ACTION.into()]), instances, None, 100)
}

/// Names of the rows among these executions.
pub(super) fn rows(executions: &[Arc<Execution>]) -> Vec<RowId> {
    executions.iter().map(|execution| execution.row).collect()
}

/// Whether all of these are one.
pub(super) fn all_equal<T: Ord>(all: impl IntoIterator<Item = T>) -> bool {
    all.into_iter().collect::<BTreeSet<_>>().len() <= 1
}

/// The refusal that a call must have met.
pub(super) fn refused<T: std::fmt::Debug>(answer: Result<T, StoreError>) -> StoreError {
    answer.expect_err("a refusal")
}

/// Each work on a thread of its own, all begun together; their answers in the order of their
/// ends.
pub(super) async fn at_once<T: Send + 'static>(works: Vec<Boxed<'static, T>>) -> Vec<T> {
    let runtime = tokio::runtime::Handle::current();
    let start = Arc::new(Barrier::new(works.len()));
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let count = works.len();
    for work in works {
        let (runtime, start, sender) = (runtime.clone(), Arc::clone(&start), sender.clone());
        std::thread::spawn(move || {
            start.wait();
            // The receiver is gone only when the case has failed already.
            sender.send(runtime.block_on(work)).ok();
        });
    }
    drop(sender);
    let mut answers = Vec::with_capacity(count);
    while let Some(answer) = receiver.recv().await {
        answers.push(answer);
    }
    assert_eq!(answers.len(), count, "every thread answers");
    answers
}
