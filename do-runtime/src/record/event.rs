//! What can happen to an execution.

use std::sync::Arc;
use std::time::Duration;

use super::{InstanceId, Token};
use crate::clock::Timestamp;
use crate::failure::FailureRecord;
use crate::policy::Class;

/// One thing that happened; [`State::apply`](super::State::apply) says what it changes.
///
/// Gaps are relative: the store's clock, not the caller's, makes instants of them.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// Accepted, to be run when it is due.
    Submitted {
        /// The action's class.
        class: Class,
        /// When it may start.
        due: Due,
    },
    /// An instance took the right to run it.
    Claimed(Claim),
    /// The check said *not there* at a time at which that is believed.
    NotThere,
    /// The effect is there and this is its value.
    Succeeded {
        /// The recorded answer.
        value: Value,
        /// The check found it; the body did not run in this attempt.
        found: bool,
        /// How long the success answers repeats; none means for ever.
        keep: Option<Duration>,
    },
    /// It will not happen, and has had no effect.
    Failed {
        /// Why.
        failure: FailureRecord,
        /// How long the failure answers repeats.
        keep: Duration,
    },
    /// The attempt ended; another one follows.
    RetryLater {
        /// How the attempt ended, if it said so.
        failure: Option<FailureRecord>,
        /// The attempt's end is unknown.
        unknown: bool,
        /// Gap to the next attempt.
        gap: Duration,
    },
    /// The check's *not there* is not believed yet, or the check could not tell; ask again.
    AskLater {
        /// What the check said, when it could not tell.
        failure: Option<FailureRecord>,
        /// Gap to the next question.
        gap: Duration,
    },
    /// The attempt was given back before its body started.
    Released,
    /// Without effect, and not to be tried again before somebody acts.
    Parked {
        /// What to repair.
        failure: FailureRecord,
        /// The body ran in this attempt.
        ran: bool,
    },
    /// Nobody can know whether it took effect.
    Doubted {
        /// What is known of the end.
        failure: FailureRecord,
        /// The failure was permanent, but there was doubt from before.
        permanent: bool,
        /// The body ran in this attempt.
        ran: bool,
    },
    /// A failure that came after its attempt was given up; it settles nothing.
    LateFailure {
        /// What it says.
        failure: FailureRecord,
    },
    /// The instance that ran it is gone.
    Died {
        /// Its process is known to be dead; otherwise only its lease is over.
        known: bool,
    },
    /// A person or a program ended the doubt.
    Resolved(Resolved),
    /// A person or a program asked to try again.
    Retried,
    /// A success's time is over: a tombstone stays.
    Expired,
    /// A failure's time is over: its parameters and text go, its row stays.
    Pruned,
    /// A person or a program asked to forget a final answer: a tombstone stays.
    Forgotten,
}

/// When a submitted execution may start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Due {
    /// After a gap, by the store's clock.
    After(Duration),
    /// At an instant, by the store's clock.
    At(Timestamp),
}

/// The right to run one attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Claim {
    /// Every later write of this attempt must carry it.
    pub token: Token,
    /// Who runs it.
    pub instance: InstanceId,
    /// The action's class as the claiming code has it.
    pub class: Class,
}

impl Claim {
    /// That right.
    #[must_use]
    pub const fn new(token: Token, instance: InstanceId, class: Class) -> Self {
        Self { token, instance, class }
    }
}

/// How doubt was ended.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Resolved {
    /// It took effect.
    Succeeded {
        /// The answer to give from now on.
        value: Value,
        /// How long it answers repeats; none means for ever.
        keep: Option<Duration>,
    },
    /// It did not, and shall not.
    Failed {
        /// Why.
        failure: FailureRecord,
        /// How long the failure answers repeats.
        keep: Duration,
    },
    /// It did not: try again.
    NotDone,
}

/// A recorded answer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Value {
    /// JSON, byte for byte as first written.
    Json(Arc<[u8]>),
    /// Not kept; done is done all the same.
    Missing {
        /// Why, for people.
        reason: String,
    },
}

impl Event {
    /// The event's word in the audit trail.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Submitted { .. } => "submitted",
            Self::Claimed(_) => "claimed",
            Self::NotThere => "not_there",
            Self::Succeeded { found: false, .. } => "succeeded",
            Self::Succeeded { found: true, .. } => "found",
            Self::Failed { .. } => "failed",
            Self::RetryLater { unknown: false, .. } => "retry",
            Self::RetryLater { unknown: true, .. } => "unknown",
            Self::AskLater { .. } => "ask_later",
            Self::Released => "released",
            Self::Parked { .. } => "parked",
            Self::Doubted { .. } => "in_doubt",
            Self::LateFailure { .. } => "late_failure",
            Self::Died { known: true } => "died",
            Self::Died { known: false } => "lease_over",
            Self::Resolved(Resolved::Succeeded { .. }) => "resolved_succeeded",
            Self::Resolved(Resolved::Failed { .. }) => "resolved_failed",
            Self::Resolved(Resolved::NotDone) => "resolved_not_done",
            Self::Retried => "retried",
            Self::Expired => "expired",
            Self::Pruned => "pruned",
            Self::Forgotten => "forgotten",
        }
    }

    /// A person or a program of theirs asked for it: what was answered before may be so no longer.
    #[must_use]
    pub const fn is_verb(&self) -> bool {
        matches!(self, Self::Resolved(_) | Self::Retried | Self::Forgotten)
    }

    /// The failure that it brings.
    #[must_use]
    pub const fn failure(&self) -> Option<&FailureRecord> {
        match self {
            Self::Failed { failure, .. }
            | Self::Parked { failure, .. }
            | Self::Doubted { failure, .. }
            | Self::LateFailure { failure }
            | Self::Resolved(Resolved::Failed { failure, .. }) => Some(failure),
            Self::RetryLater { failure, .. } | Self::AskLater { failure, .. } => failure.as_ref(),
            _ => None,
        }
    }

    /// The answer that it brings.
    #[must_use]
    pub const fn value(&self) -> Option<&Value> {
        match self {
            Self::Succeeded { value, .. } | Self::Resolved(Resolved::Succeeded { value, .. }) => {
                Some(value)
            }
            _ => None,
        }
    }
}
