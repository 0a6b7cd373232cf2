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
mod follow;
mod pursuit;
mod submission;
#[cfg(test)]
mod tests;
mod verdict;
mod wait;

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, Semaphore, watch};

pub use error::{Effect, Error, ErrorKind};

pub(crate) use cache::Cache;
pub(crate) use census::Census;
use census::Standing;
pub(crate) use decision::Decision;
use decision::{View, decide};
pub(crate) use flight::Flights;

use crate::action::{Prepared, Provided};
use crate::audit::Author;
use crate::clock::Clock;
use crate::failure::{Classifier, Failure, FailureRecord, classify};
use crate::key::Fingerprint;
use crate::policy::Class;
use crate::randomness::Randomness;
use crate::record::{Claim, Event, Execution, Identity, Request, Token};
use crate::registry::{Registered, Registry};
use crate::store::{Change, Durability, NewExecution, Recorded, Store, StoreError};

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
    /// Takes no new work from now on; what runs goes on.
    pub(crate) fn begin_draining(&self) {
        self.phase.send_if_modified(|phase| {
            let opens = *phase == Phase::Open;
            if opens {
                *phase = Phase::Draining;
            }
            opens
        });
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

    /// Renews the lease once: makes the instance known, or keeps it alive.
    pub(crate) async fn renew(&self) -> Result<(), StoreError> {
        let asked = self.clock.monotonic();
        let seen = self.store.heartbeat(self.census.me(), self.census.lease()).await?;
        self.census.update(&seen, asked, self.clock.monotonic());
        Ok(())
    }

    /// The lease, renewed first when it is over: whoever has none begins nothing.
    async fn leased(&self) -> Result<Standing, StoreError> {
        if self.census.lease_left(self.clock.monotonic()).is_zero() {
            self.renew().await?;
        }
        Ok(self.census.standing())
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
        let view = View { parts, class, now: self.store.now(), mine };
        decide(execution, &view, |instance| {
            if self.works { self.census.liveness(instance) } else { decision::Liveness::Alive }
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
            let asked = AssertUnwindSafe(|| classify(failure, &self.classifiers));
            catch_unwind(asked).unwrap_or_else(|_| {
                tracing::error!("a classifier panicked; the failure has no class");
                failure.stated_class()
            })
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

    async fn record(&self, before: &Arc<Execution>, event: Event) -> Result<Recorded, StoreError> {
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
