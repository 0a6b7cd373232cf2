//! One attempt: the check, the body, and the end they come to.
//!
//! Runs on the pursuit's task, never in a caller's future. A body is stopped by its time-out, by
//! the end of a drain, and, where its take-over would run it again, by the end of this instance's
//! lease. Whatever stops it, its end is unknown: the body may have done its work before.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use super::verdict::End;
use super::{Dispatcher, Standing};
use crate::action::{Attempt, Definition, Encoded, Inputs, ParametersError};
use crate::failure::{Failure, FailureClass, FailureRecord, panic_text};
use crate::policy::Class;
use crate::record::{Event, Execution, Value};
use crate::store::{Change, Recorded, StoreError, Transaction};

/// Results above this are left out of the record, which says their length and hash instead.
pub(crate) const RESULT_MAX: usize = 16 << 20;

tokio::task_local! {
    /// Set while a body keeps other writers out: whoever asks for a write then waits for itself.
    static IN_TRANSACTION: ();
}

/// Whether this task's body keeps other writers out.
pub(crate) fn in_transaction() -> bool {
    IN_TRANSACTION.try_with(|()| ()).is_ok()
}

/// What came of an attempt, before it is recorded.
pub(crate) enum Outcome {
    /// Record what this end means.
    End(End),
    /// Record this.
    Event(Event),
    /// Recorded already, with the effect, in one transaction.
    Recorded(Arc<Execution>),
    /// The claim was lost: this is what stands.
    Lost(Arc<Execution>),
}

impl Dispatcher {
    /// Runs one attempt of a claimed execution. `before` is how it stood before the claim, and
    /// `standing` the lease: who has slept through its end begins no body, because somebody else
    /// may have decided meanwhile.
    pub(super) async fn attempt(
        &self,
        definition: &'static Definition,
        execution: &mut Arc<Execution>,
        before: Option<&Execution>,
        standing: Standing,
    ) -> Outcome {
        let Some(params) = execution.request.params.clone() else {
            return Outcome::End(incompatible("they are no longer kept"));
        };
        let state = &execution.state;
        let attempt = Arc::new(Attempt::new(execution.identity.key, state.attempts, state.round));
        if state.doubt && !may_repeat(definition.policy.class, before) {
            // The author has changed the class since the attempt that ended unknown.
            return Outcome::End(End::NotRun(FailureRecord::new(format!(
                "an earlier attempt ended unknown, and this version of the code says `{}`",
                definition.policy.class.as_str()
            ))));
        }
        if let Some(outcome) = self.ask(definition, execution, &params, &attempt).await {
            return outcome;
        }
        crate::fault!("before_body");
        if self.is_cancelled() || self.census.has_lapsed(standing, self.clock.monotonic()) {
            return Outcome::Event(Event::Released);
        }
        match definition.connection {
            Some(_) => self.run_in_transaction(definition, execution, &params, &attempt).await,
            None => self.run_body(definition, &params, &attempt).await,
        }
    }

    /// Asks the world, for an action of class `check`; none: the body may run.
    async fn ask(
        &self,
        definition: &'static Definition,
        execution: &mut Arc<Execution>,
        params: &[u8],
        attempt: &Arc<Attempt>,
    ) -> Option<Outcome> {
        let check = definition.check?;
        let inputs = Inputs::new(params, &self.provided, attempt, None);
        let asked = match start(|| check(inputs)) {
            Ok(future) => self.bounded(definition, future, Duration::ZERO).await,
            Err(end) => return Some(Outcome::End(end)),
        };
        match asked {
            Stopped::No(Ok(Some(value))) => Some(Outcome::End(End::Found(to_value(value)))),
            Stopped::No(Ok(None)) => self.not_there(definition, execution).await,
            Stopped::No(Err(failure)) => {
                Some(Outcome::End(End::CheckErr(self.classified(&failure, false))))
            }
            Stopped::Yes(why) => Some(Outcome::End(End::CheckErr(FailureRecord::new(format!(
                "the check could not tell: it {why}"
            ))))),
        }
    }

    /// The check said *not there*. Without doubt that is believed at once; with doubt only once
    /// the last body has been still for long enough.
    async fn not_there(
        &self,
        definition: &'static Definition,
        execution: &mut Arc<Execution>,
    ) -> Option<Outcome> {
        let state = &execution.state;
        if !state.doubt {
            return None;
        }
        let settle = definition.policy.settle.unwrap_or(self.census.lease());
        let last = state.last_end?;
        let since = self.store.now().since(last.at);
        if since < settle {
            return Some(Outcome::Event(Event::AskLater { failure: None, gap: settle - since }));
        }
        if !last.known {
            return None;
        }
        match self.record(execution, Event::NotThere).await {
            Ok(Recorded::Done(after)) => {
                *execution = after;
                None
            }
            Ok(Recorded::Lost(current)) => Some(Outcome::Lost(current)),
            Ok(Recorded::Gone) | Err(_) => Some(Outcome::Event(Event::Released)),
        }
    }

    async fn run_body(
        &self,
        definition: &'static Definition,
        params: &[u8],
        attempt: &Arc<Attempt>,
    ) -> Outcome {
        let inputs = Inputs::new(params, &self.provided, attempt, None);
        match start(|| (definition.body)(inputs)) {
            Ok(future) => {
                let ended = self.bounded(definition, future, Duration::ZERO).await;
                crate::fault!("after_effect");
                Outcome::End(self.end_of(ended, false))
            }
            Err(end) => Outcome::End(end),
        }
    }

    async fn run_in_transaction(
        &self,
        definition: &'static Definition,
        execution: &Arc<Execution>,
        params: &[u8],
        attempt: &Arc<Attempt>,
    ) -> Outcome {
        let asked = self.clock.monotonic();
        let mut transaction = match self.within_timeout(definition, self.store.begin()).await {
            Some(Ok(transaction)) => transaction,
            Some(Err(error)) => return Outcome::End(End::Err(transient(error.to_string()))),
            None => {
                let text = "the database's write lock was not free within the time-out";
                return Outcome::End(End::Err(transient(text.to_owned())));
            }
        };
        let mixed = definition.policy.class != Class::Transaction;
        // The time-out counts the wait for the lock too.
        let waited = self.clock.monotonic().saturating_sub(asked);
        let started = {
            let connection = Some(transaction.connection());
            let inputs = Inputs::new(params, &self.provided, attempt, connection);
            match start(|| (definition.body)(inputs)) {
                Ok(future) => Ok(self.held(definition, future, waited).await),
                Err(end) => Err(end),
            }
        };
        let ended = match started {
            Ok(ended) => ended,
            Err(end) => {
                transaction.rollback().await;
                return Outcome::End(end);
            }
        };
        crate::fault!("after_effect");
        if matches!(&ended, Stopped::No(Err(failure)) if failure.is_refused_commit()) {
            transaction.rollback().await;
            return ended_by_itself();
        }
        match self.end_of(ended, mixed) {
            End::Ok(value) => self.commit(definition, execution, transaction, value).await,
            End::Unknown(failure) if !mixed => {
                transaction.rollback().await;
                Outcome::End(End::Err(failure.of_class(FailureClass::Transient)))
            }
            end => {
                transaction.rollback().await;
                Outcome::End(end)
            }
        }
    }

    /// Runs a body that holds a transaction, no longer than the store lets it keep others out.
    async fn held<T>(
        &self,
        definition: &Definition,
        future: Pin<Box<dyn Future<Output = T> + Send + '_>>,
        waited: Duration,
    ) -> Stopped<T> {
        let Some(hold) = self.store.borrows().and_then(|borrows| borrows.hold) else {
            return self.bounded(definition, future, waited).await;
        };
        let limit = self.clock.sleep(hold);
        tokio::select! {
            biased;
            ended = IN_TRANSACTION.scope((), self.bounded(definition, future, waited)) => ended,
            () = limit => Stopped::Yes(format!(
                "held the database's write lock for more than {hold:?}, so it was rolled back; do \
                 slow work before or after, in an action of its own"
            )),
        }
    }

    async fn commit(
        &self,
        definition: &'static Definition,
        execution: &Arc<Execution>,
        transaction: Box<dyn Transaction>,
        value: Value,
    ) -> Outcome {
        let event = Event::Succeeded { value, found: false, keep: definition.policy.keep };
        let change = Change::new(Arc::clone(execution), event, self.author_of(execution));
        let mixed = definition.policy.class != Class::Transaction;
        match transaction.commit(change).await {
            Ok(Recorded::Done(after)) => Outcome::Recorded(after),
            Ok(Recorded::Lost(current)) => Outcome::Lost(current),
            Ok(Recorded::Gone) => Outcome::End(End::Err(transient("its record is gone".into()))),
            Err(StoreError::TransactionEnded) => ended_by_itself(),
            Err(error) if mixed => Outcome::End(End::Unknown(in_doubt(error.to_string()))),
            Err(StoreError::Rejected(why)) => {
                let failure = FailureRecord::new(why).of_class(FailureClass::Permanent);
                Outcome::End(End::Err(failure))
            }
            // Recording asks with the lock: committed after all, or rolled back and tried again.
            Err(error) => Outcome::End(End::Err(transient(error.to_string()))),
        }
    }

    fn end_of(&self, ended: Stopped<Result<Encoded, Failure>>, mixed: bool) -> End {
        match ended {
            Stopped::No(Ok(value)) => End::Ok(to_value(value)),
            Stopped::No(Err(failure)) => End::Err(self.classified(&failure, mixed)),
            Stopped::Yes(why) => End::Unknown(in_doubt(format!("the body {why}"))),
        }
    }

    async fn within_timeout<T>(
        &self,
        definition: &Definition,
        future: impl Future<Output = T> + Send,
    ) -> Option<T> {
        let limit = self.clock.sleep(definition.policy.timeout);
        tokio::select! {
            biased;
            done = future => Some(done),
            () = limit => None,
        }
    }

    /// Runs a body or a check to its end, or until something stops it; so much of its time-out is
    /// spent.
    async fn bounded<T>(
        &self,
        definition: &Definition,
        future: Pin<Box<dyn Future<Output = T> + Send + '_>>,
        spent: Duration,
    ) -> Stopped<T> {
        let policy = &definition.policy;
        let caught = Caught(Some(future));
        let limit = self.clock.sleep(policy.timeout.saturating_sub(spent));
        let standing = self.census.standing();
        tokio::select! {
            biased;
            ended = caught => match ended {
                Ok(value) => Stopped::No(value),
                Err(panic) => Stopped::Yes(format!("panicked: {panic}")),
            },
            () = self.cancelled() => Stopped::Yes("was stopped by a drain".to_owned()),
            () = self.lease_over(standing), if policy.class != Class::Once => {
                Stopped::Yes("was stopped: this instance could not renew its lease".to_owned())
            }
            () = limit => {
                Stopped::Yes(format!("did not end within its time-out of {:?}", policy.timeout))
            }
        }
    }

    async fn lease_over(&self, since: Standing) {
        while !self.census.has_lapsed(since, self.clock.monotonic()) {
            self.clock.sleep(self.census.lease_left(self.clock.monotonic())).await;
        }
    }
}

/// Whether an effect that may be there may be made again. What the author says of a transaction
/// speaks of transactions: `before` may be an attempt of another class.
fn may_repeat(class: Class, before: Option<&Execution>) -> bool {
    match class {
        Class::Once => false,
        Class::Repeatable | Class::Check => true,
        Class::Transaction => before.is_none_or(|before| before.state.class == Class::Transaction),
    }
}

/// The body tried to end its transaction: its author must look, so nothing repeats it.
fn ended_by_itself() -> Outcome {
    let failure = FailureRecord::new(StoreError::TransactionEnded.to_string());
    Outcome::Event(Event::Doubted { failure, permanent: false, ran: true })
}

/// A future's end, or why it was stopped before.
enum Stopped<T> {
    No(T),
    Yes(String),
}

/// Decodes and starts; an error, or a panic while decoding, is an end without effect.
fn start<T>(decode: impl FnOnce() -> Result<T, ParametersError>) -> Result<T, End> {
    match catch_unwind(AssertUnwindSafe(decode)) {
        Ok(Ok(future)) => Ok(future),
        Ok(Err(error)) => Err(incompatible(&error.to_string())),
        Err(panic) => Err(incompatible(&panic_text(&*panic))),
    }
}

fn incompatible(why: &str) -> End {
    let text = format!("the recorded parameters do not fit this version of the code: {why}");
    let failure = FailureRecord::new(text).of_class(FailureClass::Repair);
    End::NotRun(failure.with_code("incompatible_params"))
}

fn in_doubt(text: String) -> FailureRecord {
    FailureRecord::new(text).of_class(FailureClass::InDoubt)
}

fn transient(text: String) -> FailureRecord {
    FailureRecord::new(text).of_class(FailureClass::Transient)
}

fn to_value(encoded: Encoded) -> Value {
    match encoded {
        Ok(bytes) if bytes.len() <= RESULT_MAX => Value::Json(bytes.into()),
        Ok(bytes) => Value::Missing {
            reason: format!(
                "the result has {} bytes, more than {RESULT_MAX}; its SHA-256 is {}",
                bytes.len(),
                crate::key::sha256_hex(&bytes)
            ),
        },
        Err(reason) => Value::Missing { reason },
    }
}

/// Turns a panic, while polled or dropped, into an error.
struct Caught<'a, T>(Option<Pin<Box<dyn Future<Output = T> + Send + 'a>>>);

impl<T> Future for Caught<'_, T> {
    type Output = Result<T, String>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(future) = self.0.as_mut() else { return Poll::Pending };
        match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx))) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(value)) => Poll::Ready(Ok(value)),
            Err(panic) => Poll::Ready(Err(panic_text(&*panic))),
        }
    }
}

impl<T> Drop for Caught<'_, T> {
    fn drop(&mut self) {
        let future = self.0.take();
        // A panic in a destructor of the body's must not take the pursuit with it; its text is
        // lost, the attempt's end is known by other means or unknown already.
        drop(catch_unwind(AssertUnwindSafe(|| drop(future))));
    }
}
