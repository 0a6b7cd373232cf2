//! What somebody must take up: waiting and due, or running on an instance that is gone.

use std::sync::Arc;

use super::Harness;
use super::subject::{
    ACTION, HOUR, MINUTE, Subject, claim, claimed, claimed_by, doubted, due_on, failed, parked,
    retry_later, rows, submitted, succeeded,
};
use crate::record::Event;
use crate::store::DueQuery;

pub(super) async fn waiting_is_due_when_its_time_has_come(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let nothing = subject.due(due_on(&[])).await;
    assert_eq!((nothing.executions.len(), nothing.next_due), (0, None));
    let late = subject.granted(claim("late", submitted(HOUR * 2))).await;
    let soon = subject.granted(claim("soon", submitted(HOUR))).await;
    let now = subject.granted(claim("now", submitted(std::time::Duration::ZERO))).await;
    let page = subject.due(due_on(&[])).await;
    assert_eq!(page.executions, [Arc::clone(&now)]);
    assert_eq!(page.next_due, soon.state.due);
    harness.advance(HOUR - MINUTE);
    assert_eq!(subject.due(due_on(&[])).await.executions, [Arc::clone(&now)]);
    harness.advance(MINUTE * 2);
    let page = subject.due(due_on(&[])).await;
    assert_eq!(page.executions, [soon, now], "in the order of rows");
    assert_eq!(page.next_due, late.state.due);
    harness.advance(HOUR);
    let page = subject.due(due_on(&[])).await;
    assert_eq!((page.executions.len(), page.next_due), (3, None));
}

pub(super) async fn only_what_waits_is_due(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    for (name, events) in [
        ("running", vec![claimed(1)]),
        ("succeeded", vec![submitted(MINUTE), claimed(1), succeeded("1", Some(MINUTE))]),
        ("failed", vec![submitted(MINUTE), claimed(1), failed(MINUTE)]),
        ("parked", vec![submitted(MINUTE), claimed(1), parked()]),
        ("in doubt", vec![submitted(MINUTE), claimed(1), doubted()]),
        ("expired", vec![claimed(1), succeeded("1", Some(MINUTE)), Event::Expired]),
    ] {
        subject.after(name, &events).await;
    }
    let retry = subject.after("retry", &[claimed(1), retry_later(false, MINUTE)]).await;
    let released = subject.after("released", &[claimed(1), Event::Released]).await;
    let died = subject.after("died", &[claimed(1), Event::Died { known: true }]).await;
    let retried = subject.after("retried", &[claimed(1), parked(), Event::Retried]).await;
    harness.advance(HOUR);
    let page = subject.due(due_on(&[])).await;
    assert_eq!(rows(&page.executions), [retry.row, released.row, died.row, retried.row]);
    assert_eq!(page.next_due, None);
}

pub(super) async fn running_on_an_instance_that_is_gone_is_due(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let mine = subject.granted(claim("ada", claimed_by(1, 1))).await;
    let theirs = subject.granted(claim("bob", claimed_by(2, 2))).await;
    let third = subject.granted(claim("eve", claimed_by(3, 3))).await;
    // The last claim of these was made by instance 2, but it does not run there now.
    let ended = [claimed_by(4, 2), retry_later(false, HOUR)];
    let waiting = subject.after("waiting", &ended).await;
    subject.after("done", &[claimed_by(5, 2), succeeded("1", None)]).await;
    assert_eq!(subject.due(due_on(&[])).await.executions, []);
    let of_two = subject.due(due_on(&[2])).await;
    assert_eq!(of_two.executions, [Arc::clone(&theirs)]);
    assert_eq!(of_two.next_due, waiting.state.due);
    let all = subject.due(due_on(&[3, 1, 9, 2])).await;
    assert_eq!(all.executions, [Arc::clone(&mine), Arc::clone(&theirs), third]);
    let taken = subject.record(&theirs, Event::Died { known: true }).await;
    let again = subject.record(&taken, claimed_by(6, 1)).await;
    assert_eq!(subject.due(due_on(&[2])).await.executions, []);
    assert_eq!(subject.due(due_on(&[1])).await.executions, [mine, again]);
}

pub(super) async fn only_listed_actions_are_due(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let mut placed = Vec::new();
    for action in [ACTION, "another", "third"] {
        for (name, event) in [("waits", submitted(MINUTE)), ("runs", claimed_by(2, 2))] {
            let mut new = claim(name, event);
            new.identity.action = action.into();
            placed.push(subject.granted(new).await.row);
        }
        let mut later = claim("later", submitted(HOUR * 9));
        later.identity.action = action.into();
        subject.granted(later).await;
    }
    harness.advance(HOUR);
    let due = async |actions: &[&str]| {
        let actions = actions.iter().map(|action| (*action).into()).collect();
        let query = DueQuery::new(actions, due_on(&[2]).instances, None, 100);
        subject.due(query).await
    };
    assert_eq!(rows(&due(&[ACTION]).await.executions), placed[..2]);
    assert_eq!(
        rows(&due(&["third", ACTION]).await.executions),
        [&placed[..2], &placed[4..]].concat()
    );
    let unknown = due(&["unknown", "Another", ""]).await;
    assert_eq!((unknown.executions.len(), unknown.next_due), (0, None));
    let none = due(&[]).await;
    assert_eq!((none.executions.len(), none.next_due), (0, None));
}

pub(super) async fn what_is_due_comes_in_pages(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let first = subject.granted(claim("first", submitted(HOUR * 9))).await;
    let mut expected = Vec::new();
    for number in 0..9 {
        let event = if number % 3 == 0 { claimed_by(2, 2) } else { submitted(MINUTE) };
        expected.push(subject.granted(claim(&format!("user {number}"), event)).await.row);
    }
    harness.advance(HOUR);
    for limit in [1, 2, 3, 4, 8, 9, 10] {
        let mut found = Vec::new();
        let mut query = due_on(&[2]);
        query.limit = limit;
        loop {
            let page = subject.due(query.clone()).await;
            found.extend(rows(&page.executions));
            assert!(found.len() <= expected.len(), "each is given once");
            query.after = page.executions.last().map(|last| last.row);
            if page.executions.len() < limit {
                assert_eq!(page.next_due, first.state.due, "of rows before the page, too");
                break;
            }
            assert_eq!(page.next_due, None, "more may follow a full page");
        }
        assert_eq!(found, expected, "in pages of {limit}");
    }
}
