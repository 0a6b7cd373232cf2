//! The audit trail: what a state entry says, and who stands behind a write.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::clock::Timestamp;
use crate::failure::FailureClass;
use crate::record::{Event, Execution, InstanceId, Status, Value};

/// Who stands behind a write, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Author {
    /// The person or program: `jane@support`, or the name of the runtime's own part.
    pub principal: Arc<str>,
    /// The reason given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Arc<str>>,
    /// The instance that wrote.
    pub instance: InstanceId,
    /// Name and version of the crate whose code ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<Arc<str>>,
}

impl Author {
    /// That principal, on that instance.
    #[must_use]
    pub fn new(principal: impl Into<Arc<str>>, instance: InstanceId) -> Self {
        Self { principal: principal.into(), why: None, instance, version: None }
    }

    /// The same with a reason.
    #[must_use]
    pub fn because(mut self, why: impl Into<Arc<str>>) -> Self {
        self.why = Some(why.into());
        self
    }

    /// The same with the version of the code that ran.
    #[must_use]
    pub fn version(mut self, version: impl Into<Arc<str>>) -> Self {
        self.version = Some(version.into());
        self
    }
}

/// One state change of an execution, written in the same transaction as the change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StateEntry {
    /// Its number, from 1 without a hole.
    pub n: u64,
    /// When, by the store's clock.
    pub at: Timestamp,
    /// The event's word.
    pub event: String,
    /// The state before; none for the first entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Status>,
    /// The state after.
    pub after: Status,
    /// The attempt that was last claimed; 0 before the first.
    pub attempt: u32,
    /// The round.
    pub round: u32,
    /// Who, why, where, which code.
    pub author: Author,
    /// Class and text of the failure that the event brought.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<EntryFailure>,
    /// Salted hash of the value that the event brought, in hex.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_hash: Option<String>,
    /// The parameters outside the key changed with this entry.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub other_request: bool,
}

/// What an entry keeps of a failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EntryFailure {
    /// Its class, if it has one.
    pub class: Option<FailureClass>,
    /// Its text.
    pub text: String,
}

impl StateEntry {
    /// The entry of the event that led from `before` to `after`.
    #[must_use]
    pub fn of(
        before: Option<&Execution>,
        after: &Execution,
        event: &Event,
        author: &Author,
    ) -> Self {
        Self {
            n: after.state.entries,
            at: after.changed,
            event: event.word().to_owned(),
            before: before.map(|execution| execution.state.status),
            after: after.state.status,
            attempt: after.state.attempts,
            round: after.state.round,
            author: author.clone(),
            failure: event.failure().map(|failure| EntryFailure {
                class: failure.class,
                text: failure.message.clone(),
            }),
            value_hash: match event.value() {
                Some(Value::Json(bytes)) => Some(after.request.fingerprint.hash_value(bytes)),
                Some(Value::Missing { .. }) | None => None,
            },
            other_request: before.is_some_and(|execution| execution.request != after.request)
                && matches!(event, Event::Claimed(_) | Event::Submitted { .. }),
        }
    }
}
