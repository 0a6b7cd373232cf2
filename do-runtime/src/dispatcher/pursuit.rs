//! A pursuit: from the claim of an execution to its recorded end, on a task of its own.
//!
//! The claim's token is drawn once, before the first try. If the answer to a claim is lost, the
//! same token tells whether it committed. A recorded end is written until it stands or the claim is
//! known to be lost; while the store is away after an effect nobody is told that it failed.

use std::sync::Arc;
use std::time::Duration;

use tracing::Instrument as _;

use super::attempt::Outcome;
use super::decision::Decision;
use super::flight::{News, Pilot};
use super::verdict::{End, verdict};
use super::{Asked, Dispatcher, Error, ErrorKind, draining};
use crate::action::Definition;
use crate::failure::FailureRecord;
use crate::record::{Event, Execution, ResolvedAs, Status, Token};
use crate::store::{Change, Claimed, Recorded, StoreError, Which};

/// The gap between two tries to reach a store that is away.
const STORE_AWAY: Duration = Duration::from_millis(200);

/// How a claim ended.
enum Claiming {
    /// Granted; and how the execution stood before, where there was one.
    Granted(Arc<Execution>, Option<Arc<Execution>>),
    /// Somebody else's, or final: whoever waits asks the store.
    NotOurs,
    Refused(Error),
}

impl Dispatcher {
    /// Claims, runs and records. `asked` is the call behind it, none when a record is taken up
    /// again; `found` is the execution as last seen.
    pub(crate) async fn pursue(
        self: Arc<Self>,
        pilot: Pilot,
        asked: Option<Arc<Asked>>,
        found: Option<Arc<Execution>>,
    ) {
        let action = Arc::clone(&pilot.identity().action);
        let Some(registered) = self.registry.action(&action) else {
            return pilot.ask_again();
        };
        let definition = registered.definition;
        if self.refuse_if_draining().is_err() {
            return pilot.broken(stands(found.as_deref()).unwrap_or_else(draining));
        }
        let (standing, claiming) = match self.leased().await {
            Ok(standing) => {
                (standing, self.claim(&pilot, definition, asked.as_deref(), found).await)
            }
            Err(error) => (self.census.standing(), self.not_claimed(&error, found).await),
        };
        let (mut execution, before) = match claiming {
            Claiming::Granted(execution, before) => (execution, before),
            Claiming::NotOurs => return pilot.ask_again(),
            Claiming::Refused(error) => return pilot.broken(error),
        };
        crate::fault!("post_claim");
        pilot.tell(News::Running(Arc::clone(&execution)));
        let span = tracing::info_span!(
            "attempt",
            action = %action,
            execution = %execution.identity.key,
            attempt = execution.state.attempts,
            round = execution.state.round,
        );
        let outcome = self
            .attempt(definition, &mut execution, before.as_deref(), standing)
            .instrument(span.clone())
            .await;
        crate::fault!("pre_commit");
        let recorded = self
            .record_outcome(&pilot, definition, execution, outcome)
            .instrument(span.clone())
            .await;
        match recorded {
            Ok((execution, true)) => {
                span.in_scope(|| self.announce(&execution));
                pilot.ran(execution);
            }
            Ok((_, false)) => pilot.ask_again(),
            Err(error) => pilot.broken(error),
        }
    }

    async fn claim(
        &self,
        pilot: &Pilot,
        definition: &'static Definition,
        asked: Option<&Asked>,
        mut found: Option<Arc<Execution>>,
    ) -> Claiming {
        let (token, event) = self.claim_event(definition.policy.class);
        let mut before = None;
        loop {
            let answer = match (found.take(), asked) {
                (Some(current), _) => {
                    if current.state.token != Some(token) {
                        before = Some(Arc::clone(&current));
                    }
                    self.claim_existing(definition, asked, current, token, &event).await
                }
                (None, Some(asked)) => {
                    crate::fault!("pre_claim");
                    let new = self
                        .new_execution(asked, event.clone())
                        .durability(self.durability(definition));
                    match self.store.claim(new).await {
                        Ok(Claimed::Granted(execution)) => Ok(Step::Granted(execution)),
                        Ok(Claimed::Existing(current)) => Ok(Step::Look(Some(current))),
                        Err(error) => Err(error),
                    }
                }
                (None, None) => return Claiming::NotOurs,
            };
            match answer {
                Ok(Step::Granted(execution)) => return Claiming::Granted(execution, before),
                Ok(Step::Look(current)) => found = current,
                Ok(Step::NotOurs) => return Claiming::NotOurs,
                Err(StoreError::Unknown(_)) => match self.ask_for_claim(pilot).await {
                    Ok(current) => found = current,
                    Err(error) => return Claiming::Refused(error),
                },
                Err(error) => return self.not_claimed(&error, before).await,
            }
        }
    }

    /// The store, or the lease, did not let this process claim. That an execution is under way, or
    /// in doubt, is true all the same; whoever waits for one under way waits on.
    async fn not_claimed(&self, error: &StoreError, stood: Option<Arc<Execution>>) -> Claiming {
        let lasting = matches!(error, StoreError::Stopped(_) | StoreError::Closed);
        match stands(stood.as_deref()) {
            Some(error) if lasting || error.kind() != ErrorKind::InProgress => {
                Claiming::Refused(error)
            }
            Some(_) => {
                self.clock.sleep(STORE_AWAY).await;
                Claiming::NotOurs
            }
            None => Claiming::Refused(Error::unavailable(error)),
        }
    }

    /// One step with an execution that is there already.
    async fn claim_existing(
        &self,
        definition: &'static Definition,
        asked: Option<&Asked>,
        current: Arc<Execution>,
        token: Token,
        event: &Event,
    ) -> Result<Step, StoreError> {
        let parts = asked.map(|asked| asked.prepared.fingerprint.as_slice());
        let decision = self.decide_for(&current, parts, definition.policy.class, Some(token));
        let (event, new_round) = match decision {
            Decision::GoOn => return Ok(Step::Granted(current)),
            // Nobody asked for another round: a call or an operator does.
            Decision::Claim { new_round: true } if asked.is_none() => return Ok(Step::NotOurs),
            Decision::Claim { new_round: false }
                if asked.is_none() && current.state.status == Status::InDoubt =>
            {
                return Ok(Step::NotOurs);
            }
            Decision::Claim { new_round } => (event.clone(), new_round),
            Decision::TakeOver { known } => (Event::Died { known }, false),
            Decision::Expired
            | Decision::KeyReused(_)
            | Decision::Replay
            | Decision::InDoubt
            | Decision::Join => return Ok(Step::NotOurs),
        };
        let claims = matches!(event, Event::Claimed(_));
        let author = asked.map_or_else(|| self.author_of(&current), |asked| asked.author.clone());
        let mut change =
            Change::new(current, event, author).durability(self.durability(definition));
        if let Some(asked) = asked
            && new_round
        {
            change = change.request(self.request(&asked.prepared));
        }
        Ok(match self.store.record(change).await? {
            Recorded::Done(execution) if claims => Step::Granted(execution),
            Recorded::Done(execution) => {
                self.announce(&execution);
                Step::Look(Some(execution))
            }
            Recorded::Lost(current) => Step::Look(Some(current)),
            Recorded::Gone => Step::Look(None),
        })
    }

    /// The answer to a claim was lost: asks until the store tells what stands.
    async fn ask_for_claim(&self, pilot: &Pilot) -> Result<Option<Arc<Execution>>, Error> {
        pilot.tell(News::ClaimUnknown);
        loop {
            match self.store.get(Which::Identity(pilot.identity().clone())).await {
                Ok(found) => return Ok(found),
                Err(StoreError::Stopped(_) | StoreError::Closed) => {
                    return Err(Error::interrupted());
                }
                Err(_) => self.clock.sleep(STORE_AWAY).await,
            }
        }
    }

    /// Ends the attempt of an instance that is gone, or one that this instance has lost from its
    /// memory: nobody here pursues it, whoever calls holds its pilot.
    pub(crate) async fn end_of_the_gone(&self, execution: Arc<Execution>) {
        let class = execution.state.class;
        let known = match self.decide_for(&execution, None, class, None) {
            Decision::TakeOver { known } => known,
            _ if execution.state.instance == Some(self.census.me()) => true,
            _ => return,
        };
        match self.record(&execution, Event::Died { known }).await {
            Ok(Recorded::Done(after)) => self.announce(&after),
            Ok(Recorded::Lost(_) | Recorded::Gone) => {}
            Err(error) => tracing::warn!(%error, "the end of a lost attempt is recorded later"),
        }
    }

    /// Records what came of an attempt. The flag: it is this attempt's end that stands.
    async fn record_outcome(
        &self,
        pilot: &Pilot,
        definition: &'static Definition,
        execution: Arc<Execution>,
        outcome: Outcome,
    ) -> Result<(Arc<Execution>, bool), Error> {
        let event = match outcome {
            Outcome::Recorded(after) => return Ok((after, true)),
            Outcome::Lost(current) => return Ok(settled_by(&execution, current)),
            Outcome::Event(event) => event,
            Outcome::End(end) => self.verdict(definition, &execution, end),
        };
        let token = execution.state.token;
        let author = self.author_of(&execution);
        let mut change = Change::new(Arc::clone(&execution), event, author);
        loop {
            match self.store.record(change.clone()).await {
                Ok(Recorded::Done(after)) => {
                    crate::fault!("post_commit");
                    return Ok((after, true));
                }
                Ok(Recorded::Lost(current)) if current.state.token == token => {
                    match late(&change.event, &current) {
                        Some(event) => {
                            // What took effect is this attempt's request, whatever was accepted
                            // under the key since.
                            let overtaken = execution.request.fingerprint
                                != current.request.fingerprint
                                && matches!(event, Event::Succeeded { .. });
                            change.request = overtaken.then(|| execution.request.clone());
                            change.event = event;
                            change.before = current;
                        }
                        None => return Ok(settled_by(&execution, current)),
                    }
                }
                Ok(Recorded::Lost(current)) => return Ok((current, false)),
                Ok(Recorded::Gone) => return Ok((execution, false)),
                Err(StoreError::NotAllowed(refused)) => {
                    tracing::error!(%refused, "an end could not be recorded");
                    return Ok((execution, false));
                }
                Err(error @ (StoreError::Stopped(_) | StoreError::Closed)) => {
                    return Err(Error::unrecorded(&execution, &error.to_string().into()));
                }
                Err(error) => {
                    tracing::warn!(%error, "an outcome is written again");
                    let why = error.to_string().into();
                    pilot.tell(News::Unrecorded(Arc::clone(&execution), why));
                    self.clock.sleep(STORE_AWAY).await;
                }
            }
        }
    }

    fn verdict(&self, definition: &Definition, execution: &Execution, end: End) -> Event {
        let fraction = self.randomness.fraction();
        verdict(end, &definition.policy, &execution.state, self.store.now(), fraction)
    }

    /// Says aloud what somebody should look at.
    fn announce(&self, execution: &Arc<Execution>) {
        let state = &execution.state;
        let failure = state.failure.as_ref();
        match state.status {
            Status::InDoubt | Status::Parked | Status::Failed => {
                tracing::warn!(
                    action = %execution.identity.action,
                    scope = %execution.identity.scope,
                    execution = %execution.identity.key,
                    state = state.status.as_str(),
                    attempts = state.attempts,
                    class = failure.and_then(|failure| failure.class).map(|class| class.as_str()),
                    "execution needs attention"
                );
                for listener in &self.listeners {
                    let heard = std::panic::AssertUnwindSafe(|| listener(execution));
                    if std::panic::catch_unwind(heard).is_err() {
                        tracing::error!("a listener of the runtime panicked");
                    }
                }
            }
            Status::Waiting => {
                tracing::debug!(due = state.due.map(tracing::field::debug), "attempt ended");
                self.due.notify_one();
            }
            Status::Running | Status::Succeeded | Status::Expired => {
                tracing::debug!(state = state.status.as_str(), "attempt ended");
            }
        }
    }
}

/// One step of a claim.
enum Step {
    Granted(Arc<Execution>),
    Look(Option<Arc<Execution>>),
    NotOurs,
}

/// What holds of an execution that is under way or in doubt, whatever keeps this process from it.
fn stands(execution: Option<&Execution>) -> Option<Error> {
    let execution = execution?;
    let open =
        matches!(execution.state.status, Status::Running | Status::Waiting | Status::InDoubt);
    open.then(|| Error::from_execution(execution))
}

/// My claim was the last one, and yet the record moved: either my own write stands although its
/// answer was lost, or the attempt was given up meanwhile and its end comes late.
fn late(event: &Event, current: &Execution) -> Option<Event> {
    let given_up = match current.state.status {
        Status::InDoubt | Status::Waiting => true,
        Status::Failed => current.state.resolution == Some(ResolvedAs::Failed),
        Status::Running | Status::Succeeded | Status::Parked | Status::Expired => false,
    };
    match event {
        _ if current.state.status == Status::Running => Some(event.clone()),
        Event::Succeeded { found: false, .. } if given_up => Some(event.clone()),
        _ if current.state.status != Status::InDoubt => None,
        event => event
            .failure()
            .filter(|failure| current.state.failure.as_ref() != Some(failure))
            .map(|failure: &FailureRecord| Event::LateFailure { failure: failure.clone() }),
    }
}

/// Whether what stands is the end of the attempt that was claimed as `mine`.
fn settled_by(mine: &Execution, current: Arc<Execution>) -> (Arc<Execution>, bool) {
    let same = current.state.token == mine.state.token && current.state.status != Status::Running;
    (current, same)
}
