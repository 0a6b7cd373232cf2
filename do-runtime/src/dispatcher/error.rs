//! Why a call has no value: one error type for every verb.

use std::fmt;
use std::sync::Arc;

use crate::clock::Timestamp;
use crate::failure::FailureRecord;
use crate::key::Key;
use crate::policy::Class;
use crate::record::{Execution, Status};
use crate::store::StoreError;

/// For an error of which nobody said whether there was an effect: the words to write.
const STATE_A_CLASS: &str = " (nothing says whether this error means an effect; where it arises, \
                             write `.permanent()?` or `.transient()?` if there was none)";

/// What is known of the effect of a call that has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Effect {
    /// There is none.
    None,
    /// It is there.
    Applied,
    /// Nobody can know, or not yet.
    Unknown,
}

impl Effect {
    /// The word on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Applied => "applied",
            Self::Unknown => "unknown",
        }
    }
}

/// Why a call has no value, to be matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The action failed, without effect; [`Error::downcast`] gives the author's error.
    Failed,
    /// Nobody can know whether it took effect; somebody must decide.
    InDoubt,
    /// Without effect; something must be repaired or decided before it is tried again.
    Parked,
    /// Not finished within the caller's wait; it goes on.
    InProgress,
    /// The key was used with other parameters.
    KeyReused,
    /// It succeeded once, its answer is gone, and nothing runs again.
    Expired,
    /// Too many wait.
    Overloaded,
    /// Parameters that the action does not take.
    InvalidParams,
    /// Key parts that make no key.
    InvalidKey,
    /// No action of that name is registered.
    UnknownAction,
    /// No such execution.
    NotFound,
    /// The verb is not allowed in the execution's state.
    NotAllowed,
    /// Somebody else decided otherwise.
    AlreadyResolved,
    /// The store could not be reached before anything happened.
    StoreUnavailable,
    /// The effect may be there, and its outcome could not be written yet.
    Unrecorded,
    /// The recorded answer does not fit the caller's type.
    IncompatibleResult,
    /// The runtime takes no new work.
    Draining,
    /// Asked from where it would wait for itself.
    WouldDeadlock,
}

impl ErrorKind {
    /// The code on the wire and in logs.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::InDoubt => "in_doubt",
            Self::Parked => "parked",
            Self::InProgress => "in_progress",
            Self::KeyReused => "key_reused",
            Self::Expired => "expired",
            Self::Overloaded => "overloaded",
            Self::InvalidParams => "invalid_params",
            Self::InvalidKey => "invalid_key",
            Self::UnknownAction => "unknown_action",
            Self::NotFound => "not_found",
            Self::NotAllowed => "not_allowed",
            Self::AlreadyResolved => "already_resolved",
            Self::StoreUnavailable => "store_unavailable",
            Self::Unrecorded => "unrecorded",
            Self::IncompatibleResult => "incompatible_result",
            Self::Draining => "draining",
            Self::WouldDeadlock => "would_deadlock",
        }
    }
}

/// Why a call has no value.
///
/// Its text says what happened and what to do next; [`advice`](Self::advice) has the exact line
/// where a person must act.
#[derive(Clone)]
pub struct Error {
    inner: Box<Inner>,
}

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    message: String,
    effect: Effect,
    retryable: bool,
    execution: Option<Key>,
    attempts: u32,
    due: Option<Timestamp>,
    failure: Option<FailureRecord>,
    advice: Option<String>,
    replayed: bool,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let (effect, retryable) = match kind {
            ErrorKind::InDoubt | ErrorKind::InProgress | ErrorKind::Unrecorded => {
                (Effect::Unknown, kind != ErrorKind::InDoubt)
            }
            ErrorKind::Expired | ErrorKind::IncompatibleResult => (Effect::Applied, false),
            ErrorKind::Overloaded | ErrorKind::StoreUnavailable | ErrorKind::Draining => {
                (Effect::None, true)
            }
            // About another request, or about no execution at all.
            ErrorKind::Failed
            | ErrorKind::Parked
            | ErrorKind::KeyReused
            | ErrorKind::InvalidParams
            | ErrorKind::InvalidKey
            | ErrorKind::UnknownAction
            | ErrorKind::NotFound
            | ErrorKind::NotAllowed
            | ErrorKind::AlreadyResolved
            | ErrorKind::WouldDeadlock => (Effect::None, false),
        };
        Self {
            inner: Box::new(Inner {
                kind,
                message: message.into(),
                effect,
                retryable,
                execution: None,
                attempts: 0,
                due: None,
                failure: None,
                advice: None,
                replayed: false,
            }),
        }
    }

    /// A pursuit that ended without a word; whoever waited asks again.
    pub(crate) fn interrupted() -> Self {
        Self::new(
            ErrorKind::InProgress,
            "the runtime was stopped while this ran; call again to learn its end",
        )
    }

    pub(crate) fn of_execution(mut self, execution: &Execution) -> Self {
        self.inner.execution = Some(execution.identity.key);
        self.inner.attempts = execution.state.attempts;
        self.inner.due = execution.state.due;
        self
    }

    pub(crate) fn advise(mut self, advice: impl Into<String>) -> Self {
        self.inner.advice = Some(advice.into());
        self
    }

    pub(crate) fn replayed(mut self) -> Self {
        self.inner.replayed = true;
        self
    }

    /// What a final, parked or doubtful execution says to a caller; an execution in another state
    /// is in progress.
    pub(crate) fn from_execution(execution: &Execution) -> Self {
        let state = &execution.state;
        let key = execution.identity.key;
        let action = &execution.identity.action;
        let text = state.failure.as_ref().map_or("", |failure| failure.message.as_str());
        let mut error = match state.status {
            Status::Failed => Self::new(ErrorKind::Failed, format!("`{action}` failed: {text}")),
            Status::Parked => Self::new(
                ErrorKind::Parked,
                format!(
                    "`{action}` is parked after {} without effect: {text}",
                    attempts(state.attempts)
                ),
            )
            .advise(format!(
                "repair the cause, then: app.as_principal(\"you@team\").retry(\"{key}\")\
                 .because(\"what you did\").await?   (calling it again does the same)"
            )),
            Status::InDoubt => Self::in_doubt(execution, text),
            Status::Expired | Status::Succeeded => Self::new(
                ErrorKind::Expired,
                format!("`{action}` took effect, and the time its answer was kept for is over"),
            ),
            Status::Running | Status::Waiting => Self::in_progress(execution),
        };
        error.inner.failure.clone_from(&state.failure);
        error.of_execution(execution)
    }

    fn in_doubt(execution: &Execution, text: &str) -> Self {
        let key = execution.identity.key;
        let action = &execution.identity.action;
        let state = &execution.state;
        let mut message =
            format!("`{action}` is in doubt, it may or may not have taken effect: {text}");
        if state.failure.as_ref().is_some_and(|failure| failure.class.is_none()) {
            message.push_str(STATE_A_CLASS);
        }
        let how = if state.class == Class::Once {
            "NotDone runs it again; Resolution::succeeded(value)? records it as done"
        } else {
            "NotDone begins a new round; .retry(id).because(..) goes on with this one"
        };
        Self::new(ErrorKind::InDoubt, message).advise(format!(
            "find out whether it happened, then: app.as_principal(\"you@team\").resolve(\"{key}\", \
             Resolution::NotDone).because(\"how you know\").await?   ({how})"
        ))
    }

    pub(crate) fn in_progress(execution: &Execution) -> Self {
        let action = &execution.identity.action;
        let so_far = match &execution.state.failure {
            Some(failure) => format!(" (so far: {})", failure.message),
            None => String::new(),
        };
        let message = match execution.state.due {
            Some(due) => {
                format!("`{action}` goes on at {due}{so_far}; call again to learn its end")
            }
            None => format!("`{action}` is still running{so_far}; call again to learn its end"),
        };
        let mut error = Self::new(ErrorKind::InProgress, message).of_execution(execution);
        if execution.state.status == Status::Waiting && !execution.state.doubt {
            error.inner.effect = Effect::None;
        }
        error.inner.failure.clone_from(&execution.state.failure);
        error
    }

    pub(crate) fn unavailable(store: &StoreError) -> Self {
        let mut error =
            Self::new(ErrorKind::StoreUnavailable, format!("nothing was started: {store}"));
        error.inner.retryable = !matches!(store, StoreError::Stopped(_) | StoreError::Open(_));
        error
    }

    pub(crate) fn unrecorded(execution: &Execution, why: &Arc<str>) -> Self {
        Self::new(
            ErrorKind::Unrecorded,
            format!(
                "`{}` ended, and its outcome cannot be written yet ({why}); call again to learn it",
                execution.identity.action
            ),
        )
        .of_execution(execution)
    }

    /// The kind, to be matched.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.inner.kind
    }

    /// The stable code: the author's own for a failure that names one, else that of the kind.
    #[must_use]
    pub fn code(&self) -> &str {
        self.inner
            .failure
            .as_ref()
            .filter(|_| matches!(self.inner.kind, ErrorKind::Failed | ErrorKind::Parked))
            .and_then(|failure| failure.code.as_deref())
            .unwrap_or_else(|| self.inner.kind.code())
    }

    /// What happened, in words.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.inner.message
    }

    /// The same call may have another answer later, without anybody acting.
    #[must_use]
    pub fn retryable(&self) -> bool {
        self.inner.retryable
    }

    /// What is known of the effect.
    #[must_use]
    pub fn effect(&self) -> Effect {
        self.inner.effect
    }

    /// The execution's id.
    #[must_use]
    pub fn execution(&self) -> Option<Key> {
        self.inner.execution
    }

    /// Attempts claimed so far.
    #[must_use]
    pub fn attempts(&self) -> u32 {
        self.inner.attempts
    }

    /// When the next attempt is due.
    #[must_use]
    pub fn due(&self) -> Option<Timestamp> {
        self.inner.due
    }

    /// The answer was recorded before; nothing ran for this call.
    #[must_use]
    pub fn is_replayed(&self) -> bool {
        self.inner.replayed
    }

    /// The exact line to type, for what a person must do.
    #[must_use]
    pub fn advice(&self) -> Option<&str> {
        self.inner.advice.as_deref()
    }

    /// What the author's code said, as recorded.
    #[must_use]
    pub fn failure(&self) -> Option<&FailureRecord> {
        self.inner.failure.as_ref()
    }

    /// The author's typed error, if the failure was one of that type: also from a replay.
    #[must_use]
    pub fn downcast<E: serde::de::DeserializeOwned + 'static>(&self) -> Option<E> {
        self.inner.failure.as_ref()?.downcast()
    }
}

fn attempts(n: u32) -> String {
    if n == 1 { "one attempt".to_owned() } else { format!("{n} attempts") }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.inner.message)?;
        if let Some(key) = &self.inner.execution {
            write!(f, " [{key}]")?;
        }
        if let Some(advice) = &self.inner.advice {
            write!(f, "\n  {advice}")?;
        }
        Ok(())
    }
}

/// The text: a `main` that returns it shows it so.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}
