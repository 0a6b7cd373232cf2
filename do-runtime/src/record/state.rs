//! Where an execution stands.

use serde::{Deserialize, Serialize};

use super::event::Value;
use super::{InstanceId, Token};
use crate::clock::Timestamp;
use crate::failure::FailureRecord;
use crate::policy::Class;

/// The box of the state diagram that an execution is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Status {
    /// An attempt is under way.
    Running,
    /// Something will start it: its due time. Holds no claim.
    Waiting,
    /// It took effect and has its answer.
    Succeeded,
    /// It had no effect and has its failure.
    Failed,
    /// It had no effect, and somebody must act before it is tried again.
    Parked,
    /// Nobody can know whether it took effect.
    InDoubt,
    /// It had its answer, which is gone.
    Expired,
}

impl Status {
    /// Every status, in the order of the diagram.
    pub const ALL: [Self; 7] = [
        Self::Running,
        Self::Waiting,
        Self::Succeeded,
        Self::Failed,
        Self::Parked,
        Self::InDoubt,
        Self::Expired,
    ];

    /// The word in tables, on the wire and in messages.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Parked => "parked",
            Self::InDoubt => "in_doubt",
            Self::Expired => "expired",
        }
    }

    /// The status of that word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == word)
    }
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a waiting execution waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Cause {
    /// It was submitted, or asked to be tried again.
    Accepted,
    /// The gap before the next attempt.
    Retry,
    /// The check is asked again.
    Check,
    /// Its instance is gone or gave it back.
    TakeOver,
}

/// How the last body ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LastEnd {
    /// When its end was recorded; not before the body stood still, if `known`.
    pub at: Timestamp,
    /// Its own instance recorded the end, or its process is known to be dead. Otherwise only the
    /// lease ran out, and the body may still be running.
    pub known: bool,
    /// It ended with its instance.
    pub died: bool,
    /// It ended with a permanent failure.
    pub permanent: bool,
}

/// Where an execution stands; [`apply`](Self::apply) is the only way on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct State {
    /// The box of the diagram.
    pub status: Status,
    /// Number of the last audit entry; entries count from 1 without a hole.
    pub entries: u64,
    /// The action's class when it was last accepted or claimed.
    pub class: Class,
    /// The round, from 1.
    pub round: u32,
    /// When the round's first attempt was claimed; a fresh retry window begins with none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round_began: Option<Timestamp>,
    /// Attempts claimed in this retry window.
    pub round_attempts: u32,
    /// Attempts claimed in all rounds; rises with take-overs.
    pub attempts: u32,
    /// An attempt of this execution ended unknown, and nothing has settled that since.
    pub doubt: bool,
    /// Attempts in a row that ended with their process.
    pub deaths: u32,
    /// Since when it may start; of `Waiting` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due: Option<Timestamp>,
    /// What it waits for; of `Waiting` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// The token of the last claim, kept after its end: a late success must carry it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<Token>,
    /// Who made the last claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<InstanceId>,
    /// How the last body ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_end: Option<LastEnd>,
    /// The failure that answers; otherwise the last one there was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<FailureRecord>,
    /// The answer; of `Succeeded` only. Stores keep it beside the rest.
    #[serde(skip)]
    pub value: Option<Value>,
    /// A person or a program settled it, by these words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution: Option<ResolvedAs>,
    /// When it last reached an end: succeeded, failed, parked or in doubt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Timestamp>,
    /// Until when a success or a failure answers repeats; of a success none means for ever, of a
    /// failure that it was pruned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep_until: Option<Timestamp>,
}

/// What somebody decided about an execution in doubt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ResolvedAs {
    /// It took effect.
    Succeeded,
    /// It did not, and shall not.
    Failed,
    /// It did not, and is tried again.
    NotDone,
}

impl ResolvedAs {
    /// The resolution that an event's word stands for.
    pub(crate) fn of_event(word: &str) -> Option<Self> {
        match word {
            "resolved_succeeded" => Some(Self::Succeeded),
            "resolved_failed" => Some(Self::Failed),
            "resolved_not_done" => Some(Self::NotDone),
            _ => None,
        }
    }
}

impl State {
    /// Attempts in a row that may end with their process before nothing starts by itself.
    pub const POISON: u32 = 5;

    /// A call may continue the round although it is in doubt: the author said that repeating is
    /// safe, and the last end gave no reason to stop.
    #[must_use]
    pub fn may_continue_in_doubt(&self, class: Class) -> bool {
        let stopped = self.last_end.is_some_and(|end| end.died || end.permanent);
        matches!(class, Class::Repeatable | Class::Check) && !stopped
    }

    /// Waiting, and its due time has come.
    #[must_use]
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.status == Status::Waiting && self.due.is_some_and(|due| due <= now)
    }

    /// Its answer is over: a success or a failure whose retention has ended. A failure always has
    /// an end of its retention until it is pruned.
    #[must_use]
    pub fn is_over(&self, now: Timestamp) -> bool {
        match self.keep_until {
            Some(until) => until <= now,
            None => self.status == Status::Failed,
        }
    }
}
