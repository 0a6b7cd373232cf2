//! What an author decides about an action: its class, its retries, its time-out, its retention.
//!
//! Plain data, made by the attribute at compile time; nothing here acts.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What happens when an attempt ends and nobody can know whether it took effect.
///
/// The table is in the README ("The promise"); the classes are exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Class {
    /// The body works through one database transaction and nothing else: effect and outcome
    /// commit together.
    Transaction,
    /// The body may run again after an end that nobody knows.
    Repeatable,
    /// The world is asked before every attempt.
    Check,
    /// Never repeated on its own: an unknown end waits for a decision.
    Once,
}

impl Class {
    /// The word used in tables, on the wire and in messages.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Transaction => "transaction",
            Self::Repeatable => "repeatable",
            Self::Check => "check",
            Self::Once => "once",
        }
    }

    /// The class of that word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Transaction, Self::Repeatable, Self::Check, Self::Once]
            .into_iter()
            .find(|class| class.as_str() == word)
    }
}

/// When a failure without effect, or an unknown end that may be repeated, is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Retry {
    /// Counted from the first attempt of the round.
    pub within: Duration,
    /// The longest gap between two attempts.
    pub max: Duration,
    /// Attempts in one round; none means unlimited.
    pub attempts: Option<u32>,
}

impl Retry {
    /// The first gap, before jitter.
    pub const FIRST_GAP: Duration = Duration::from_millis(200);

    /// Within 24 hours, gaps up to ten minutes, attempts unlimited.
    pub const DEFAULT: Self = Self {
        within: Duration::from_secs(24 * 3600),
        max: Duration::from_secs(600),
        attempts: None,
    };

    /// The same with another window.
    #[must_use]
    pub const fn within(mut self, within: Duration) -> Self {
        self.within = within;
        self
    }

    /// The same with another longest gap.
    #[must_use]
    pub const fn max(mut self, max: Duration) -> Self {
        self.max = max;
        self
    }

    /// The same with a bound on the attempts of a round.
    #[must_use]
    pub const fn attempts(mut self, attempts: u32) -> Self {
        self.attempts = Some(attempts);
        self
    }
}

/// All that the attribute's options say about how an action is run and kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Policy {
    /// See [`Class`].
    pub class: Class,
    /// See [`Retry`].
    pub retry: Retry,
    /// One attempt; when it is over, its end is unknown.
    pub timeout: Duration,
    /// How long a success answers repeats; none means for ever.
    pub keep: Option<Duration>,
    /// How long a failure answers repeats.
    pub keep_failed: Duration,
    /// How long after an unknown end a check's *not there* is not yet believed; none means one
    /// lease.
    pub settle: Option<Duration>,
}

impl Policy {
    /// The time-out of one attempt that is not a transaction.
    pub const TIMEOUT: Duration = Duration::from_secs(15 * 60);
    /// The time-out of one attempt of a transaction, the wait for the database's lock included.
    pub const TIMEOUT_TRANSACTION: Duration = Duration::from_secs(5);
    /// How long a failure answers repeats.
    pub const KEEP_FAILED: Duration = Duration::from_secs(24 * 3600);

    /// The defaults of that class.
    #[must_use]
    pub const fn new(class: Class) -> Self {
        Self {
            class,
            retry: Retry::DEFAULT,
            timeout: match class {
                Class::Transaction => Self::TIMEOUT_TRANSACTION,
                Class::Repeatable | Class::Check | Class::Once => Self::TIMEOUT,
            },
            keep: None,
            keep_failed: Self::KEEP_FAILED,
            settle: None,
        }
    }

    /// The same with other retries.
    #[must_use]
    pub const fn retry(mut self, retry: Retry) -> Self {
        self.retry = retry;
        self
    }

    /// The same with another time-out.
    #[must_use]
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// The same with a bounded retention of successes.
    #[must_use]
    pub const fn keep(mut self, keep: Duration) -> Self {
        self.keep = Some(keep);
        self
    }

    /// The same with another retention of failures.
    #[must_use]
    pub const fn keep_failed(mut self, keep_failed: Duration) -> Self {
        self.keep_failed = keep_failed;
        self
    }

    /// The same with another settling time of the check.
    #[must_use]
    pub const fn settle(mut self, settle: Duration) -> Self {
        self.settle = Some(settle);
        self
    }
}
