//! Changes: each event through the store is what the pure function makes of it.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::subject::{
    HOUR, MINUTE, Subject, at_once, author, change, claim, claimed, claimed_by, doubted, failed,
    failure, parked, refused, request_with, retry_later, submitted, succeeded, value,
};
use super::{Boxed, Harness};
use crate::audit::StateEntry;
use crate::policy::Class;
use crate::record::{Claim, Event, Execution, Resolved, RowId, Status, Token};
use crate::store::{Change, Recorded, StoreError};

/// How many kinds of event there are.
const KINDS: usize = 17;

/// For each event a way to a state that allows it, and the event last.
pub(super) fn ways() -> Vec<Vec<Event>> {
    let check = |token: u8| {
        let token = Token::from_bytes([token; 16]);
        Event::Claimed(Claim::new(token, super::subject::instance(1), Class::Check))
    };
    let resolved = |resolved| vec![claimed(1), doubted(), Event::Resolved(resolved)];
    let failed_by_hand = Resolved::Failed { failure: failure("it bounced"), keep: HOUR };
    let done_by_hand = Resolved::Succeeded { value: value("7"), keep: Some(HOUR) };
    let died = Event::Died { known: false };
    vec![
        vec![submitted(HOUR)],
        vec![claimed(1)],
        vec![submitted(HOUR), claimed(1)],
        vec![claimed(1), failed(HOUR), submitted(MINUTE)],
        vec![claimed(1), parked(), claimed(2)],
        vec![claimed(1), doubted(), claimed(2)],
        vec![check(1), retry_later(true, MINUTE), check(2), Event::NotThere],
        vec![claimed(1), succeeded("{\"id\":1}", Some(HOUR))],
        vec![check(1), Event::Succeeded { value: value("1"), found: true, keep: None }],
        vec![claimed(1), died.clone(), succeeded("\"late\"", None)],
        vec![claimed(1), failed(HOUR)],
        vec![claimed(1), retry_later(false, MINUTE)],
        vec![claimed(1), retry_later(true, HOUR)],
        vec![check(1), Event::AskLater { failure: Some(failure("down")), gap: MINUTE }],
        vec![claimed(1), Event::Released],
        vec![claimed(1), parked()],
        vec![claimed(1), doubted()],
        vec![claimed(1), died.clone(), Event::LateFailure { failure: failure("late") }],
        vec![claimed(1), died],
        vec![claimed(1), Event::Died { known: true }],
        resolved(done_by_hand),
        resolved(failed_by_hand),
        resolved(Resolved::NotDone),
        vec![claimed(1), parked(), Event::Retried],
        vec![claimed(1), succeeded("1", None), Event::Expired],
        vec![claimed(1), failed(HOUR), Event::Pruned],
        vec![claimed(1), failed(HOUR), Event::Forgotten],
        vec![claimed(1), succeeded("1", None), Event::Forgotten],
    ]
}

/// The number of an event's kind; a new kind breaks the build here, and lacks its way.
const fn kind(event: &Event) -> usize {
    match event {
        Event::Submitted { .. } => 0,
        Event::Claimed(_) => 1,
        Event::NotThere => 2,
        Event::Succeeded { .. } => 3,
        Event::Failed { .. } => 4,
        Event::RetryLater { .. } => 5,
        Event::AskLater { .. } => 6,
        Event::Released => 7,
        Event::Parked { .. } => 8,
        Event::Doubted { .. } => 9,
        Event::LateFailure { .. } => 10,
        Event::Died { .. } => 11,
        Event::Resolved(_) => 12,
        Event::Retried => 13,
        Event::Expired => 14,
        Event::Pruned => 15,
        Event::Forgotten => 16,
    }
}

pub(super) async fn each_event_is_recorded_with_its_entry(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let kinds: BTreeSet<usize> = ways().iter().filter_map(|way| way.last()).map(kind).collect();
    assert!(kinds.into_iter().eq(0..KINDS), "a way to each kind of event");
    for (number, way) in ways().into_iter().enumerate() {
        let (last, first) = way.split_last().expect("at least one event");
        let name = format!("user {number}");
        if first.is_empty() {
            subject.holds(&*subject.after(&name, &way).await).await;
            continue;
        }
        let before = subject.after(&name, first).await;
        harness.advance(MINUTE);
        let author = author().because("so it happened");
        let changed = Change::new(Arc::clone(&before), last.clone(), author.clone());
        let after = subject.change(changed).await;
        let expected = before.apply(last, None, after.changed).expect("an allowed event");
        assert_eq!(*after, expected, "{}", last.word());
        assert!(after.changed > before.changed, "the store's clock moved on");
        subject.holds(&after).await;
        let history = subject.history(after.row).await;
        let entry = StateEntry::of(Some(&before), &after, last, &author);
        assert_eq!(history.last(), Some(&entry));
    }
}

pub(super) async fn what_is_not_allowed_writes_nothing(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let done = subject.after("ada", &[claimed(1), succeeded("1", None)]).await;
    let waiting = subject.after("bob", &[submitted(HOUR)]).await;
    for (before, event) in [
        (&done, claimed(2)),
        (&done, Event::Pruned),
        (&done, Event::Retried),
        (&done, succeeded("2", None)),
        (&done, Event::Resolved(Resolved::NotDone)),
        (&waiting, succeeded("2", None)),
        (&waiting, doubted()),
        (&waiting, Event::Died { known: true }),
    ] {
        let error = refused(subject.store.record(change(before, event.clone())).await);
        let StoreError::NotAllowed(refused) = error else { panic!("not refused: {error}") };
        assert_eq!((refused.status, refused.event), (Some(before.state.status), event.word()));
        subject.holds(before).await;
    }
}

pub(super) async fn an_unknown_row_is_gone(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let running = subject.running("ada").await;
    for row in [running.row.0 + 1, 0, -1, i64::MAX] {
        let mut unknown = Execution::clone(&running);
        unknown.row = RowId(row);
        let answer = subject.store.record(change(&Arc::new(unknown), doubted())).await;
        assert!(matches!(answer, Ok(Recorded::Gone)), "{answer:?}");
    }
    subject.holds(&running).await;
}

pub(super) async fn a_new_round_may_bring_another_request(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let failed = subject.after("ada", &[claimed(1), failed(HOUR)]).await;
    let other = request_with("ada", "another text");
    let claim = change(&failed, claimed(2)).request(other.clone());
    let running = subject.change(claim).await;
    assert_eq!(running.request, other);
    assert_eq!(running.state.round, 2);
    subject.holds(&running).await;
    let other_requests: Vec<bool> =
        subject.history(running.row).await.iter().map(|entry| entry.other_request).collect();
    assert_eq!(other_requests, [false, false, true]);
}

pub(super) async fn of_16_ends_one_is_recorded(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let running = subject.running("ada").await;
    let works = (0..16)
        .map(|number| -> Boxed<'static, Recorded> {
            let store = Arc::clone(&subject.store);
            let change = change(&running, succeeded(&number.to_string(), None));
            Box::pin(async move { store.record(change).await.expect("each is answered") })
        })
        .collect();
    let (mut done, mut lost) = (Vec::new(), Vec::new());
    for answer in at_once(works).await {
        match answer {
            Recorded::Done(execution) => done.push(execution),
            Recorded::Lost(execution) => lost.push(execution),
            Recorded::Gone => panic!("the row is there"),
        }
    }
    assert_eq!((done.len(), lost.len()), (1, 15));
    assert!(lost.iter().all(|execution| *execution == done[0]));
    subject.holds(&done[0]).await;
}

/// A retry by many instances at once: the due execution is claimed by one of them.
pub(super) async fn of_16_further_claims_one_is_recorded(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let waiting = subject.granted(claim("ada", submitted(MINUTE))).await;
    harness.advance(HOUR);
    let works = (1..=16)
        .map(|number| -> Boxed<'static, Recorded> {
            let store = Arc::clone(&subject.store);
            let change = change(&waiting, claimed_by(number, number));
            Box::pin(async move { store.record(change).await.expect("each is answered") })
        })
        .collect();
    let answers = at_once(works).await;
    let done = answers.iter().filter(|answer| matches!(answer, Recorded::Done(_))).count();
    assert_eq!(done, 1);
    let running = subject.find_identity(&waiting.identity).await.expect("it is there");
    assert_eq!(running.state.status, Status::Running);
    assert_eq!(running.state.attempts, 1);
    subject.holds(&running).await;
}

pub(super) async fn the_epoch_rises_with_each_verb_of_an_operator_and_with_nothing_else(
    harness: &dyn Harness,
) {
    let subject = Subject::open(harness).await;
    let epoch = || async { subject.store.epoch().await.expect("it is read") };
    let first = epoch().await;
    let failed = subject.after("ada", &[claimed(1), failed(HOUR)]).await;
    let doubted = subject.after("bea", &[claimed(1), doubted()]).await;
    let done = subject.after("cem", &[claimed(1), succeeded("1", None)]).await;
    assert_eq!(epoch().await, first, "nobody did anything by hand");
    subject.record(&failed, Event::Retried).await;
    assert_eq!(epoch().await, first + 1);
    subject.record(&doubted, Event::Resolved(Resolved::NotDone)).await;
    subject.record(&done, Event::Forgotten).await;
    assert_eq!(epoch().await, first + 3);
    subject.lost(&doubted, Event::Resolved(Resolved::NotDone)).await;
    let other = Subject::open(harness).await;
    let seen = other.store.epoch().await.expect("it is read");
    assert_eq!(seen, first + 3, "what came to nothing does not count; all see the same");
}
