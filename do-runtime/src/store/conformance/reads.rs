//! Single executions, their histories, and executions by one field of their key.

use super::Harness;
use super::subject::{
    ACTION, HOUR, SCOPE, Subject, claim, claimed, doubted, failed, identity, rows, succeeded,
};
use crate::key::node_of;
use crate::record::{Event, Identity, RowId};
use crate::store::{KeyField, Which};

pub(super) async fn gets_by_identity_and_by_key_in_its_scope(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let ada = subject.running("ada").await;
    let by_key =
        |scope: &str, name: &str| Which::Key { scope: scope.into(), key: identity(name).key };
    let get = async |which| subject.store.get(which).await.expect("the store answers");
    assert_eq!(get(Which::Identity(identity("ada"))).await.as_ref(), Some(&ada));
    assert_eq!(get(by_key(SCOPE, "ada")).await.as_ref(), Some(&ada));
    assert_eq!(get(by_key("other", "ada")).await, None);
    assert_eq!(get(by_key("", "ada")).await, None);
    assert_eq!(get(by_key(SCOPE, "bob")).await, None);
    let key = identity("ada").key;
    for other in [Identity::new("other", ACTION, key), Identity::new(SCOPE, "other", key)] {
        assert_eq!(get(Which::Identity(other)).await, None);
    }
    let done = subject.record(&ada, succeeded("1", None)).await;
    assert_eq!(get(by_key(SCOPE, "ada")).await, Some(done));
}

pub(super) async fn a_history_has_each_change_once(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let events = [
        claimed(1),
        Event::Died { known: true },
        claimed(2),
        doubted(),
        Event::Retried,
        claimed(3),
        succeeded("1", Some(HOUR)),
        Event::Expired,
    ];
    let ada = subject.after("ada", &events).await;
    let bob = subject.running("bob").await;
    subject.holds(&ada).await;
    subject.holds(&bob).await;
    let history = subject.history(ada.row).await;
    let words: Vec<&str> = history.iter().map(|entry| entry.event.as_str()).collect();
    assert_eq!(words, events.each_ref().map(Event::word));
    let attempts: Vec<u32> = history.iter().map(|entry| entry.attempt).collect();
    assert_eq!(attempts, [1, 1, 2, 2, 2, 3, 3, 3]);
    assert_eq!(history[3].failure.as_ref().map(|failure| failure.text.as_str()), Some("timed out"));
    assert!(history[6].value_hash.is_some());
    assert_eq!(subject.history(RowId(bob.row.0 + 1)).await, []);
}

pub(super) async fn finds_by_one_field_of_the_key(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let ada = subject.running("ada").await;
    let bob = subject.running("bob").await;
    let mut elsewhere = claim("ada", claimed(1));
    elsewhere.identity.scope = "other".into();
    let elsewhere = subject.granted(elsewhere).await;
    let mut another = claim("ada", claimed(1));
    another.identity.action = "another".into();
    let another = subject.granted(another).await;
    let failing = subject.after("eve", &[claimed(1), failed(HOUR)]).await;
    let ada = subject.record(&ada, succeeded("1", Some(HOUR))).await;
    harness.advance(HOUR * 2);
    assert_eq!(subject.prune().await, 2, "a success and a failure");
    harness.settled().await;
    let find = async |scope: &str, action: &str, field: &str, value: &str, limit| {
        let node = node_of(value).expect("a text can be part of a key");
        let wanted = KeyField::new(scope.into(), action.into(), field.into(), node, limit);
        rows(&subject.store.find(wanted).await.expect("the store answers"))
    };
    assert_eq!(find(SCOPE, ACTION, "user", "ada", 10).await, [ada.row]);
    assert_eq!(find(SCOPE, ACTION, "user", "bob", 10).await, [bob.row]);
    assert_eq!(find(SCOPE, ACTION, "user", "eve", 10).await, [failing.row]);
    assert_eq!(find("other", ACTION, "user", "ada", 10).await, [elsewhere.row]);
    assert_eq!(find(SCOPE, "another", "user", "ada", 10).await, [another.row]);
    let newest_first = [failing.row, bob.row, ada.row];
    assert_eq!(find(SCOPE, ACTION, "kind", "welcome", 10).await, newest_first);
    assert_eq!(find(SCOPE, ACTION, "kind", "welcome", 2).await, newest_first[..2]);
    assert_eq!(find(SCOPE, ACTION, "kind", "welcome", 0).await, []);
    for (scope, action, field, value) in [
        (SCOPE, ACTION, "user", "welcome"),
        (SCOPE, ACTION, "user", "ad"),
        (SCOPE, ACTION, "user", "ADA"),
        (SCOPE, ACTION, "user", "ad%"),
        (SCOPE, ACTION, "use", "ada"),
        (SCOPE, "sendmail", "user", "ada"),
        ("nobody", ACTION, "user", "ada"),
    ] {
        assert_eq!(find(scope, action, field, value, 10).await, []);
    }
}

pub(super) async fn finds_what_was_claimed_before_reopening(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let ada = subject.running("ada").await;
    let subject = subject.reopened().await;
    let later = subject.granted({
        let mut later = claim("later", claimed(1));
        later.request = super::subject::request("ada");
        later
    });
    let later = later.await;
    harness.advance(HOUR);
    harness.settled().await;
    let node = node_of("ada").expect("a text can be part of a key");
    let wanted = KeyField::new(SCOPE.into(), ACTION.into(), "user".into(), node, 10);
    let found = subject.store.find(wanted).await.expect("the store answers");
    assert_eq!(rows(&found), [later.row, ada.row]);
}
