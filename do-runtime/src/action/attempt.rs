//! What a body may know of the attempt that runs it.

use crate::key::{DownstreamKey, Key};

/// One run of a body. A body gets it by a parameter `attempt: &Attempt`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    key: Key,
    number: u32,
    round: u32,
}

impl Attempt {
    /// For the dispatcher, and for tests that call what takes an attempt.
    #[doc(hidden)]
    #[must_use]
    pub const fn new(key: Key, number: u32, round: u32) -> Self {
        Self { key, number, round }
    }

    /// Its number, from 1, over all rounds of the execution.
    #[must_use]
    pub const fn number(&self) -> u32 {
        self.number
    }

    /// The round it belongs to, from 1.
    #[must_use]
    pub const fn round(&self) -> u32 {
        self.round
    }

    /// The execution's id: its idempotency key.
    #[must_use]
    pub const fn execution(&self) -> Key {
        self.key
    }

    /// An idempotency key to hand to a provider: the same for every attempt of a round, on
    /// whatever machine, and another one for every `service`.
    #[must_use]
    pub fn downstream_key(&self, service: &str) -> DownstreamKey {
        self.key.downstream(service, self.round)
    }
}
