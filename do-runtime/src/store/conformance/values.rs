//! Bytes: what was written comes back as it was, also after the store was opened again.

use std::sync::Arc;

use super::Harness;
use super::subject::{
    HOUR, MINUTE, Subject, change, claim, claimed, doubted, failure, identity, request_with,
};
use crate::audit::Author;
use crate::clock::Timestamp;
use crate::key::{Fingerprint, KeyFields};
use crate::policy::Class;
use crate::record::{Claim, Due, Event, InstanceId, Request, Resolved, Token, Value};

/// Texts that a careless store changes.
const TEXTS: [&str; 10] = [
    "",
    " ",
    "\u{0}",
    "a\u{0}b",
    "\u{feff}bom",
    "caf\u{e9} cafe\u{301} \u{1f980}",
    "line\r\nline\u{2028}\u{85}",
    "'; drop table execution; --",
    "\u{1b}[31mred\u{7f}",
    "%s {} ?1 $1 :name \\",
];

pub(super) async fn values_come_back_byte_for_byte(harness: &dyn Harness) {
    let mut subject = Subject::open(harness).await;
    let mut all_bytes: Vec<u8> = (0..=255).collect();
    all_bytes.extend([0, 0, 0xff, 0xfe]);
    let mut values: Vec<Value> =
        TEXTS.iter().map(|text| Value::Json(text.as_bytes().into())).collect();
    values.extend([
        Value::Json(all_bytes.into()),
        Value::Json(vec![0; 1 << 20].into()),
        Value::Json(br#"{"b":1,"a":1.0e0,"a":9007199254740993}"#.as_slice().into()),
        Value::Missing { reason: String::new() },
        Value::Missing { reason: "longer than 16 MiB\u{0}".to_owned() },
    ]);
    let mut recorded = Vec::new();
    for (number, value) in values.iter().enumerate() {
        let running = subject.running(&format!("user {number}")).await;
        let event = if number % 2 == 0 {
            Event::Succeeded { value: value.clone(), found: false, keep: None }
        } else {
            let in_doubt = subject.record(&running, doubted()).await;
            let resolved = Resolved::Succeeded { value: value.clone(), keep: None };
            recorded.push(subject.record(&in_doubt, Event::Resolved(resolved)).await);
            continue;
        };
        recorded.push(subject.record(&running, event).await);
    }
    for opened in 0..2 {
        for (execution, value) in recorded.iter().zip(&values) {
            assert_eq!(execution.state.value.as_ref(), Some(value), "opened again {opened} times");
            subject.holds(execution).await;
        }
        subject = subject.reopened().await;
    }
}

pub(super) async fn texts_come_back_as_they_were(harness: &dyn Harness) {
    let mut subject = Subject::open(harness).await;
    let mut recorded = Vec::new();
    for (number, text) in TEXTS.into_iter().enumerate() {
        let mut new = claim(text, claimed(1));
        let scope = format!("scope {text}");
        new.identity.scope = scope.into();
        new.identity.action = text.into();
        new.request = request_with(text, text);
        new.author = Author::new(text, InstanceId::from_bytes([0; 16])).because(text).version(text);
        let running = subject.granted(new).await;
        let mut failure = failure(text);
        failure.code = (number % 2 == 0).then(|| text.to_owned());
        let event = Event::Parked { failure, ran: number % 3 == 0 };
        recorded.push(subject.record(&running, event).await);
    }
    for _ in 0..2 {
        for (execution, text) in recorded.iter().zip(TEXTS) {
            subject.holds(execution).await;
            let history = subject.history(execution.row).await;
            assert_eq!(&*history[0].author.principal, text);
            assert_eq!(history[0].author.why.as_deref(), Some(text));
            let said = history[1].failure.as_ref().map(|failure| failure.text.as_str());
            assert_eq!(said, Some(text));
        }
        subject = subject.reopened().await;
    }
}

/// Requests of every shape: a caller's key, no parameters, one MiB of parameters, all hashes.
pub(super) async fn requests_come_back_as_they_were(harness: &dyn Harness) {
    let mut subject = Subject::open(harness).await;
    let caller = KeyFields::caller("order 12345/\u{e9}").expect("a caller's key");
    let whole = request_with("ada", "x");
    let requests = [
        Request { fields: caller, ..whole.clone() },
        Request { params: None, ..whole.clone() },
        Request { params: Some(Vec::new().into()), ..whole.clone() },
        Request { params: Some(vec![0xff; 1 << 20].into()), ..whole.clone() },
        Request { fingerprint: Fingerprint::new([0; 16], &[]), ..whole.clone() },
        Request { key_version: u32::MAX, ..whole },
    ];
    let mut recorded = Vec::new();
    for (number, request) in requests.into_iter().enumerate() {
        let mut new = claim("ada", claimed(1));
        new.identity = identity(&format!("user {number}"));
        new.request = request;
        recorded.push(subject.granted(new).await);
    }
    for _ in 0..2 {
        for execution in &recorded {
            subject.holds(execution).await;
        }
        subject = subject.reopened().await;
    }
}

/// Numbers and instants at their ends, each class, tokens of zeros and ones.
pub(super) async fn states_come_back_as_they_were(harness: &dyn Harness) {
    let mut subject = Subject::open(harness).await;
    let mut recorded = Vec::new();
    let dues = [
        Due::At(Timestamp::from_unix_ms(i64::MAX)),
        Due::At(Timestamp::from_unix_ms(i64::MIN)),
        Due::At(Timestamp::from_unix_ms(0)),
        Due::After(HOUR * 24 * 365 * 10_000),
    ];
    for (number, due) in dues.into_iter().enumerate() {
        let event = Event::Submitted { class: Class::Once, due };
        recorded.push(subject.granted(claim(&format!("due {number}"), event)).await);
    }
    let classes = [Class::Transaction, Class::Repeatable, Class::Check, Class::Once];
    for (class, byte) in classes.into_iter().zip([0, 0x7f, 0x80, 0xff]) {
        let token = Token::from_bytes([byte; 16]);
        let claimed = Event::Claimed(Claim::new(token, InstanceId::from_bytes([byte; 16]), class));
        let running = subject.granted(claim(class.as_str(), claimed)).await;
        harness.advance(MINUTE);
        let died = subject.change(change(&running, Event::Died { known: true })).await;
        recorded.push(Arc::clone(&died));
    }
    for _ in 0..2 {
        for execution in &recorded {
            subject.holds(execution).await;
        }
        subject = subject.reopened().await;
    }
}
