//! What is read: single executions, pages of them, and the instances that a store knows.

use std::sync::Arc;

use crate::clock::Timestamp;
use crate::key::Key;
use crate::record::{Execution, Identity, InstanceId, RowId, Status};

/// Which execution to read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Which {
    /// The one of this identity.
    Identity(Identity),
    /// The one of this key, in that scope.
    Key {
        /// The tenant that asks.
        scope: Arc<str>,
        /// The execution's id as shown to people.
        key: Key,
    },
}

/// One field of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyField {
    /// The tenant.
    pub scope: Arc<str>,
    /// The action.
    pub action: Arc<str>,
    /// The field's name.
    pub field: Arc<str>,
    /// The field's encoded value.
    pub node: String,
    /// At most that many, newest first.
    pub limit: usize,
}

impl KeyField {
    /// That field with that value.
    #[must_use]
    pub const fn new(
        scope: Arc<str>,
        action: Arc<str>,
        field: Arc<str>,
        node: String,
        limit: usize,
    ) -> Self {
        Self { scope, action, field, node, limit }
    }
}

/// Which executions to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Filter {
    /// Of one tenant; none means of all. [`Runtime::list`](crate::Runtime::list) puts its own here.
    pub scope: Option<Arc<str>>,
    /// Of one action.
    pub action: Option<Arc<str>>,
    /// In one of these states; empty means in any.
    pub status: Vec<Status>,
    /// Where the page before ended.
    pub before: Option<RowId>,
    /// At most that many; 0 means [`Filter::LIMIT`].
    pub limit: usize,
}

impl Filter {
    /// Rows of a page when the filter names no other number.
    pub const LIMIT: usize = 100;

    /// The same, of one action.
    #[must_use]
    pub fn action(mut self, action: impl Into<Arc<str>>) -> Self {
        self.action = Some(action.into());
        self
    }

    /// The same, in this state too.
    #[must_use]
    pub fn status(mut self, status: Status) -> Self {
        self.status.push(status);
        self
    }

    /// The same, of one tenant.
    #[must_use]
    pub fn scope(mut self, scope: impl Into<Arc<str>>) -> Self {
        self.scope = Some(scope.into());
        self
    }

    /// The same, going on where a page ended.
    #[must_use]
    pub const fn before(mut self, row: RowId) -> Self {
        self.before = Some(row);
        self
    }

    /// The same, with at most that many rows.
    #[must_use]
    pub const fn limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }
}

/// A page of executions.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Page {
    /// The executions, newest first.
    pub executions: Vec<Arc<Execution>>,
    /// Give it to [`Filter::before`] for the next page; none at the end.
    pub next: Option<RowId>,
}

impl Page {
    /// That page.
    #[must_use]
    pub const fn new(executions: Vec<Arc<Execution>>, next: Option<RowId>) -> Self {
        Self { executions, next }
    }
}

/// Which executions to take up.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DueQuery {
    /// Of these actions only.
    pub actions: Arc<[Arc<str>]>,
    /// Instances that are gone, and this one: their running executions are wanted too.
    pub instances: Vec<InstanceId>,
    /// Only rows after this one, in the order of rows.
    pub after: Option<RowId>,
    /// At most that many; then the page is full.
    pub limit: usize,
}

impl DueQuery {
    /// A first page.
    #[must_use]
    pub const fn new(
        actions: Arc<[Arc<str>]>,
        instances: Vec<InstanceId>,
        after: Option<RowId>,
        limit: usize,
    ) -> Self {
        Self { actions, instances, after, limit }
    }
}

/// What to take up.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct DuePage {
    /// Waiting and due, or running on one of the instances; in the order of rows.
    pub executions: Vec<Arc<Execution>>,
    /// When the next one that waits becomes due, by the store's clock: of all executions of these
    /// actions, also of those before the page. Only of a page that is not full.
    pub next_due: Option<Timestamp>,
}

impl DuePage {
    /// That page.
    #[must_use]
    pub const fn new(executions: Vec<Arc<Execution>>, next_due: Option<Timestamp>) -> Self {
        Self { executions, next_due }
    }
}

/// An instance as the store knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Seen {
    /// The instance.
    pub instance: InstanceId,
    /// Rises with each renewal.
    pub renewals: u64,
    /// Its lease is over by the store's clock.
    pub over: bool,
    /// Its process is known to be dead.
    pub dead: bool,
}

impl Seen {
    /// An instance as seen now.
    #[must_use]
    pub const fn new(instance: InstanceId, renewals: u64, over: bool, dead: bool) -> Self {
        Self { instance, renewals, over, dead }
    }
}
