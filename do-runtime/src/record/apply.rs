//! The state machine: one pure function from a state and an event to the next state.
//!
//! A pair that is not listed is an error and changes nothing. Doubt is remembered: once an
//! attempt ended unknown, no end is a failure until a success, a resolution or a check that says
//! *not there* in time has settled it. So `Failed` and `Parked` are not allowed while there is
//! doubt; whoever records an end says `Doubted` instead.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use super::event::{Claim, Due, Event, Resolved, Value};
use super::state::{Cause, LastEnd, ResolvedAs, State, Status};
use crate::clock::Timestamp;
use crate::failure::FailureRecord;
use crate::policy::Class;

/// An event that a state does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotAllowed {
    /// The status it met; none where there was no execution.
    pub status: Option<Status>,
    /// The event's word.
    pub event: &'static str,
}

impl fmt::Display for NotAllowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { status, event } = self;
        match status {
            Some(status) => write!(f, "the event `{event}` is not allowed while {status}"),
            None => write!(f, "the event `{event}` cannot be the first one"),
        }
    }
}

impl Error for NotAllowed {}

impl State {
    /// The state of an execution that begins with this event: `Submitted` or `Claimed`.
    ///
    /// # Errors
    /// Any other event.
    pub fn begin(event: &Event, at: Timestamp) -> Result<Self, NotAllowed> {
        let class = match event {
            Event::Submitted { class, .. } | Event::Claimed(Claim { class, .. }) => *class,
            _ => return Err(NotAllowed { status: None, event: event.word() }),
        };
        let mut state = Self::empty(class);
        match event {
            Event::Submitted { due, .. } => state.wait(Cause::Accepted, due.from(at)),
            Event::Claimed(claim) => state.claim(claim, at),
            _ => {}
        }
        Ok(state)
    }

    /// The state after this event, at this time by the store's clock.
    ///
    /// # Errors
    /// When this state does not allow the event.
    pub fn apply(&self, event: &Event, at: Timestamp) -> Result<Self, NotAllowed> {
        if !self.allows(event) {
            return Err(NotAllowed { status: Some(self.status), event: event.word() });
        }
        let mut next = Self { entries: self.entries + 1, ..self.clone() };
        next.change(event, at);
        Ok(next)
    }

    const fn empty(class: Class) -> Self {
        Self {
            status: Status::Waiting,
            entries: 1,
            class,
            round: 1,
            round_began: None,
            round_attempts: 0,
            attempts: 0,
            doubt: false,
            deaths: 0,
            due: None,
            cause: None,
            token: None,
            instance: None,
            last_end: None,
            failure: None,
            value: None,
            resolution: None,
            ended: None,
            keep_until: None,
        }
    }

    fn change(&mut self, event: &Event, at: Timestamp) {
        match event {
            Event::Submitted { class, due } => {
                self.begin_again();
                self.class = *class;
                self.wait(Cause::Accepted, due.from(at));
            }
            Event::Claimed(claim) => self.claim(claim, at),
            Event::NotThere => self.doubt = false,
            Event::Succeeded { value, keep, .. } => self.succeed(value, *keep, at),
            Event::Failed { failure, keep } => {
                self.body_ended(at, false);
                self.fail(failure, *keep, at);
            }
            Event::RetryLater { failure, unknown, gap } => {
                self.body_ended(at, false);
                self.doubt |= *unknown;
                if failure.is_some() {
                    self.failure.clone_from(failure);
                }
                self.wait(Cause::Retry, at.plus(*gap));
            }
            Event::AskLater { failure, gap } => {
                if failure.is_some() {
                    self.failure.clone_from(failure);
                } else {
                    self.uncount_attempt();
                }
                self.wait(Cause::Check, at.plus(*gap));
            }
            Event::Released => {
                self.uncount_attempt();
                self.wait(Cause::TakeOver, at);
            }
            Event::Parked { failure, ran } => {
                if *ran {
                    self.body_ended(at, false);
                }
                self.end(Status::Parked, at);
                self.failure = Some(failure.clone());
            }
            Event::Doubted { failure, permanent, ran } => {
                if *ran {
                    self.body_ended(at, *permanent);
                }
                self.doubt_end(at);
                self.failure = Some(failure.clone());
            }
            Event::LateFailure { failure } => self.failure = Some(failure.clone()),
            Event::Died { known } => self.die(*known, at),
            Event::Resolved(resolved) => self.resolve(resolved, at),
            Event::Retried => self.retry(at),
            Event::Expired => self.expire(),
            Event::Pruned => self.forget_text(),
            Event::Forgotten => {
                self.forget_text();
                self.expire();
            }
        }
    }

    fn claim(&mut self, claim: &Claim, at: Timestamp) {
        self.begin_again();
        self.status = Status::Running;
        self.class = claim.class;
        self.token = Some(claim.token);
        self.instance = Some(claim.instance);
        self.due = None;
        self.cause = None;
        self.ended = None;
        self.keep_until = None;
        self.attempts = self.attempts.saturating_add(1);
        self.round_attempts = self.round_attempts.saturating_add(1);
        self.round_began.get_or_insert(at);
    }

    /// After a known end a new round begins; while there is doubt the round stays the same.
    fn begin_again(&mut self) {
        match self.status {
            Status::Failed | Status::Parked => self.begin_round(),
            Status::InDoubt => self.begin_window(),
            Status::Running | Status::Waiting | Status::Succeeded | Status::Expired => {}
        }
    }

    fn begin_round(&mut self) {
        self.round = self.round.saturating_add(1);
        self.begin_window();
        self.resolution = None;
    }

    /// Fresh attempts and a fresh window, in the same round.
    const fn begin_window(&mut self) {
        self.round_began = None;
        self.round_attempts = 0;
    }

    /// A claim whose body never ran is no attempt of the window, and does not begin it.
    const fn uncount_attempt(&mut self) {
        self.round_attempts = self.round_attempts.saturating_sub(1);
        if self.round_attempts == 0 {
            self.round_began = None;
        }
    }

    fn wait(&mut self, cause: Cause, due: Timestamp) {
        self.status = Status::Waiting;
        self.cause = Some(cause);
        self.due = Some(due);
        self.ended = None;
        self.keep_until = None;
    }

    /// The body's own instance says that it ended.
    const fn body_ended(&mut self, at: Timestamp, permanent: bool) {
        self.last_end = Some(LastEnd { at, known: true, died: false, permanent });
        self.deaths = 0;
    }

    const fn end(&mut self, status: Status, at: Timestamp) {
        self.status = status;
        self.due = None;
        self.cause = None;
        self.ended = Some(at);
        self.resolution = None;
    }

    fn expire(&mut self) {
        self.status = Status::Expired;
        self.value = None;
        self.keep_until = None;
    }

    fn forget_text(&mut self) {
        self.failure = self.failure.as_ref().map(FailureRecord::without_text);
        self.keep_until = None;
    }

    fn doubt_end(&mut self, at: Timestamp) {
        self.doubt = true;
        self.end(Status::InDoubt, at);
    }

    fn succeed(&mut self, value: &Value, keep: Option<Duration>, at: Timestamp) {
        self.body_ended(at, false);
        self.doubt = false;
        self.end(Status::Succeeded, at);
        self.value = Some(value.clone());
        self.failure = None;
        self.keep_until = keep.map(|keep| at.plus(keep));
    }

    fn fail(&mut self, failure: &FailureRecord, keep: Duration, at: Timestamp) {
        self.end(Status::Failed, at);
        self.failure = Some(failure.clone());
        self.keep_until = Some(at.plus(keep));
    }

    /// A take-over: what the end means is the class's answer, and five in a row are poison.
    fn die(&mut self, known: bool, at: Timestamp) {
        self.last_end = Some(LastEnd { at, known, died: true, permanent: false });
        self.deaths = self.deaths.saturating_add(1);
        self.doubt |= self.class != Class::Transaction;
        if self.class == Class::Once || self.deaths >= Self::POISON {
            self.failure = Some(FailureRecord::died(self.deaths));
            self.doubt_end(at);
        } else {
            self.wait(Cause::TakeOver, at);
        }
    }

    fn resolve(&mut self, resolved: &Resolved, at: Timestamp) {
        self.deaths = 0;
        self.doubt = false;
        match resolved {
            Resolved::Succeeded { value, keep } => {
                self.end(Status::Succeeded, at);
                self.value = Some(value.clone());
                self.failure = None;
                self.keep_until = keep.map(|keep| at.plus(keep));
                self.resolution = Some(ResolvedAs::Succeeded);
            }
            Resolved::Failed { failure, keep } => {
                self.fail(failure, *keep, at);
                self.resolution = Some(ResolvedAs::Failed);
            }
            Resolved::NotDone => {
                self.begin_round();
                self.wait(Cause::Accepted, at);
                self.resolution = Some(ResolvedAs::NotDone);
            }
        }
    }

    fn retry(&mut self, at: Timestamp) {
        self.deaths = 0;
        self.begin_again();
        self.wait(Cause::Accepted, at);
    }
}

impl Due {
    fn from(self, at: Timestamp) -> Timestamp {
        match self {
            Self::After(gap) => at.plus(gap),
            Self::At(due) => due,
        }
    }
}
