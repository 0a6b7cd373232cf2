//! Claims: the first event of an identity, granted to exactly one.

use std::sync::Arc;

use super::subject::{
    ACTION, HOUR, SCOPE, Subject, all_equal, at_once, author, claim, claimed, claimed_by, doubted,
    fields, identity, refused, request, submitted,
};
use super::{Boxed, Harness};
use crate::key::Key;
use crate::record::{Event, Execution, Identity, Request, Status, Token};
use crate::store::{Claimed, Durability, NewExecution, Store as _, StoreError};
use crate::testing::{FaultyStore, Method, StoreFault};

pub(super) async fn a_claim_is_granted_once(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let granted = subject.granted(claim("ada", claimed(1))).await;
    assert_eq!(granted.identity, identity("ada"));
    assert_eq!(granted.request, request("ada"));
    assert_eq!(granted.state.status, Status::Running);
    assert_eq!(granted.state.token, Some(Token::from_bytes([1; 16])));
    assert_eq!(granted.created, granted.changed);
    let expected = Execution::begin(
        granted.row,
        identity("ada"),
        request("ada"),
        &claimed(1),
        granted.created,
    );
    assert_eq!(Ok(&*granted), expected.as_ref());
    subject.holds(&granted).await;
    match subject.claim(claim("ada", claimed_by(2, 2))).await {
        Claimed::Existing(existing) => assert_eq!(existing, granted),
        Claimed::Granted(_) => panic!("granted twice"),
    }
    subject.holds(&granted).await;
}

pub(super) async fn a_submission_is_accepted_once(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let accepted = subject.granted(claim("ada", submitted(HOUR))).await;
    assert_eq!(accepted.state.status, Status::Waiting);
    assert_eq!(accepted.state.due, Some(accepted.created.plus(HOUR)));
    assert_eq!(accepted.state.token, None);
    for event in [submitted(HOUR), claimed(1)] {
        match subject.claim(claim("ada", event)).await {
            Claimed::Existing(existing) => assert_eq!(existing, accepted),
            Claimed::Granted(_) => panic!("granted twice"),
        }
    }
    subject.holds(&accepted).await;
}

pub(super) async fn a_claim_may_be_visible_before_it_is_synced(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let visible = claim("ada", claimed(1)).durability(Durability::Visible);
    let granted = subject.granted(visible).await;
    let other = Subject::open(harness).await;
    other.holds(&granted).await;
    let ended = subject.record(&granted, doubted()).await;
    other.holds(&ended).await;
}

pub(super) async fn only_a_claim_or_a_submission_comes_first(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    for event in [Event::Released, Event::Retried, doubted(), Event::NotThere, Event::Pruned] {
        let error = refused(subject.store.claim(claim("ada", event.clone())).await);
        let StoreError::NotAllowed(refused) = error else { panic!("not refused: {error}") };
        assert_eq!((refused.status, refused.event), (None, event.word()));
        assert_eq!(subject.find_identity(&identity("ada")).await, None);
    }
}

pub(super) async fn of_64_claimers_one_is_granted(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    for round in 0..4 {
        let name = format!("ada {round}");
        let works = (1..=64)
            .map(|number| -> Boxed<'static, Claimed> {
                let store = Arc::clone(&subject.store);
                let claim = claim(&name, claimed(number));
                Box::pin(async move { store.claim(claim).await.expect("each is answered") })
            })
            .collect();
        let (mut granted, mut existing) = (Vec::new(), Vec::new());
        for answer in at_once(works).await {
            match answer {
                Claimed::Granted(execution) => granted.push(execution),
                Claimed::Existing(execution) => existing.push(execution),
            }
        }
        assert_eq!((granted.len(), existing.len()), (1, 63));
        assert!(existing.iter().all(|execution| *execution == granted[0]));
        assert!(all_equal(existing.iter().map(|execution| execution.row)));
        subject.holds(&granted[0]).await;
    }
}

/// The commit stands, its answer was lost, the caller asks again with the same token.
pub(super) async fn a_claim_whose_answer_was_lost_is_found_again(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let lossy = FaultyStore::new(Arc::clone(&subject.store));
    let lost = StoreError::Unknown("its answer was lost".to_owned());
    lossy.fail(Method::Claim, 1, StoreFault::After(lost.clone()));
    assert_eq!(refused(lossy.claim(claim("ada", claimed(1))).await), lost);
    match lossy.claim(claim("ada", claimed(1))).await {
        Ok(Claimed::Existing(mine)) => {
            assert_eq!(mine.state.token, Some(Token::from_bytes([1; 16])));
            assert_eq!(mine.state.entries, 1);
            subject.holds(&mine).await;
        }
        other => panic!("granted twice: {other:?}"),
    }
}

pub(super) async fn the_whole_identity_counts(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let key = |last: u8| {
        let mut bytes = [9; 32];
        bytes[31] = last;
        Key::from_bytes(bytes)
    };
    let identities = [
        Identity::new(SCOPE, ACTION, key(1)),
        // Keys whose first 31 bytes are equal.
        Identity::new(SCOPE, ACTION, key(2)),
        Identity::new(SCOPE, "other", key(1)),
        Identity::new("other", ACTION, key(1)),
        // Scope and action that look alike when they are put together.
        Identity::new("a:b", "c", key(1)),
        Identity::new("a", "b:c", key(1)),
        Identity::new("", "a:b:c", key(1)),
        Identity::new("Acme", ACTION, key(1)),
        Identity::new("acme ", ACTION, key(1)),
        Identity::new("a\u{0}", ACTION, key(1)),
        Identity::new("a", ACTION, key(1)),
    ];
    let mut granted = Vec::new();
    for identity in identities {
        let request = Request { params: None, ..request("ada") };
        assert_eq!(request.fields, fields("ada"));
        let claim = NewExecution::new(identity, request, claimed(1), author());
        granted.push(subject.granted(claim).await);
    }
    for execution in granted {
        subject.holds(&execution).await;
    }
}
