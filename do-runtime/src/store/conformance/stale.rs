//! Writes whose right is lost: nothing is written, and the answer shows what stood in the way.

use std::sync::Arc;

use super::Harness;
use super::records::ways;
use super::subject::{
    HOUR, MINUTE, Subject, change, claimed, claimed_by, doubted, failed, failure, parked, refused,
    retry_later, succeeded,
};
use crate::record::{Event, Execution, Token};
use crate::store::{Store as _, StoreError};
use crate::testing::{FaultyStore, Method, StoreFault};

/// Every end that the holder of an attempt may write.
fn ends() -> [Event; 11] {
    [
        succeeded("1", None),
        Event::NotThere,
        failed(HOUR),
        retry_later(false, MINUTE),
        retry_later(true, MINUTE),
        Event::AskLater { failure: None, gap: MINUTE },
        Event::Released,
        parked(),
        doubted(),
        Event::Died { known: true },
        Event::LateFailure { failure: failure("late") },
    ]
}

/// An attempt was taken over and claimed again; then its holder comes back.
pub(super) async fn a_zombie_writes_nothing(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let zombie = subject.running("ada").await;
    let waiting = subject.record(&zombie, Event::Died { known: false }).await;
    let taken_over = subject.record(&waiting, claimed_by(2, 2)).await;
    for event in ends() {
        let stood = subject.lost(&zombie, event.clone()).await;
        assert_eq!(stood, taken_over, "{}", event.word());
        subject.holds(&taken_over).await;
    }
    let done = subject.record(&taken_over, succeeded("2", None)).await;
    for event in ends() {
        assert_eq!(subject.lost(&zombie, event).await, done);
        subject.holds(&done).await;
    }
}

/// The number of the last entry is right and the token is not.
pub(super) async fn another_token_writes_nothing(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let running = subject.running("ada").await;
    for token in [None, Some(Token::from_bytes([2; 16]))] {
        let mut forged = Execution::clone(&running);
        forged.state.token = token;
        let forged = Arc::new(forged);
        for event in ends() {
            assert_eq!(subject.lost(&forged, event).await, running);
        }
        subject.holds(&running).await;
    }
}

/// The token is right and the number of the last entry is not.
pub(super) async fn an_older_state_writes_nothing(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    for (number, way) in ways().into_iter().enumerate() {
        let (last, first) = way.split_last().expect("at least one event");
        if first.is_empty() {
            continue;
        }
        let before = subject.after(&format!("user {number}"), first).await;
        let after = subject.record(&before, last.clone()).await;
        for event in [last.clone(), claimed(9), succeeded("9", None)] {
            assert_eq!(subject.lost(&before, event).await, after, "after {}", last.word());
        }
        subject.holds(&after).await;
    }
}

/// What a late end does: it reads what stands, finds its own token there, and writes on that.
pub(super) async fn a_late_success_counts_while_its_token_is_the_last(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let running = subject.running("ada").await;
    let waiting = subject.record(&running, Event::Died { known: false }).await;
    let stood = subject.lost(&running, succeeded("1", None)).await;
    assert_eq!(stood, waiting);
    assert_eq!(stood.state.token, running.state.token);
    let done = subject.record(&stood, succeeded("1", None)).await;
    subject.holds(&done).await;
}

/// An end that stands although its answer was lost: written again, it meets itself.
pub(super) async fn an_end_whose_answer_was_lost_is_found_again(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let lossy = FaultyStore::new(Arc::clone(&subject.store));
    let lost = StoreError::Unknown("its answer was lost".to_owned());
    for (number, event) in ends().into_iter().enumerate() {
        let running = subject.running(&format!("user {number}")).await;
        if running.state.apply(&event, running.changed).is_err() {
            continue;
        }
        lossy.fail(Method::Record, 1, StoreFault::After(lost.clone()));
        assert_eq!(refused(lossy.record(change(&running, event.clone())).await), lost);
        let stood = subject.lost(&running, event).await;
        assert_eq!(stood.state.token, running.state.token);
        assert_eq!(stood.state.entries, 2);
        subject.holds(&stood).await;
    }
}
