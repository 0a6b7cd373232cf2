//! Trying again: one execution, or all that fit a filter.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use super::operate::{Verb, reason};
use super::{IntoKey, Runtime};
use crate::dispatcher::{Error, ErrorKind};
use crate::key::Key;
use crate::policy::Class;
use crate::record::{Event, Execution, Status};
use crate::store::Filter;

/// A retry that still lacks its reason: `.because("…").await`.
#[must_use = "say why: `.because(\"…\").await`"]
#[derive(Debug)]
pub struct Retry {
    runtime: Runtime,
    key: Result<Key, Error>,
}

/// A retry of many that still lacks its reason: `.because("…").await`.
#[must_use = "say why: `.because(\"…\").await`"]
#[derive(Debug)]
pub struct RetryAll {
    runtime: Runtime,
    filter: Filter,
}

/// What a retry of many came to.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Retried {
    /// Those that are tried again.
    pub retried: u64,
    /// Those that must not be.
    pub refused: u64,
    /// The first refusals, at most [`Filter::LIMIT`]; each names its execution.
    pub refusals: Vec<Error>,
}

impl Runtime {
    /// Tries again: a parked or failed execution begins a new round, a waiting one becomes due
    /// now, one in doubt goes on where its author allowed that. One that is running or done is
    /// left as it is.
    pub fn retry(&self, id: impl IntoKey) -> Retry {
        Retry { runtime: self.clone(), key: id.into_key() }
    }

    /// The same for all executions of this scope that fit the filter, newest first, at most as
    /// many as it says; when it names no state, for those that are parked or failed. Said again
    /// after half of it, it goes on with the rest.
    ///
    /// ```no_run
    /// # use do_runtime::store::Filter;
    /// # async fn example(app: do_runtime::Runtime) -> Result<(), do_runtime::Error> {
    /// let filter = Filter::default().action("send-welcome-email");
    /// let came_to = app.retry_all(filter).because("the mail server is back").await?;
    /// println!("{} are tried again", came_to.retried);
    /// # Ok(()) }
    /// ```
    pub fn retry_all(&self, filter: Filter) -> RetryAll {
        RetryAll { runtime: self.clone(), filter }
    }
}

impl Retry {
    /// Tries again, for this reason.
    pub fn because(self, why: impl Into<Arc<str>>) -> Verb {
        let why = why.into();
        Box::pin(async move { self.runtime.operate(self.key?, why, retry_event).await })
    }
}

impl RetryAll {
    /// Tries again, for this reason.
    pub fn because(
        self,
        why: impl Into<Arc<str>>,
    ) -> Pin<Box<dyn Future<Output = Result<Retried, Error>> + Send>> {
        let why = why.into();
        Box::pin(async move { self.run(&reason(why)?).await })
    }

    async fn run(self, why: &Arc<str>) -> Result<Retried, Error> {
        let Self { runtime, mut filter } = self;
        if filter.status.is_empty() {
            filter = filter.status(Status::Parked).status(Status::Failed);
        }
        let wanted = filter.status.clone();
        let mut left = if filter.limit == 0 { usize::MAX } else { filter.limit };
        let mut came_to = Retried::default();
        while left > 0 {
            let page = runtime.list(filter.clone().limit(left.min(Filter::LIMIT))).await?;
            left = left.saturating_sub(page.executions.len());
            for execution in page.executions {
                let again = |current: &Execution| {
                    let wanted = wanted.contains(&current.state.status);
                    if wanted { retry_event(current) } else { Ok(None) }
                };
                let key = execution.identity.key;
                match runtime.operate(key, Arc::clone(why), again).await {
                    Ok(_) => came_to.retried += 1,
                    Err(error) if error.kind() == ErrorKind::NotAllowed => came_to.refuse(error),
                    Err(error) => return Err(error),
                }
            }
            match page.next {
                Some(next) => filter = filter.before(next),
                None => break,
            }
        }
        Ok(came_to)
    }
}

impl Retried {
    fn refuse(&mut self, error: Error) {
        self.refused += 1;
        if self.refusals.len() < Filter::LIMIT {
            self.refusals.push(error);
        }
    }
}

fn retry_event(execution: &Execution) -> Result<Option<Event>, Error> {
    let refused = |text: &str| {
        Err(Error::new(ErrorKind::NotAllowed, text.to_owned()).of_execution(execution))
    };
    match execution.state.status {
        Status::Failed if execution.request.params.is_none() => {
            refused("its parameters are no longer kept; execute the call again, which brings them")
        }
        Status::InDoubt if execution.state.class == Class::Once => refused(
            "it is in doubt and must not be repeated; find out whether it happened and resolve it",
        ),
        Status::Waiting | Status::Parked | Status::Failed | Status::InDoubt => {
            Ok(Some(Event::Retried))
        }
        Status::Running | Status::Succeeded => Ok(None),
        Status::Expired => refused("it took effect and expired; nothing runs again"),
    }
}
