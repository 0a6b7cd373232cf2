//! Operators' verbs, and the first of them: resolve what is in doubt. Each says who and why, is
//! audited, and is safe to repeat.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde::Serialize;

use super::Runtime;
use crate::dispatcher::{Error, ErrorKind};
use crate::failure::{FailureClass, FailureRecord};
use crate::key::Key;
use crate::policy::Policy;
use crate::record::{Event, Execution, Resolved, ResolvedAs, Status, Value};
use crate::store::{Change, Recorded, StoreError};

/// How often a verb that others overtake looks again.
const TRIES: usize = 16;

/// What was found out about an execution in doubt.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Resolution {
    /// It took effect; this is the answer to give from now on, as JSON.
    Succeeded(serde_json::Value),
    /// It did not, and shall not: it fails with this text.
    Failed(String),
    /// It did not: it is tried again.
    NotDone,
}

impl Resolution {
    /// It took effect, with that value.
    ///
    /// # Errors
    /// The value cannot be written as JSON.
    pub fn succeeded(value: impl Serialize) -> Result<Self, Error> {
        serde_json::to_value(value)
            .map(Self::Succeeded)
            .map_err(|error| Error::new(ErrorKind::InvalidParams, error.to_string()))
    }

    const fn kind(&self) -> ResolvedAs {
        match self {
            Self::Succeeded(_) => ResolvedAs::Succeeded,
            Self::Failed(_) => ResolvedAs::Failed,
            Self::NotDone => ResolvedAs::NotDone,
        }
    }
}

/// An execution's id: a [`Key`], or its text `k1_…`.
pub trait IntoKey {
    /// The id.
    ///
    /// # Errors
    /// The text is no id.
    fn into_key(self) -> Result<Key, Error>;
}

impl IntoKey for Key {
    fn into_key(self) -> Result<Key, Error> {
        Ok(self)
    }
}

impl IntoKey for &Key {
    fn into_key(self) -> Result<Key, Error> {
        Ok(*self)
    }
}

impl IntoKey for &str {
    fn into_key(self) -> Result<Key, Error> {
        self.parse().map_err(|error| {
            Error::new(ErrorKind::InvalidKey, format!("`{self}` is no execution's id: {error}"))
        })
    }
}

impl IntoKey for &String {
    fn into_key(self) -> Result<Key, Error> {
        self.as_str().into_key()
    }
}

/// A resolution that still lacks its reason: `.because("…").await`.
#[must_use = "say why: `.because(\"…\").await`"]
#[derive(Debug)]
pub struct Resolve {
    runtime: Runtime,
    key: Result<Key, Error>,
    resolution: Resolution,
}

/// An operator's verb on its way to the execution as it left it.
pub(super) type Verb = Pin<Box<dyn Future<Output = Result<Arc<Execution>, Error>> + Send>>;

impl Runtime {
    /// Ends the doubt about an execution.
    ///
    /// ```no_run
    /// # use do_runtime::prelude::*;
    /// # async fn example(app: Runtime) -> Result<(), do_runtime::Error> {
    /// app.as_principal("jane@support")
    ///     .resolve("k1_yaKROoTspc7xPa0U-3FusCACBnfcPLCCg0EHEuRWN2E", Resolution::NotDone)
    ///     .because("the mail log is empty")
    ///     .await?;
    /// # Ok(()) }
    /// ```
    /// The same resolution again changes nothing; another one
    /// is refused as [`ErrorKind::AlreadyResolved`].
    pub fn resolve(&self, id: impl IntoKey, resolution: Resolution) -> Resolve {
        Resolve { runtime: self.clone(), key: id.into_key(), resolution }
    }

    pub(super) async fn operate(
        &self,
        key: Key,
        why: Arc<str>,
        decide: impl Fn(&Execution) -> Result<Option<Event>, Error> + Send,
    ) -> Result<Arc<Execution>, Error> {
        let author = self.author().because(reason(why)?);
        for _ in 0..TRIES {
            let current = self.existing(key).await?;
            let Some(event) = decide(&current)? else { return Ok(current) };
            let change = Change::new(Arc::clone(&current), event, author.clone());
            match self.dispatcher.store.record(change).await {
                Ok(Recorded::Done(after)) => {
                    self.dispatcher.due.notify_one();
                    return Ok(after);
                }
                Ok(Recorded::Lost(_) | Recorded::Gone) => {}
                Err(StoreError::NotAllowed(refused)) => {
                    return Err(Error::new(ErrorKind::NotAllowed, refused.to_string())
                        .of_execution(&current));
                }
                Err(error @ StoreError::Unknown(_)) => {
                    let text = format!("{error}; say the same again to learn whether it stands");
                    return Err(Error::new(ErrorKind::InProgress, text).of_execution(&current));
                }
                Err(error) => return Err(Error::unavailable(&error)),
            }
        }
        Err(Error::new(ErrorKind::Overloaded, "the execution changes all the time; try again"))
    }

    /// What to say about a resolution of what is no longer in doubt: said once more, because its
    /// answer was lost, it changes nothing, although the execution went on since.
    async fn resolved_before(
        &self,
        key: Key,
        resolution: &Resolution,
        refused: Error,
    ) -> Result<Arc<Execution>, Error> {
        let execution = self.existing(key).await?;
        let entries = self.history(key).await?;
        let last = entries.iter().rev().find_map(|entry| {
            let before = ResolvedAs::of_event(&entry.event)?;
            Some((before, entry.failure.as_ref().map(|failure| failure.text.as_str())))
        });
        match (last, resolution) {
            (None, _) => Err(refused),
            (Some((ResolvedAs::NotDone, _)), Resolution::NotDone) => Ok(execution),
            (Some((ResolvedAs::Failed, text)), Resolution::Failed(again))
                if text == Some(&text_of(again)) =>
            {
                Ok(execution)
            }
            (Some((before, _)), _) => Err(already_resolved(&execution, before)),
        }
    }

    fn policy_of(&self, execution: &Execution) -> Policy {
        let action = self.dispatcher.registry.action(&execution.identity.action);
        action.map_or(Policy::new(execution.state.class), |action| action.definition.policy)
    }
}

impl Resolve {
    /// Resolves, for this reason.
    pub fn because(self, why: impl Into<Arc<str>>) -> Verb {
        let why = why.into();
        Box::pin(async move {
            let Self { runtime, key, resolution } = self;
            let resolved = |execution: &Execution| {
                resolve_event(execution, &resolution, &runtime.policy_of(execution))
            };
            let key = key?;
            match runtime.operate(key, why, resolved).await {
                Err(error) if error.kind() == ErrorKind::NotAllowed => {
                    runtime.resolved_before(key, &resolution, error).await
                }
                answer => answer,
            }
        })
    }
}

fn resolve_event(
    execution: &Execution,
    resolution: &Resolution,
    policy: &Policy,
) -> Result<Option<Event>, Error> {
    if execution.state.status == Status::InDoubt {
        return Ok(Some(Event::Resolved(match resolution {
            Resolution::Succeeded(value) => Resolved::Succeeded {
                value: Value::Json(value.to_string().into_bytes().into()),
                keep: policy.keep,
            },
            Resolution::Failed(text) => Resolved::Failed {
                failure: FailureRecord::new(text.clone()).of_class(FailureClass::Permanent),
                keep: policy.keep_failed,
            },
            Resolution::NotDone => Resolved::NotDone,
        })));
    }
    match execution.state.resolution {
        Some(before) if before == resolution.kind() && same_answer(execution, resolution) => {
            Ok(None)
        }
        Some(before) => Err(already_resolved(execution, before)),
        None => Err(Error::new(
            ErrorKind::NotAllowed,
            format!(
                "it is {}, not in doubt, so there is nothing to resolve",
                execution.state.status
            ),
        )
        .of_execution(execution)),
    }
}

fn already_resolved(execution: &Execution, before: ResolvedAs) -> Error {
    let before = match before {
        ResolvedAs::Succeeded => "succeeded",
        ResolvedAs::Failed => "failed",
        ResolvedAs::NotDone => "not done",
    };
    Error::new(
        ErrorKind::AlreadyResolved,
        format!("it was resolved as {before} before; app.history(id) says by whom and why"),
    )
    .of_execution(execution)
}

/// A resolution is the same again only with the same answer.
fn same_answer(execution: &Execution, resolution: &Resolution) -> bool {
    match (resolution, &execution.state.value, &execution.state.failure) {
        (Resolution::Succeeded(value), Some(Value::Json(json)), _) => {
            **json == *value.to_string().as_bytes()
        }
        (Resolution::Failed(text), _, Some(failure)) => failure.message == text_of(text),
        (Resolution::NotDone, ..) => true,
        (Resolution::Succeeded(_) | Resolution::Failed(_), ..) => false,
    }
}

/// The text of a failure as it is recorded.
fn text_of(text: &str) -> String {
    FailureRecord::new(text).message
}

/// A reason says something.
pub(super) fn reason(why: Arc<str>) -> Result<Arc<str>, Error> {
    if why.trim().is_empty() {
        let text = "the reason is blank; say why, for those who read the history";
        return Err(Error::new(ErrorKind::InvalidParams, text));
    }
    Ok(why)
}
