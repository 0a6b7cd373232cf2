//! What outlasts a handle, a dropped future, and the closing of the store.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use super::records::ways;
use super::subject::{
    HOUR, MINUTE, Subject, at_once, author, change, claim, claimed, claimed_by, due_on, failed,
    identity, instance, refused, submitted, succeeded,
};
use super::{Boxed, Harness};
use crate::record::{Status, Token};
use crate::store::{Claimed, Filter, KeyField, StoreError, Which};

pub(super) async fn reopening_keeps_everything(harness: &dyn Harness) {
    let mut subject = Subject::open(harness).await;
    let mut executions = Vec::new();
    let mut histories = Vec::new();
    for (number, way) in ways().iter().enumerate() {
        let execution = subject.after(&format!("user {number}"), way).await;
        histories.push(subject.history(execution.row).await);
        executions.push(execution);
    }
    for _ in 0..3 {
        subject = subject.reopened().await;
        for (execution, history) in executions.iter().zip(&histories) {
            subject.holds(execution).await;
            assert_eq!(subject.history(execution.row).await, *history);
        }
    }
    let page = subject.store.list(Filter::default()).await.expect("the store answers");
    let listed: Vec<_> = page.executions.into_iter().rev().collect();
    assert_eq!(listed, executions);
    let running = subject.running("another").await;
    assert!(executions.iter().all(|execution| execution.row < running.row), "rows only rise");
}

pub(super) async fn a_claim_outlasts_its_process(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let running = subject.granted(claim("ada", claimed_by(1, 7))).await;
    let subject = subject.reopened().await;
    assert_eq!(subject.due(due_on(&[7])).await.executions, [Arc::clone(&running)]);
    match subject.claim(claim("ada", claimed(2))).await {
        Claimed::Existing(existing) => assert_eq!(existing, running),
        Claimed::Granted(_) => panic!("granted twice"),
    }
    // The token is still the right.
    let done = subject.record(&running, succeeded("1", None)).await;
    subject.holds(&done).await;
}

fn poll_once<T>(future: &mut Boxed<'_, T>) -> Poll<T> {
    Pin::new(future).poll(&mut Context::from_waker(Waker::noop()))
}

/// Each write is begun and its future dropped; the work goes on without it.
pub(super) async fn a_dropped_future_leaves_whole_writes(harness: &dyn Harness) {
    let mut subject = Subject::open(harness).await;
    for round in 1..=5_u8 {
        let running = subject.running(&format!("running {round}")).await;
        let failed = subject.after(&format!("over {round}"), &[claimed(1), failed(MINUTE)]).await;
        harness.advance(HOUR);
        let dropped = format!("dropped {round}");
        {
            let store = &subject.store;
            let mut claiming = store.claim(claim(&dropped, claimed(1)));
            let mut recording = store.record(change(&running, succeeded("1", None)));
            let mut beating = store.heartbeat(instance(round), MINUTE);
            let mut pruning = store.prune(author(), 10);
            drop((poll_once(&mut claiming), poll_once(&mut recording)));
            drop((poll_once(&mut beating), poll_once(&mut pruning)));
        }
        let mut asking = subject.store.get(Which::Identity(identity("nobody")));
        drop(poll_once(&mut asking));
        drop(asking);
        // The store still works, and closing finishes what was accepted.
        subject.running(&format!("next {round}")).await;
        subject = subject.reopened().await;
        let claimed = subject.find_identity(&identity(&dropped)).await.expect("the claim went on");
        assert_eq!(claimed.state.token, Some(Token::from_bytes([1; 16])));
        subject.holds(&claimed).await;
        let ended = subject.find_identity(&running.identity).await.expect("it is there");
        assert_eq!(ended.state.status, Status::Succeeded, "the end went on");
        subject.holds(&ended).await;
        let pruned = subject.find_identity(&failed.identity).await.expect("it is there");
        assert_eq!(pruned.request.params, None, "the pruning went on");
        subject.holds(&pruned).await;
    }
}

pub(super) async fn a_closed_store_refuses(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let running = subject.running("ada").await;
    let store = Arc::clone(&subject.store);
    store.close().await.expect("it closes");
    let which = Which::Identity(identity("ada"));
    let field = KeyField::new("acme".into(), "send-mail".into(), "user".into(), "[]".to_owned(), 1);
    let closed = StoreError::Closed;
    assert_eq!(refused(store.claim(claim("bob", claimed(1))).await), closed);
    assert_eq!(refused(store.record(change(&running, succeeded("1", None))).await), closed);
    assert_eq!(refused(store.heartbeat(instance(1), MINUTE).await), closed);
    assert_eq!(refused(store.get(which).await), closed);
    assert_eq!(refused(store.list(Filter::default()).await), closed);
    assert_eq!(refused(store.history(running.row).await), closed);
    assert_eq!(refused(store.find(field).await), closed);
    assert_eq!(refused(store.due(due_on(&[1])).await), closed);
    assert_eq!(refused(store.prune(author(), 1).await), closed);
    assert!(store.begin().await.is_err());
    assert_eq!(store.close().await, Ok(()), "closing twice is closing");
    let subject = Subject::open(harness).await;
    subject.holds(&running).await;
    assert_eq!(subject.find_identity(&identity("bob")).await, None);
}

/// Two stores on one data, as two runtimes have them.
pub(super) async fn two_handles_share_everything(harness: &dyn Harness) {
    let one = Subject::open(harness).await;
    let two = Subject::open(harness).await;
    let running = one.running("ada").await;
    two.holds(&running).await;
    let done = two.record(&running, succeeded("1", None)).await;
    one.holds(&done).await;
    assert_eq!(one.lost(&running, succeeded("2", None)).await, done);
    for round in 0..8 {
        let name = format!("race {round}");
        let works = (1..=8)
            .map(|number| -> Boxed<'static, bool> {
                let subject = if number % 2 == 0 { &one } else { &two };
                let store = Arc::clone(&subject.store);
                let claim = claim(&name, claimed_by(number, number));
                Box::pin(async move {
                    let answer = store.claim(claim).await.expect("each is answered");
                    matches!(answer, Claimed::Granted(_))
                })
            })
            .collect();
        let granted = at_once(works).await.into_iter().filter(|granted| *granted).count();
        assert_eq!(granted, 1);
    }
    let waiting = one.granted(claim("due", submitted(MINUTE))).await;
    harness.advance(HOUR);
    assert_eq!(two.due(due_on(&[])).await.executions, [waiting]);
    one.store.close().await.expect("it closes");
    two.holds(&done).await;
    two.running("later").await;
}
