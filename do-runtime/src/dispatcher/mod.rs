//! The life of one call, from its key to its answer.
//!
//! ```text
//! call → cache of successes? ─ yes ─→ decide ─→ replay, or a refusal
//!      → a seat in the flight of its key
//!      → what is recorded? → decide ─ an answer ─→ answer
//!                                   ├ join ─────→ hear the news
//!                                   └ claim ────→ a pursuit on its own task, hear the news
//! pursuit: claim → check → body → what its end means → record → news
//! ```
//!
//! It names no concrete store, and it does not know who calls: a runtime, the rescuer, a test.

mod attempt;
mod cache;
mod census;
mod decision;
mod error;
mod flight;
mod pursuit;
#[cfg(test)]
mod tests;
mod verdict;

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, Semaphore, watch};

pub use error::{Effect, Error, ErrorKind};

pub(crate) use cache::Cache;
pub(crate) use census::Census;
pub(crate) use decision::Decision;
use decision::{View, decide};
use flight::{Landing, News, Seat, SeatId};
pub(crate) use flight::Flights;

use crate::action::{Prepared, Provided};
use crate::audit::Author;
use crate::clock::Clock;
use crate::failure::{Classifier, Failure, FailureRecord};
use crate::key::Fingerprint;
use crate::policy::Class;
use crate::randomness::Randomness;
use crate::record::{
    Claim, Due, Event, Execution, Identity, Request, Status, Token, Value,
};
use crate::registry::{Registered, Registry};
use crate::store::{
    Change, Claimed, Durability, NewExecution, Recorded, Store, StoreError, Which,
};

/// A caller that waits for another process asks the store this often.
const ASK_AGAIN: Duration = Duration::from_millis(100);
/// Answers above this are not cached.
const CACHED_VALUE_MAX: usize = 64 << 10;

/// How a caller got its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum How {
    /// This call ran it.
    Executed,
    /// It waited for a run that was already going.
    Joined,
    /// It was given the recorded answer.
    Replayed,
}

impl How {
    /// The word on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Executed => "executed",
            Self::Joined => "joined",
            Self::Replayed => "replayed",
        }
    }
}

/// A call in its scope, on behalf of somebody.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) prepared: Prepared,
    pub(crate) identity: Identity,
    pub(crate) author: Author,
}

/// A success, and how the caller got it.
#[derive(Debug, Clone)]
pub(crate) struct Settled {
    pub(crate) execution: Arc<Execution>,
    pub(crate) how: How,
}

/// What an accepted submission is.
pub(crate) type Accepted = Result<Arc<Execution>, Error>;

/// How far a drain has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    /// Work is taken.
    Open,
    /// No new work; what runs may end.
    Draining,
    /// Bodies are stopped.
    Cancelled,
}

/// Who hears of executions that somebody should look at.
pub(crate) type Listener = Arc<dyn Fn(&Arc<Execution>) + Send + Sync>;

/// Takes calls to their outcomes.
pub(crate) struct Dispatcher {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) randomness: Arc<dyn Randomness>,
    pub(crate) registry: Registry,
    pub(crate) provided: Provided,
    pub(crate) classifiers: Vec<Classifier>,
    pub(crate) listeners: Vec<Listener>,
    pub(crate) census: Census,
    pub(crate) flights: Arc<Flights>,
    pub(crate) cache: Cache,
    pub(crate) phase: watch::Sender<Phase>,
    /// Rung when there may be something due.
    pub(crate) due: Arc<Notify>,
    /// How many executions the rescuer may have under way.
    pub(crate) background: Arc<Semaphore>,
    /// Whether this runtime runs bodies at all.
    pub(crate) works: bool,
}

impl Dispatcher {
    /// Runs, joins or replays a call; waits at most `wait`.
    pub(crate) async fn execute(
        self: Arc<Self>,
        asked: Arc<Asked>,
        wait: Duration,
    ) -> Result<Settled, Error> {
        if let Some(hit) = self.cache.success(&asked.identity.key) {
            match self.decide(&hit, &asked, None) {
                Decision::Replay => return self.answer(hit, How::Replayed),
                Decision::KeyReused(names) => return Err(key_reused(&hit, &names)),
                _ => {}
            }
        }
        if attempt::in_transaction() {
            return Err(would_deadlock());
        }
        let mut seat = self.flights.board(&asked.identity).ok_or_else(overloaded)?;
        let deadline = self.clock.sleep(wait);
        tokio::pin!(deadline);
        let mut waited = Waited::default();
        loop {
            let pause = match self.look(&asked, &seat, &mut waited).await? {
                Look::Answer(execution, how) => return self.answer(execution, how),
                Look::Listen(pause) => pause,
            };
            tokio::select! {
                biased;
                news = seat.news() => {
                    if let Some(answer) = self.hear(news, &asked, seat.id(), &mut waited)? {
                        return self.answer(answer.0, answer.1);
                    }
                }
                () = self.clock.sleep(pause) => {}
                () = &mut deadline => return Err(waited.in_progress(&asked)),
            }
        }
    }

    /// What is recorded now, and what that means for a call: an answer, or something to wait for.
    /// Sends a pilot where the call may claim and nobody is at it.
    async fn look(
        self: &Arc<Self>,
        asked: &Arc<Asked>,
        seat: &Seat,
        waited: &mut Waited,
    ) -> Result<Look, Error> {
        if waited.skip_look {
            waited.skip_look = false;
            return Ok(Look::Listen(waited.pause(self)));
        }
        let which = Which::Identity(asked.identity.clone());
        let found = match self.store.get(which).await {
            Ok(found) => found,
            Err(error) if waited.claimed => {
                waited.trouble = Some(error.to_string().into());
                return Ok(Look::Listen(ASK_AGAIN));
            }
            Err(error) => return Err(Error::unavailable(&error)),
        };
        let how = if waited.joined { How::Joined } else { How::Replayed };
        let decision = found.as_ref().map(|found| self.decide(found, asked, None));
        waited.latest.clone_from(&found);
        match (decision, found) {
            (Some(Decision::Replay), Some(found)) => return Ok(Look::Answer(found, how)),
            (Some(Decision::Expired | Decision::InDoubt), Some(found)) => {
                return Err(Error::from_execution(&found));
            }
            (Some(Decision::KeyReused(names)), Some(found)) => {
                return Err(key_reused(&found, &names));
            }
            (Some(Decision::Join), _) => waited.joined = true,
            (Some(Decision::Claim { .. } | Decision::TakeOver { .. } | Decision::GoOn), found)
            | (None, found) => {
                if let Some(pilot) = seat.pilot() {
                    waited.claimed = true;
                    tokio::spawn(Arc::clone(self).pursue(pilot, Some(Arc::clone(asked)), found));
                }
                waited.joined = true;
            }
            (Some(_), None) => {}
        }
        Ok(Look::Listen(waited.pause(self)))
    }

    /// What news mean for a seat: an answer, a reason to look again, or to go on listening.
    fn hear(
        &self,
        news: News,
        asked: &Asked,
        seat: SeatId,
        waited: &mut Waited,
    ) -> Result<Option<(Arc<Execution>, How)>, Error> {
        waited.skip_look = true;
        match news {
            News::Quiet => {}
            News::ClaimUnknown => waited.claimed = true,
            News::Running(execution) => {
                if let Decision::KeyReused(names) = self.decide(&execution, asked, None) {
                    return Err(key_reused(&execution, &names));
                }
                waited.joined = true;
                waited.latest = Some(execution);
            }
            News::Unrecorded(execution, why) => {
                waited.latest = Some(execution);
                waited.trouble = Some(why);
            }
            News::Landed(Landing::AskAgain) => waited.skip_look = false,
            News::Landed(Landing::Broken(error)) => return Err(error),
            News::Landed(Landing::Ran(execution, executed_by)) => {
                if let Decision::KeyReused(names) = self.decide(&execution, asked, None) {
                    return Err(key_reused(&execution, &names));
                }
                let how =
                    if executed_by == Some(seat) { How::Executed } else { How::Joined };
                if execution.state.status != Status::Waiting {
                    return Ok(Some((execution, how)));
                }
                waited.latest = Some(execution);
            }
        }
        Ok(None)
    }

    fn answer(&self, execution: Arc<Execution>, how: How) -> Result<Settled, Error> {
        if execution.state.status != Status::Succeeded {
            let error = Error::from_execution(&execution);
            return Err(if how == How::Replayed { error.replayed() } else { error });
        }
        if how != How::Replayed {
            self.keep(&execution);
        } else if self.cache.success(&execution.identity.key).is_none() {
            self.keep(&execution);
        }
        Ok(Settled { execution, how })
    }

    fn keep(&self, execution: &Arc<Execution>) {
        let small = match &execution.state.value {
            Some(Value::Json(bytes)) => bytes.len() <= CACHED_VALUE_MAX,
            Some(Value::Missing { .. }) | None => true,
        };
        if small {
            self.cache.keep(execution);
        }
    }

    /// Accepts a call to be run in the background.
    pub(crate) async fn submit(self: Arc<Self>, asked: Arc<Asked>, due: Due) -> Accepted {
        if attempt::in_transaction() {
            return Err(would_deadlock());
        }
        self.refuse_if_draining()?;
        let class = asked.prepared.definition.policy.class;
        let event = Event::Submitted { class, due };
        let mut found = None;
        for _ in 0..Self::SUBMIT_TRIES {
            let existing = match found.take() {
                Some(existing) => existing,
                None => match self.store.claim(self.new_execution(&asked, event.clone())).await {
                    Ok(Claimed::Granted(execution)) => return Ok(self.accepted(execution)),
                    Ok(Claimed::Existing(existing)) => existing,
                    Err(error) => return Err(submit_failed(&error)),
                },
            };
            let new_round = match self.decide(&existing, &asked, None) {
                Decision::Expired | Decision::InDoubt => {
                    return Err(Error::from_execution(&existing));
                }
                Decision::KeyReused(names) => return Err(key_reused(&existing, &names)),
                Decision::Claim { new_round } if existing.state.status != Status::Waiting => {
                    new_round
                }
                _ => return Ok(self.accepted(existing)),
            };
            let author = asked.author.clone();
            let mut change = Change::new(existing, event.clone(), author);
            if new_round {
                change = change.request(self.request(&asked.prepared));
            }
            match self.store.record(change).await {
                Ok(Recorded::Done(execution)) => return Ok(self.accepted(execution)),
                Ok(Recorded::Lost(current)) => found = Some(current),
                Ok(Recorded::Gone) => {}
                Err(error) => return Err(submit_failed(&error)),
            }
        }
        Err(overloaded())
    }

    /// Accepts a call within the caller's own transaction; it runs once that commits.
    pub(crate) async fn submit_within(
        &self,
        connection: &mut (dyn Any + Send),
        asked: &Asked,
        due: Due,
    ) -> Accepted {
        self.refuse_if_draining()?;
        let class = asked.prepared.definition.policy.class;
        let new = self.new_execution(asked, Event::Submitted { class, due });
        let existing = match self.store.claim_within(connection, new).await {
            Ok(Claimed::Granted(execution)) => return Ok(execution),
            Ok(Claimed::Existing(existing)) => existing,
            Err(error) => return Err(submit_failed(&error)),
        };
        match self.decide(&existing, asked, None) {
            Decision::Expired | Decision::InDoubt => Err(Error::from_execution(&existing)),
            Decision::KeyReused(names) => Err(key_reused(&existing, &names)),
            Decision::Claim { new_round: true } => Err(Error::new(
                ErrorKind::NotAllowed,
                "it ended before, and a new round cannot begin within a transaction: submit it \
                 without .within(..)",
            )
            .of_execution(&existing)),
            _ => Ok(existing),
        }
    }

    /// Waits for the end of an execution, whoever runs it.
    pub(crate) async fn follow(
        &self,
        identity: &Identity,
        wait: Duration,
    ) -> Result<Settled, Error> {
        let mut seat = self.flights.board(identity).ok_or_else(overloaded)?;
        let deadline = self.clock.sleep(wait);
        tokio::pin!(deadline);
        let mut how = How::Replayed;
        loop {
            let which = Which::Identity(identity.clone());
            let found = self.store.get(which).await.map_err(|error| Error::unavailable(&error))?;
            let Some(execution) = found else {
                return Err(Error::new(
                    ErrorKind::NotFound,
                    "it is not accepted: the transaction it was submitted in is not committed",
                ));
            };
            if !matches!(execution.state.status, Status::Running | Status::Waiting) {
                return self.answer(execution, how);
            }
            how = How::Joined;
            tokio::select! {
                biased;
                _ = seat.news() => {}
                () = self.clock.sleep(self.ask_every(ASK_AGAIN)) => {}
                () = &mut deadline => return Err(Error::in_progress(&execution)),
            }
        }
    }

    /// Until nothing is pursued any more.
    pub(crate) async fn is_still(&self) {
        // The sender lives as long as the dispatcher, which is borrowed here.
        drop(self.flights.piloted().wait_for(|piloted| *piloted == 0).await);
    }

    /// Whether nothing is pursued any more within that time.
    pub(crate) async fn is_still_within(&self, grace: Duration) -> bool {
        tokio::select! {
            biased;
            () = self.is_still() => true,
            () = self.clock.sleep(grace) => false,
        }
    }

    /// How often a submission that others overtake asks again before it gives up.
    const SUBMIT_TRIES: usize = 16;

    fn accepted(&self, execution: Arc<Execution>) -> Arc<Execution> {
        if execution.state.status == Status::Waiting {
            self.due.notify_one();
        }
        execution
    }

    /// The execution that a call would begin with this event.
    pub(crate) fn new_execution(&self, asked: &Asked, event: Event) -> NewExecution {
        let request = self.request(&asked.prepared);
        NewExecution::new(asked.identity.clone(), request, event, asked.author.clone())
    }

    fn request(&self, prepared: &Prepared) -> Request {
        let fingerprint = Fingerprint::new(self.randomness.bytes(), &prepared.fingerprint);
        let version = prepared.definition.key_version;
        let params = Some(Arc::clone(&prepared.params));
        Request::new(version, prepared.key.clone(), fingerprint, params)
    }

    /// What the record answers to this call.
    pub(crate) fn decide(
        &self,
        execution: &Execution,
        asked: &Asked,
        mine: Option<Token>,
    ) -> Decision {
        let parts = Some(asked.prepared.fingerprint.as_slice());
        self.decide_for(execution, parts, asked.prepared.definition.policy.class, mine)
    }

    fn decide_for(
        &self,
        execution: &Execution,
        parts: Option<&[crate::key::FingerprintPart]>,
        class: Class,
        mine: Option<Token>,
    ) -> Decision {
        let view = View { parts, class, now: self.clock.now(), mine };
        let monotonic = self.clock.monotonic();
        decide(execution, &view, |instance| {
            if self.works {
                self.census.liveness(instance, monotonic)
            } else {
                decision::Liveness::Alive
            }
        })
    }

    fn claim_event(&self, class: Class) -> (Token, Event) {
        let token = Token::from_bytes(self.randomness.bytes());
        (token, Event::Claimed(Claim::new(token, self.census.me(), class)))
    }

    /// A failure as it is recorded, with the class that was stated or is known. `mixed`: the body
    /// held a transaction and borrowed something else, so the database's own errors say nothing
    /// about the rest.
    fn classified(&self, failure: &Failure, mixed: bool) -> FailureRecord {
        let class = if mixed && failure.is_of_database() {
            failure.stated_class()
        } else {
            crate::failure::classify(failure, &self.classifiers)
        };
        let record = failure.to_record();
        match class {
            Some(class) => record.of_class(class),
            None => record,
        }
    }

    /// Who stands behind what an attempt writes.
    fn author_of(&self, execution: &Execution) -> Author {
        let author = Author::new("runtime", self.census.me());
        match self.registry.action(&execution.identity.action) {
            Some(Registered { version, .. }) => author.version(Arc::clone(version)),
            None => author,
        }
    }

    /// How often to ask the store for what other processes did. Time that a test moves costs
    /// turns, not waiting, so there it is asked seldom.
    pub(crate) fn ask_every(&self, gap: Duration) -> Duration {
        if self.clock.is_real() { gap } else { gap * 300 }
    }

    async fn record(
        &self,
        before: &Arc<Execution>,
        event: Event,
    ) -> Result<Recorded, StoreError> {
        let author = self.author_of(before);
        self.store.record(Change::new(Arc::clone(before), event, author)).await
    }

    pub(crate) fn refuse_if_draining(&self) -> Result<(), Error> {
        if *self.phase.borrow() == Phase::Open {
            return Ok(());
        }
        Err(draining())
    }

    fn is_cancelled(&self) -> bool {
        *self.phase.borrow() == Phase::Cancelled
    }

    async fn cancelled(&self) {
        let mut phase = self.phase.subscribe();
        // The sender lives as long as the dispatcher, which is borrowed here.
        drop(phase.wait_for(|phase| *phase == Phase::Cancelled).await);
    }

    fn durability(&self, asked: &crate::action::Definition) -> Durability {
        match asked.policy.class {
            Class::Transaction => Durability::Visible,
            Class::Repeatable | Class::Check | Class::Once => Durability::Synced,
        }
    }
}

impl fmt::Debug for Dispatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dispatcher").field("store", &self.store).finish_non_exhaustive()
    }
}

enum Look {
    Answer(Arc<Execution>, How),
    Listen(Duration),
}

/// What a waiting call has learnt so far.
#[derive(Debug, Default)]
struct Waited {
    /// Somebody was at it when this call came or since.
    joined: bool,
    /// A claim of this call was sent.
    claimed: bool,
    /// The news said enough: listen on without asking the store.
    skip_look: bool,
    latest: Option<Arc<Execution>>,
    trouble: Option<Arc<str>>,
}

impl Waited {
    /// Until when to listen before asking the store again.
    fn pause(&self, dispatcher: &Dispatcher) -> Duration {
        let third = dispatcher.census.lease() / 3;
        let ask_again = dispatcher.ask_every(ASK_AGAIN);
        match &self.latest {
            Some(execution) if execution.state.status == Status::Waiting => {
                let now = dispatcher.clock.now();
                let due = execution.state.due.map_or(ask_again, |due| due.since(now));
                due.clamp(Duration::from_millis(1), ask_again)
            }
            Some(execution) if execution.state.instance == Some(dispatcher.census.me()) => third,
            Some(_) => ask_again,
            None => third,
        }
    }

    fn in_progress(self, asked: &Asked) -> Error {
        match (self.latest, self.trouble) {
            (Some(execution), Some(why)) => Error::unrecorded(&execution, &why),
            (Some(execution), None) => Error::in_progress(&execution),
            (None, _) => Error::new(
                ErrorKind::InProgress,
                format!(
                    "`{}` is being claimed and the store has not answered; call again to learn its \
                     end",
                    asked.identity.action
                ),
            ),
        }
    }
}

fn key_reused(execution: &Execution, names: &[String]) -> Error {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    Error::new(
        ErrorKind::KeyReused,
        format!(
            "the key of this call of `{}` was used with another {}; send the same, make it part of \
             the key, or ignore it",
            execution.identity.action,
            names.join(", ")
        ),
    )
    .of_execution(execution)
}

fn overloaded() -> Error {
    Error::new(ErrorKind::Overloaded, "too many callers wait; call again later")
}

fn draining() -> Error {
    Error::new(ErrorKind::Draining, "this runtime is draining and takes no new work")
}

fn would_deadlock() -> Error {
    Error::new(
        ErrorKind::WouldDeadlock,
        "the body of an action that borrows a transaction cannot execute or submit: it holds the \
         write lock that this would wait for; do it before or after, or submit(..).within(..)",
    )
}

fn submit_failed(error: &StoreError) -> Error {
    match error {
        StoreError::Unknown(_) => Error::new(
            ErrorKind::InProgress,
            format!("{error}; submit the same call again to learn whether it was accepted"),
        ),
        _ => Error::unavailable(error),
    }
}
