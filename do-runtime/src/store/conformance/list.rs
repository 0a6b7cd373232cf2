//! Lists: filters, pages, order.

use std::sync::Arc;

use super::Harness;
use super::subject::{
    ACTION, HOUR, SCOPE, Subject, claim, claimed, doubted, failed, parked, rows, submitted,
    succeeded,
};
use crate::record::{Event, Execution, RowId, Status};
use crate::store::{Filter, Page};

async fn list(subject: &Subject<'_>, filter: Filter) -> Page {
    subject.store.list(filter).await.expect("the store answers")
}

/// One execution of each status, in the order of [`Status::ALL`].
async fn one_of_each(subject: &Subject<'_>) -> Vec<Arc<Execution>> {
    let mut executions = Vec::new();
    for status in Status::ALL {
        let events: Vec<Event> = match status {
            Status::Running => vec![claimed(1)],
            Status::Waiting => vec![submitted(HOUR)],
            Status::Succeeded => vec![claimed(1), succeeded("1", None)],
            Status::Failed => vec![claimed(1), failed(HOUR)],
            Status::Parked => vec![claimed(1), parked()],
            Status::InDoubt => vec![claimed(1), doubted()],
            Status::Expired => vec![claimed(1), succeeded("1", None), Event::Expired],
        };
        let execution = subject.after(status.as_str(), &events).await;
        assert_eq!(execution.state.status, status);
        executions.push(execution);
    }
    executions
}

pub(super) async fn lists_newest_first_by_filter(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    assert!(list(&subject, Filter::default()).await.executions.is_empty());
    let mut ours = one_of_each(&subject).await;
    ours.reverse();
    let place = |scope: &str, action: &str| {
        let mut new = claim("ada", claimed(1));
        new.identity.scope = scope.into();
        new.identity.action = action.into();
        subject.granted(new)
    };
    let theirs = place("other", ACTION).await;
    let another = place(SCOPE, "another").await;
    let all = list(&subject, Filter::default()).await;
    let mut expected = vec![another.row, theirs.row];
    expected.extend(rows(&ours));
    assert_eq!(rows(&all.executions), expected);
    assert_eq!(all.executions[2..], ours[..]);
    assert_eq!(all.next, None);
    for execution in &ours {
        let filter = Filter::default().scope(SCOPE).action(ACTION);
        let page = list(&subject, filter.status(execution.state.status)).await;
        assert_eq!(rows(&page.executions), [execution.row]);
    }
    let ended = Filter::default().status(Status::Failed).status(Status::Succeeded);
    assert_eq!(rows(&list(&subject, ended).await.executions), [ours[3].row, ours[4].row]);
    let of_action = list(&subject, Filter::default().action("another")).await;
    assert_eq!(rows(&of_action.executions), [another.row]);
    let of_scope = list(&subject, Filter::default().scope("other")).await;
    assert_eq!(rows(&of_scope.executions), [theirs.row]);
    for filter in [
        Filter::default().scope("nobody"),
        Filter::default().action("nothing"),
        Filter::default().scope("other").action("another"),
        Filter::default().scope("other").status(Status::Parked),
    ] {
        assert!(list(&subject, filter).await.executions.is_empty());
    }
}

pub(super) async fn lists_page_by_page(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let mut expected = Vec::new();
    for number in 0..10 {
        let event = if number % 2 == 0 { claimed(1) } else { submitted(HOUR) };
        let execution = subject.granted(claim(&format!("user {number}"), event)).await;
        expected.push(execution.row);
    }
    expected.reverse();
    let running: Vec<RowId> = expected.iter().copied().skip(1).step_by(2).collect();
    for (filter, expected) in [
        (Filter::default(), &expected),
        (Filter::default().status(Status::Running), &running),
        (Filter::default().status(Status::Running).action(ACTION).scope(SCOPE), &running),
    ] {
        for limit in [1, 2, 3, 5, 9, 10, 11] {
            let mut listed = Vec::new();
            let mut filter = filter.clone().limit(limit);
            let mut pages = 0;
            loop {
                let page = list(&subject, filter.clone()).await;
                assert!(page.executions.len() <= limit);
                listed.extend(rows(&page.executions));
                assert!(listed.len() <= expected.len(), "each is listed once");
                pages += 1;
                assert!(pages <= expected.len(), "the pages end");
                let Some(next) = page.next else { break };
                filter = filter.before(next);
            }
            assert_eq!(listed, *expected, "in pages of {limit}");
            assert_eq!(pages, expected.len().div_ceil(limit), "no page is empty");
        }
    }
}

/// A page is not disturbed by what is inserted meanwhile; a change is seen as it stands.
pub(super) async fn pages_hold_while_rows_are_added(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let first = subject.running("ada").await;
    let second = subject.running("bob").await;
    let page = list(&subject, Filter::default().limit(1)).await;
    assert_eq!(rows(&page.executions), [second.row]);
    subject.running("eve").await;
    let changed = subject.record(&first, succeeded("1", None)).await;
    let next = page.next.expect("one more");
    let page = list(&subject, Filter::default().before(next).limit(1)).await;
    assert_eq!(page.executions, [changed]);
    assert_eq!(page.next, None);
}

pub(super) async fn a_filter_without_a_limit_has_one(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    for number in 0..=Filter::LIMIT {
        subject.running(&format!("user {number}")).await;
    }
    let page = list(&subject, Filter::default()).await;
    assert_eq!(page.executions.len(), Filter::LIMIT);
    let next = page.next.expect("one more");
    let last = list(&subject, Filter::default().before(next)).await;
    assert_eq!((last.executions.len(), last.next), (1, None));
}
