//! What is written: claims and changes, and what became of them.

use std::sync::Arc;

use crate::audit::Author;
use crate::record::{Event, Execution, Identity, Request};

/// How far a write must have gone before it is acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Durability {
    /// It survives a power loss.
    Synced,
    /// Every instance sees it; a power loss may forget it. For claims whose loss loses nothing.
    Visible,
}

/// An execution to insert.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NewExecution {
    /// What it is the record of.
    pub identity: Identity,
    /// What was asked for.
    pub request: Request,
    /// Its first event: `Claimed` or `Submitted`.
    pub event: Event,
    /// Who stands behind it.
    pub author: Author,
    /// How far it must have gone.
    pub durability: Durability,
}

impl NewExecution {
    /// Synced before it is acknowledged.
    #[must_use]
    pub const fn new(identity: Identity, request: Request, event: Event, author: Author) -> Self {
        Self { identity, request, event, author, durability: Durability::Synced }
    }

    /// The same with another durability.
    #[must_use]
    pub const fn durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }
}

/// What a claim met.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Claimed {
    /// Nothing: this execution was inserted.
    Granted(Arc<Execution>),
    /// This execution, which is committed.
    Existing(Arc<Execution>),
}

/// An event to apply.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Change {
    /// The execution as last seen.
    pub before: Arc<Execution>,
    /// What happened.
    pub event: Event,
    /// What is asked for from now on, when a new round brings another request.
    pub request: Option<Request>,
    /// Who stands behind it.
    pub author: Author,
    /// How far it must have gone.
    pub durability: Durability,
}

impl Change {
    /// Synced before it is acknowledged; the request stays.
    #[must_use]
    pub const fn new(before: Arc<Execution>, event: Event, author: Author) -> Self {
        Self { before, event, request: None, author, durability: Durability::Synced }
    }

    /// The same with another request.
    #[must_use]
    pub fn request(mut self, request: Request) -> Self {
        self.request = Some(request);
        self
    }

    /// The same with another durability.
    #[must_use]
    pub const fn durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }
}

/// What became of a change.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Recorded {
    /// It is committed; the execution after it.
    Done(Arc<Execution>),
    /// The execution was no longer as last seen; nothing was written.
    Lost(Arc<Execution>),
    /// There is no such execution.
    Gone,
}
