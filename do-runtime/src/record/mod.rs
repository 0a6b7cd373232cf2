//! The durable record of one key: its execution, its state, and how events change it.
//!
//! No I/O and no clock: [`State::apply`] is a pure function, used alike by live running, by
//! recovery, by every store and by tests.

mod allow;
mod apply;
mod event;
mod state;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use apply::NotAllowed;
pub use event::{Claim, Due, Event, Resolved, Value};
pub use state::{Cause, LastEnd, ResolvedAs, State, Status};

use crate::clock::Timestamp;
use crate::key::{Fingerprint, Key, KeyFields};

/// What an execution is the record of; unique in every state.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Identity {
    /// The tenant the key lives in.
    pub scope: Arc<str>,
    /// The action's name.
    pub action: Arc<str>,
    /// The idempotency key.
    pub key: Key,
}

impl Identity {
    /// That identity.
    #[must_use]
    pub fn new(scope: impl Into<Arc<str>>, action: impl Into<Arc<str>>, key: Key) -> Self {
        Self { scope: scope.into(), action: action.into(), key }
    }
}

/// What was asked for, as recorded.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Request {
    /// The action's key version.
    pub key_version: u32,
    /// What the key was made of.
    pub fields: KeyFields,
    /// Salted hashes of the parameters outside the key.
    pub fingerprint: Fingerprint,
    /// The recorded parameters: a JSON object; none once they were pruned.
    pub params: Option<Arc<[u8]>>,
}

impl Request {
    /// That request.
    #[must_use]
    pub const fn new(
        key_version: u32,
        fields: KeyFields,
        fingerprint: Fingerprint,
        params: Option<Arc<[u8]>>,
    ) -> Self {
        Self { key_version, fields, fingerprint, params }
    }
}

/// The place of an execution in its store; never shown to users.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_structs, reason = "it is its number, and will not be more")]
pub struct RowId(pub i64);

/// The durable record of one key.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Execution {
    /// Its place in the store.
    pub row: RowId,
    /// What it is the record of.
    pub identity: Identity,
    /// What was asked for, last.
    pub request: Request,
    /// When it was first recorded.
    pub created: Timestamp,
    /// When it was last changed.
    pub changed: Timestamp,
    /// Where it stands.
    pub state: State,
}

impl Execution {
    /// The execution that a first event makes.
    ///
    /// # Errors
    /// When the event cannot be the first one.
    pub fn begin(
        row: RowId,
        identity: Identity,
        request: Request,
        event: &Event,
        at: Timestamp,
    ) -> Result<Self, NotAllowed> {
        let state = State::begin(event, at)?;
        Ok(Self { row, identity, request, created: at, changed: at, state })
    }

    /// What the event makes of it; a claim may bring another request.
    ///
    /// # Errors
    /// When the event is not allowed in this state; nothing changes. A retry is not allowed once
    /// the parameters are gone: a call brings them again.
    pub fn apply(
        &self,
        event: &Event,
        request: Option<&Request>,
        at: Timestamp,
    ) -> Result<Self, NotAllowed> {
        if matches!(event, Event::Retried) && self.request.params.is_none() {
            return Err(NotAllowed { status: Some(self.state.status), event: event.word() });
        }
        let state = self.state.apply(event, at)?;
        // The trail never goes back, although a clock may. What is due is not put off by it.
        let mut next = Self { state, changed: at.max(self.changed), ..self.clone() };
        if let Some(request) = request {
            next.request = request.clone();
        }
        if matches!(event, Event::Pruned | Event::Expired | Event::Forgotten) {
            next.request.params = None;
        }
        Ok(next)
    }
}

macro_rules! random_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(into = "String", try_from = "String")]
        pub struct $name([u8; 16]);

        impl $name {
            /// From its bytes, which must be random.
            #[must_use]
            pub const fn from_bytes(bytes: [u8; 16]) -> Self {
                Self(bytes)
            }

            /// Its bytes.
            #[must_use]
            pub const fn as_bytes(&self) -> &[u8; 16] {
                &self.0
            }
        }

        /// 32 hex digits.
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl FromStr for $name {
            type Err = NotHex;

            fn from_str(text: &str) -> Result<Self, NotHex> {
                let digits = text.as_bytes();
                let mut bytes = [0; 16];
                if digits.len() != 32 || !digits.iter().all(u8::is_ascii_hexdigit) {
                    return Err(NotHex);
                }
                for (byte, at) in bytes.iter_mut().zip((0..32).step_by(2)) {
                    *byte = u8::from_str_radix(&text[at..at + 2], 16).map_err(|_| NotHex)?;
                }
                Ok(Self(bytes))
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.to_string()
            }
        }

        impl TryFrom<String> for $name {
            type Error = NotHex;

            fn try_from(text: String) -> Result<Self, NotHex> {
                text.parse()
            }
        }
    };
}

random_id! {
    /// One started process; random for each start.
    InstanceId
}

random_id! {
    /// The right to write one attempt's end; random for each claim.
    Token
}

/// A text that is not an id of 32 hex digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotHex;

impl fmt::Display for NotHex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected 32 hex digits")
    }
}

impl std::error::Error for NotHex {}
