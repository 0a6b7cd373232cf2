//! What an attempt's end means for its class: the table of the four answers, as a pure function.

use std::time::Duration;

use crate::clock::Timestamp;
use crate::failure::{FailureClass, FailureRecord};
use crate::policy::{Class, Policy, Retry};
use crate::record::{Event, State, Value};

/// How an attempt ended.
#[derive(Debug, Clone)]
pub(crate) enum End {
    /// The body returned a value.
    Ok(Value),
    /// The check found the effect.
    Found(Value),
    /// The body returned an error; its class, stated or known, is in the record.
    Err(FailureRecord),
    /// The check could not tell; it made no effect.
    CheckErr(FailureRecord),
    /// The body cannot run before something is repaired.
    NotRun(FailureRecord),
    /// Panic, time-out, drop, lost commit: nobody can know.
    Unknown(FailureRecord),
}

/// The event that records this end.
///
/// `fraction` is a random number from 0 to 1: the jitter of the next gap.
pub(crate) fn verdict(
    end: End,
    policy: &Policy,
    state: &State,
    now: Timestamp,
    fraction: f64,
) -> Event {
    let next = NextAttempt::after(&policy.retry, state, now, fraction);
    match end {
        End::Ok(value) => Event::Succeeded { value, found: false, keep: policy.keep },
        End::Found(value) => Event::Succeeded { value, found: true, keep: policy.keep },
        End::CheckErr(failure) => match next.honouring(failure.retry_after) {
            Some(gap) => Event::AskLater { failure: Some(failure), gap },
            None => stop(failure, state, false),
        },
        End::NotRun(failure) => stop(failure, state, false),
        End::Unknown(failure) => unknown(failure, policy.class, state, next),
        End::Err(failure) => match failure.class {
            Some(FailureClass::Permanent) if state.doubt => {
                Event::Doubted { failure, permanent: true, ran: true }
            }
            Some(FailureClass::Permanent) => Event::Failed { failure, keep: policy.keep_failed },
            Some(FailureClass::Repair) => stop(failure, state, true),
            Some(FailureClass::Transient) => again(failure, state, next),
            Some(FailureClass::InDoubt) | None => unknown(failure, policy.class, state, next),
        },
    }
}

fn unknown(failure: FailureRecord, class: Class, state: &State, next: NextAttempt) -> Event {
    match class {
        // Rolled back: nobody needs to wonder.
        Class::Transaction => again(failure, state, next),
        Class::Once => Event::Doubted { failure, permanent: false, ran: true },
        Class::Repeatable | Class::Check => match next.honouring(failure.retry_after) {
            Some(gap) => Event::RetryLater { failure: Some(failure), unknown: true, gap },
            None => Event::Doubted { failure, permanent: false, ran: true },
        },
    }
}

/// A known end without effect: another attempt, if one is left.
fn again(failure: FailureRecord, state: &State, next: NextAttempt) -> Event {
    match next.honouring(failure.retry_after) {
        Some(gap) => Event::RetryLater { failure: Some(failure), unknown: false, gap },
        None => stop(failure, state, true),
    }
}

/// No further attempt by itself; while there is doubt that is never called parked.
const fn stop(failure: FailureRecord, state: &State, ran: bool) -> Event {
    if state.doubt {
        Event::Doubted { failure, permanent: false, ran }
    } else {
        Event::Parked { failure, ran }
    }
}

/// The gap to the next attempt, and what is left of the retry window.
#[derive(Debug, Clone, Copy)]
struct NextAttempt {
    gap: Duration,
    /// None once the window is over.
    left: Option<Duration>,
    attempts_left: bool,
}

impl NextAttempt {
    fn after(retry: &Retry, state: &State, now: Timestamp, fraction: f64) -> Self {
        let spent = state.round_began.map_or(Duration::ZERO, |began| now.since(began));
        Self {
            gap: backoff(retry, state.round_attempts, fraction),
            left: retry.within.checked_sub(spent),
            attempts_left: retry.attempts.is_none_or(|most| state.round_attempts < most),
        }
    }

    /// The gap, not shorter than what the other side asked for; none when the window or the
    /// attempts are used up.
    fn honouring(self, retry_after: Option<Duration>) -> Option<Duration> {
        let gap = self.gap.max(retry_after.unwrap_or_default());
        let in_time = self.left.is_some_and(|left| gap <= left);
        (self.attempts_left && in_time).then_some(gap)
    }
}

/// Exponential from [`Retry::FIRST_GAP`], bounded by `max`, with full jitter.
fn backoff(retry: &Retry, attempt: u32, fraction: f64) -> Duration {
    let doublings = attempt.saturating_sub(1).min(31);
    let ceiling = Retry::FIRST_GAP.saturating_mul(1 << doublings).min(retry.max);
    ceiling.mul_f64(fraction.clamp(0.0, 1.0))
}
