//! The state machine: every pair of state and event, the rules one by one, and any run of events.

mod properties;
mod rules;
mod table;

use std::time::Duration;

use super::{Claim, Due, Event, InstanceId, Resolved, State, Token, Value};
use crate::clock::Timestamp;
use crate::failure::FailureRecord;
use crate::policy::Class;

const MINUTE: Duration = Duration::from_secs(60);
const CLASSES: [Class; 4] = [Class::Transaction, Class::Repeatable, Class::Check, Class::Once];

fn at(minutes: u64) -> Timestamp {
    Timestamp::from_unix_ms(1_767_268_800_000).plus(MINUTE * u32::try_from(minutes).unwrap())
}

fn claimed(class: Class, token: u8) -> Event {
    Event::Claimed(Claim::new(
        Token::from_bytes([token; 16]),
        InstanceId::from_bytes([1; 16]),
        class,
    ))
}

fn submitted(class: Class) -> Event {
    Event::Submitted { class, due: Due::After(MINUTE) }
}

fn succeeded() -> Event {
    Event::Succeeded { value: value(), found: false, keep: Some(MINUTE) }
}

fn value() -> Value {
    Value::Json(b"1".as_slice().into())
}

fn failed() -> Event {
    Event::Failed { failure: failure("no such user"), keep: MINUTE }
}

fn retry(unknown: bool) -> Event {
    Event::RetryLater { failure: Some(failure("try again")), unknown, gap: MINUTE }
}

fn ask_later(failed: bool) -> Event {
    Event::AskLater { failure: failed.then(|| failure("cannot tell")), gap: MINUTE }
}

fn parked() -> Event {
    Event::Parked { failure: failure("bad credential"), ran: true }
}

fn doubted(permanent: bool) -> Event {
    Event::Doubted { failure: failure("timed out"), permanent, ran: true }
}

fn died() -> Event {
    Event::Died { known: true }
}

fn lease_over() -> Event {
    Event::Died { known: false }
}

fn resolved_failed() -> Event {
    Event::Resolved(Resolved::Failed { failure: failure("it bounced"), keep: MINUTE })
}

fn failure(text: &str) -> FailureRecord {
    FailureRecord::new(text)
}

/// The state after these events, one a minute; each must be allowed.
fn after(events: &[Event]) -> State {
    let mut state = State::begin(&events[0], at(0)).expect("a first event");
    for (event, minute) in events[1..].iter().zip(1..) {
        let status = state.status;
        state = state
            .apply(event, at(minute))
            .unwrap_or_else(|_| panic!("{} is allowed while {status}", event.word()));
    }
    state
}

/// One event of each kind, for a state of that class. A new kind of event breaks the build here,
/// and its row is then missing in the table.
fn one_of_each(class: Class) -> Vec<Event> {
    let value = value();
    let resolved = Resolved::Succeeded { value: value.clone(), keep: None };
    let events = vec![
        submitted(class),
        claimed(class, 9),
        Event::NotThere,
        succeeded(),
        Event::Succeeded { value, found: true, keep: None },
        failed(),
        retry(false),
        retry(true),
        ask_later(false),
        Event::Released,
        parked(),
        doubted(false),
        Event::LateFailure { failure: failure("late") },
        died(),
        lease_over(),
        Event::Resolved(resolved),
        resolved_failed(),
        Event::Resolved(Resolved::NotDone),
        Event::Retried,
        Event::Expired,
        Event::Pruned,
        Event::Forgotten,
    ];
    for event in &events {
        match event {
            Event::Submitted { .. }
            | Event::Claimed(_)
            | Event::NotThere
            | Event::Succeeded { .. }
            | Event::Failed { .. }
            | Event::RetryLater { .. }
            | Event::AskLater { .. }
            | Event::Released
            | Event::Parked { .. }
            | Event::Doubted { .. }
            | Event::LateFailure { .. }
            | Event::Died { .. }
            | Event::Resolved(
                Resolved::Succeeded { .. } | Resolved::Failed { .. } | Resolved::NotDone,
            )
            | Event::Retried
            | Event::Expired
            | Event::Pruned
            | Event::Forgotten => {}
        }
    }
    events
}
