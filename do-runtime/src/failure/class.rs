//! The classes a failure can have.

use serde::{Deserialize, Serialize};

/// Whether there was an effect, and who acts next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FailureClass {
    /// No effect, and trying again cannot help.
    Permanent,
    /// No effect, and trying again may help.
    Transient,
    /// No effect, and a person has something to repair first.
    Repair,
    /// Nobody knows whether there was an effect.
    InDoubt,
}

impl FailureClass {
    /// The word used in tables, on the wire and in messages.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Permanent => "permanent",
            Self::Transient => "transient",
            Self::Repair => "repair",
            Self::InDoubt => "in_doubt",
        }
    }

    /// What the status of an HTTP answer says about the effect of a request, for classifiers of
    /// HTTP clients. `retry_after` tells whether the answer had a `Retry-After` header.
    #[must_use]
    pub const fn of_status(status: u16, retry_after: bool) -> Option<Self> {
        match status {
            401 | 403 | 407 => Some(Self::Repair),
            429 => Some(Self::Transient),
            503 if retry_after => Some(Self::Transient),
            408 | 409 | 425 | 500 | 502 | 503 | 504 => Some(Self::InDoubt),
            400..=499 => Some(Self::Permanent),
            _ => None,
        }
    }
}
