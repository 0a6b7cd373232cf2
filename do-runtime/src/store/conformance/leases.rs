//! Leases: renewals that every instance sees.

use std::sync::Arc;

use super::Harness;
use super::subject::{HOUR, MINUTE, Subject, author, due_on, instance};
use crate::record::InstanceId;
use crate::store::Seen;

async fn beat(subject: &Subject<'_>, number: u8) -> Vec<Seen> {
    let mut seen =
        subject.store.heartbeat(instance(number), MINUTE).await.expect("the lease is renewed");
    seen.sort_by_key(|seen| seen.instance);
    seen
}

fn of(seen: &[Seen], wanted: InstanceId) -> Seen {
    *seen.iter().find(|seen| seen.instance == wanted).expect("a known instance")
}

pub(super) async fn renewals_rise_and_all_are_told(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let first = beat(&subject, 1).await;
    assert_eq!(first.len(), 1, "its own renewal makes an instance known");
    assert!(!first[0].over && !first[0].dead);
    let other = Subject::open(harness).await;
    let both = beat(&other, 2).await;
    let ids: Vec<InstanceId> = both.iter().map(|seen| seen.instance).collect();
    assert_eq!(ids, [instance(1), instance(2)]);
    assert_eq!(of(&both, instance(1)).renewals, first[0].renewals);
    let mut last = first[0].renewals;
    for _ in 0..3 {
        harness.advance(MINUTE / 4);
        let seen = of(&beat(&subject, 1).await, instance(1));
        assert!(seen.renewals > last, "each renewal rises");
        assert!(!seen.over);
        last = seen.renewals;
    }
    assert_eq!(of(&beat(&other, 2).await, instance(1)).renewals, last);
}

pub(super) async fn a_lease_is_over_by_the_stores_clock(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let first = of(&beat(&subject, 1).await, instance(1));
    harness.advance(MINUTE / 2);
    assert!(!of(&beat(&subject, 2).await, instance(1)).over);
    harness.advance(MINUTE);
    let seen = beat(&subject, 2).await;
    assert!(of(&seen, instance(1)).over);
    assert_eq!(of(&seen, instance(1)).renewals, first.renewals);
    assert!(!of(&seen, instance(2)).over);
    // An instance that was only slow comes back.
    let seen = beat(&subject, 1).await;
    assert!(!of(&seen, instance(1)).over);
    assert!(of(&seen, instance(1)).renewals > first.renewals);
    harness.advance(HOUR);
    let seen = beat(&subject, 3).await;
    assert!(of(&seen, instance(1)).over && of(&seen, instance(2)).over);
    assert!(!of(&seen, instance(3)).over);
}

pub(super) async fn a_dead_process_is_known_where_the_store_can_know(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    beat(&subject, 1).await;
    let other = Subject::open(harness).await;
    beat(&other, 2).await;
    let knows = harness.kill(instance(1));
    let seen = beat(&other, 2).await;
    assert_eq!(of(&seen, instance(1)).dead, knows);
    assert!(!of(&seen, instance(2)).dead, "the one that asks lives");
}

pub(super) async fn leases_do_not_move_executions(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let running = subject.running("ada").await;
    beat(&subject, 1).await;
    harness.advance(HOUR);
    beat(&subject, 2).await;
    subject.holds(&running).await;
    let store = Arc::clone(&subject.store);
    let prune = store.prune(author(), 10).await;
    assert_eq!(prune, Ok(0));
    subject.holds(&running).await;
}

/// Whoever looks for what runs on dead instances must be told of them until nothing runs there.
pub(super) async fn an_instance_is_told_of_while_something_runs_on_it(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    beat(&subject, 1).await;
    let running = subject.running("ada").await;
    let subject = subject.reopened().await;
    harness.kill(instance(1));
    for _ in 0..5 {
        beat(&subject, 2).await;
        harness.advance(HOUR * 24);
    }
    assert!(of(&beat(&subject, 2).await, instance(1)).over);
    let page = subject.due(due_on(&[1])).await;
    assert_eq!(page.executions, [running]);
}
