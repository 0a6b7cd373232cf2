//! Retention: what is over loses what is personal; what is not final is never touched.

use std::time::Duration;

use super::Harness;
use super::subject::{
    HOUR, MINUTE, Subject, author, change, claimed, doubted, failed, parked, request_with,
    retry_later, submitted, succeeded, value,
};
use crate::record::{Event, Resolved, Status};

pub(super) async fn a_success_becomes_a_tombstone_when_it_is_over(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let kept = subject.after("kept", &[claimed(1), succeeded("1", None)]).await;
    let done = subject.after("done", &[claimed(1), succeeded("\"x\"", Some(HOUR))]).await;
    assert_eq!(subject.prune().await, 0);
    harness.advance(HOUR - MINUTE);
    assert_eq!(subject.prune().await, 0, "not earlier");
    subject.holds(&done).await;
    harness.advance(MINUTE * 2);
    assert_eq!(subject.prune().await, 1);
    let tombstone = subject.find_identity(&done.identity).await.expect("a tombstone stays");
    assert_eq!(tombstone.state.status, Status::Expired);
    assert_eq!(tombstone.state.value, None);
    assert_eq!(tombstone.request.params, None);
    assert_eq!(tombstone.request.fields, done.request.fields);
    let expected = done.apply(&Event::Expired, None, tombstone.changed);
    assert_eq!(Ok(&*tombstone), expected.as_ref());
    subject.holds(&tombstone).await;
    let history = subject.history(done.row).await;
    let last = history.last().expect("entries");
    assert_eq!((last.event.as_str(), last.author.why.as_deref()), ("expired", author_why()));
    harness.advance(HOUR * 24 * 365);
    assert_eq!(subject.prune().await, 0, "a tombstone is not pruned again");
    subject.holds(&tombstone).await;
    subject.holds(&kept).await;
}

const fn author_why() -> Option<&'static str> {
    Some("their time is over")
}

pub(super) async fn a_failure_loses_its_parameters_and_text(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let failed = subject.after("ada", &[claimed(1), failed(HOUR)]).await;
    harness.advance(HOUR - MINUTE);
    assert_eq!(subject.prune().await, 0, "not earlier");
    subject.holds(&failed).await;
    harness.advance(MINUTE * 2);
    assert_eq!(subject.prune().await, 1);
    let pruned = subject.find_identity(&failed.identity).await.expect("the row stays");
    assert_eq!(pruned.state.status, Status::Failed);
    assert_eq!(pruned.state.round, failed.state.round);
    assert_eq!(pruned.request.params, None);
    let text = pruned.state.failure.as_ref().map(|failure| failure.message.as_str());
    assert_ne!(text, Some("no such user"));
    let expected = failed.apply(&Event::Pruned, None, pruned.changed);
    assert_eq!(Ok(&*pruned), expected.as_ref());
    subject.holds(&pruned).await;
    harness.advance(HOUR * 48);
    assert_eq!(subject.prune().await, 0, "once is enough");
    // The next call starts a new round and brings the parameters again.
    let again = change(&pruned, claimed(2)).request(request_with("ada", "new"));
    let running = subject.change(again).await;
    assert_eq!((running.state.status, running.state.round), (Status::Running, 2));
    assert!(running.request.params.is_some());
    subject.holds(&running).await;
}

pub(super) async fn what_is_not_final_is_never_touched(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let done = |keep| succeeded("1", keep);
    let short = Some(MINUTE);
    let mut untouched = Vec::new();
    for (name, events) in [
        ("running", vec![claimed(1)]),
        ("waiting", vec![submitted(MINUTE)]),
        ("retry", vec![claimed(1), retry_later(true, MINUTE)]),
        ("parked", vec![claimed(1), parked()]),
        ("in doubt", vec![claimed(1), doubted()]),
        ("kept", vec![claimed(1), done(None)]),
        ("failed, then running", vec![claimed(1), failed(MINUTE), claimed(2)]),
        ("failed, then waiting", vec![claimed(1), failed(MINUTE), Event::Retried]),
        ("failed, then kept", vec![claimed(1), failed(MINUTE), claimed(2), done(None)]),
        ("tombstone", vec![claimed(1), done(short), Event::Expired]),
        ("pruned", vec![claimed(1), failed(MINUTE), Event::Pruned]),
    ] {
        untouched.push(subject.after(name, &events).await);
    }
    let by_hand = Resolved::Succeeded { value: value("1"), keep: short };
    let events = [claimed(1), doubted(), Event::Resolved(by_hand)];
    let resolved = subject.after("resolved", &events).await;
    harness.advance(HOUR * 24 * 365 * 10);
    assert_eq!(subject.prune().await, 1);
    for execution in &untouched {
        subject.holds(execution).await;
    }
    let tombstone = subject.find_identity(&resolved.identity).await.expect("a tombstone");
    assert_eq!(tombstone.state.status, Status::Expired);
}

pub(super) async fn prunes_at_most_as_many_as_it_is_told(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    for number in 0..7 {
        let end = if number % 2 == 0 { succeeded("1", Some(HOUR)) } else { failed(HOUR) };
        subject.after(&format!("user {number}"), &[claimed(1), end]).await;
    }
    let prune = async |limit| subject.store.prune(author(), limit).await.expect("it prunes");
    assert_eq!(prune(10).await, 0);
    harness.advance(HOUR * 2);
    assert_eq!(prune(0).await, 0);
    assert_eq!((prune(3).await, prune(3).await, prune(3).await), (3, 3, 1));
    assert_eq!(prune(3).await, 0);
}

/// A success whose time is over answers until the pruner comes; then a write on what was read
/// before is lost.
pub(super) async fn pruning_takes_the_right_of_older_readers(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let failed = subject.after("ada", &[claimed(1), failed(HOUR)]).await;
    harness.advance(HOUR * 2);
    subject.holds(&failed).await;
    assert_eq!(subject.prune().await, 1);
    let pruned = subject.lost(&failed, claimed(2)).await;
    assert_eq!(pruned.request.params, None);
    let running = subject.record(&pruned, claimed(2)).await;
    subject.holds(&running).await;
}

/// A retention so long that its end lies past the last instant is for ever.
pub(super) async fn the_longest_retention_never_ends(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let done = subject.after("ada", &[claimed(1), succeeded("1", Some(Duration::MAX))]).await;
    let failed = subject.after("bob", &[claimed(1), failed(Duration::MAX)]).await;
    harness.advance(HOUR * 24 * 365 * 1000);
    assert_eq!(subject.prune().await, 0);
    subject.holds(&done).await;
    subject.holds(&failed).await;
}
