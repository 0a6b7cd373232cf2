//! Transactions: a body's rows, the outcome and its entry stand together or not at all.

use std::any::Any;
use std::sync::Arc;

use super::subject::{
    HOUR, Subject, change, claim, claimed, failed, identity, refused, retry_later, submitted,
    succeeded,
};
use super::{Harness, Rows};
use crate::record::{Event, Execution, Status};
use crate::store::{Claimed, Durability, Recorded, StoreError, Transaction};

/// The users' rows; or none, and the store must refuse every transaction.
async fn rows<'a>(subject: &Subject<'a>) -> Option<&'a dyn Rows> {
    let rows = subject.harness.rows();
    assert_eq!(rows.is_some(), subject.harness.differences().transactions, "as it says");
    assert_eq!(rows.is_some(), subject.store.borrows().is_some());
    if rows.is_none() {
        let begun = subject.store.begin().await;
        assert!(matches!(begun, Err(StoreError::NoTransactions)));
        let mut nothing: Box<dyn Any + Send> = Box::new(());
        let claim = claim("within", claimed(1));
        let claimed = subject.store.claim_within(&mut *nothing, claim).await;
        assert_eq!(refused(claimed), StoreError::NoTransactions);
        assert_eq!(subject.find_identity(&identity("within")).await, None);
    }
    rows
}

/// A running execution whose claim is visible only, and the transaction of its body.
async fn begun(subject: &Subject<'_>, name: &str) -> (Arc<Execution>, Box<dyn Transaction>) {
    let claim = claim(name, claimed(1)).durability(Durability::Visible);
    let running = subject.granted(claim).await;
    let transaction = subject.store.begin().await.expect("a transaction");
    (running, transaction)
}

pub(super) async fn a_commit_brings_rows_and_outcome(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let Some(rows) = rows(&subject).await else { return };
    for (name, event, status) in [
        ("done", succeeded("1", None), Status::Succeeded),
        ("failed", failed(HOUR), Status::Failed),
        ("waits", retry_later(false, HOUR), Status::Waiting),
    ] {
        let (running, mut transaction) = begun(&subject, name).await;
        rows.insert(transaction.connection(), name).await;
        assert_eq!(rows.count(name).await, 0, "nobody sees it before the commit");
        let answer = transaction.commit(change(&running, event)).await;
        let Ok(Recorded::Done(ended)) = answer else { panic!("not recorded: {answer:?}") };
        assert_eq!(ended.state.status, status);
        assert_eq!(rows.count(name).await, 1);
        subject.holds(&ended).await;
    }
    let subject = subject.reopened().await;
    assert_eq!(rows.count("done").await, 1);
    let done = subject.find_identity(&identity("done")).await.expect("it is there");
    subject.holds(&done).await;
}

pub(super) async fn a_rollback_leaves_neither(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let Some(rows) = rows(&subject).await else { return };
    let (running, mut transaction) = begun(&subject, "ada").await;
    rows.insert(transaction.connection(), "ada").await;
    transaction.rollback().await;
    assert_eq!(rows.count("ada").await, 0);
    subject.holds(&running).await;
    // Dropped half way is rolled back, too.
    let mut transaction = subject.store.begin().await.expect("a transaction");
    rows.insert(transaction.connection(), "ada").await;
    drop(transaction);
    let done = subject.record(&running, succeeded("1", None)).await;
    assert_eq!(rows.count("ada").await, 0);
    subject.holds(&done).await;
}

pub(super) async fn a_lost_right_rolls_back(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let Some(rows) = rows(&subject).await else { return };
    let stale = subject.running("ada").await;
    let waiting = subject.record(&stale, Event::Died { known: false }).await;
    let taken_over = subject.record(&waiting, claimed(2)).await;
    let mut transaction = subject.store.begin().await.expect("a transaction");
    rows.insert(transaction.connection(), "ada").await;
    let answer = transaction.commit(change(&stale, succeeded("1", None))).await;
    let Ok(Recorded::Lost(stood)) = answer else { panic!("not lost: {answer:?}") };
    assert_eq!(stood, taken_over);
    assert_eq!(rows.count("ada").await, 0);
    subject.holds(&taken_over).await;
    let mut transaction = subject.store.begin().await.expect("a transaction");
    rows.insert(transaction.connection(), "ada").await;
    let answer = transaction.commit(change(&taken_over, succeeded("2", None))).await;
    let Ok(Recorded::Done(done)) = answer else { panic!("not recorded: {answer:?}") };
    assert_eq!(rows.count("ada").await, 1);
    subject.holds(&done).await;
}

pub(super) async fn an_event_that_is_not_allowed_rolls_back(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let Some(rows) = rows(&subject).await else { return };
    let (running, mut transaction) = begun(&subject, "ada").await;
    rows.insert(transaction.connection(), "ada").await;
    let answer = transaction.commit(change(&running, Event::Pruned)).await;
    let error = refused(answer);
    assert!(matches!(error, StoreError::NotAllowed(_)), "{error}");
    assert_eq!(rows.count("ada").await, 0);
    subject.holds(&running).await;
}

pub(super) async fn a_body_that_ends_its_transaction_is_found_out(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let Some(rows) = rows(&subject).await else { return };
    for commits in [true, false] {
        let name = if commits { "commits" } else { "rolls back" };
        let (running, mut transaction) = begun(&subject, name).await;
        rows.insert(transaction.connection(), name).await;
        let taken = rows.end(transaction.connection(), commits).await;
        let may_stay = usize::from(commits && taken);
        let answer = transaction.commit(change(&running, succeeded("1", None))).await;
        assert_eq!(refused(answer), StoreError::TransactionEnded, "{name}");
        assert!(rows.count(name).await <= may_stay, "{name}: nothing stays that was stopped");
        subject.holds(&running).await;
    }
    // The next body gets a clean connection.
    let (running, mut transaction) = begun(&subject, "next").await;
    rows.insert(transaction.connection(), "next").await;
    let answer = transaction.commit(change(&running, succeeded("1", None))).await;
    assert!(matches!(answer, Ok(Recorded::Done(_))), "{answer:?}");
    assert_eq!(rows.count("next").await, 1);
}

pub(super) async fn a_commit_that_the_database_refuses_leaves_neither(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let Some(rows) = rows(&subject).await else { return };
    let (running, mut transaction) = begun(&subject, "ada").await;
    rows.insert(transaction.connection(), "ada").await;
    rows.insert_refused(transaction.connection()).await;
    let error = refused(transaction.commit(change(&running, succeeded("1", None))).await);
    assert!(matches!(error, StoreError::Rejected(_)), "{error}");
    assert_eq!(rows.count("ada").await, 0);
    subject.holds(&running).await;
}

pub(super) async fn a_claim_within_stands_with_its_transaction(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let Some(rows) = rows(&subject).await else { return };
    for commits in [true, false] {
        let name = if commits { "commits" } else { "rolls back" };
        let mut own = rows.begin().await;
        rows.insert(own.connection(), name).await;
        let within = claim(name, submitted(HOUR));
        let answer = subject.store.claim_within(own.connection(), within).await;
        let Ok(Claimed::Granted(accepted)) = answer else { panic!("not granted: {answer:?}") };
        assert_eq!(accepted.state.status, Status::Waiting);
        let again = claim(name, submitted(HOUR));
        let answer = subject.store.claim_within(own.connection(), again).await;
        assert!(matches!(answer, Ok(Claimed::Existing(_))), "its own row: {answer:?}");
        assert_eq!(subject.find_identity(&identity(name)).await, None, "not before the commit");
        if commits {
            own.commit().await;
            subject.holds(&accepted).await;
        } else {
            own.rollback().await;
            assert_eq!(subject.find_identity(&identity(name)).await, None);
        }
        assert_eq!(rows.count(name).await, usize::from(commits));
    }
    let mut nothing: Box<dyn Any + Send> = Box::new(());
    let answer = subject.store.claim_within(&mut *nothing, claim("x", submitted(HOUR))).await;
    assert_eq!(refused(answer), StoreError::NoTransactions, "no connection of that kind");
}

pub(super) async fn a_claim_within_meets_what_is_there(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let Some(rows) = rows(&subject).await else { return };
    let running = subject.running("ada").await;
    let mut own = rows.begin().await;
    rows.insert(own.connection(), "ada").await;
    let within = claim("ada", submitted(HOUR));
    let answer = subject.store.claim_within(own.connection(), within).await;
    let Ok(Claimed::Existing(existing)) = answer else { panic!("granted twice: {answer:?}") };
    assert_eq!(existing, running);
    own.commit().await;
    assert_eq!(rows.count("ada").await, 1, "the caller's own work is the caller's");
    subject.holds(&running).await;
}
