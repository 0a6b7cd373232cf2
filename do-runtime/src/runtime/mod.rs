//! The front door: one runtime, on which every verb is a method.

mod builder;
mod execute;
mod operate;
mod read;
mod retry;
mod span;
mod submit;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;
use tokio::runtime::Handle as Tokio;

pub use builder::{Builder, StartError};
pub use execute::{Execute, Receipt, WithReceipt};
pub use operate::{IntoKey, Resolution, Resolve};
pub use read::{Lookup, Would};
pub use retry::{Retried, Retry, RetryAll};
pub use span::{IntoSpan, NotASpan};
pub use submit::{Handle, Submit, SubmitWithin};

use crate::action::{Action, CallError, IntoCall, Outcome, Prepared, Stored};
use crate::audit::Author;
use crate::dispatcher::{Asked, Dispatcher, Error, ErrorKind, Phase};
use crate::heartbeat::Heartbeat;
use crate::key::Key;
use crate::record::Identity;

/// The value of a successful call of the action `A`.
pub type ValueOf<A> = <<A as Action>::Return as Outcome>::Value;

/// How long a verb waits for an end unless it is told otherwise.
pub const DEFAULT_WAIT: Duration = Duration::from_secs(30);

/// How long a drain goes on after its grace, until the ends of the bodies it stopped are recorded.
const AFTER_GRACE: Duration = Duration::from_secs(5);

/// The scope of calls that name none.
const DEFAULT_SCOPE: &str = "default";

/// Executes, submits, looks up, resolves. Cheap to clone; all clones are one runtime.
#[derive(Clone)]
pub struct Runtime {
    dispatcher: Arc<Dispatcher>,
    scope: Arc<str>,
    principal: Arc<str>,
    life: Arc<Life>,
}

/// Ends with the last clone of a runtime.
struct Life {
    dispatcher: Arc<Dispatcher>,
    heartbeat: Mutex<Option<Heartbeat>>,
    /// None of one that does not work.
    tokio: Option<Tokio>,
}

impl Runtime {
    /// A runtime on a store by its address: `sqlite://PATH`. See [`Builder`] for what comes next.
    pub fn open(address: impl Into<String>) -> Builder {
        Builder::open(address.into())
    }

    /// A runtime on the database of a pool that the application has.
    #[cfg(feature = "sqlx")]
    pub fn with_pool(pool: sqlx::SqlitePool) -> Builder {
        Builder::with_pool(pool)
    }

    /// A runtime on any store.
    pub fn with_store(store: impl crate::store::Store) -> Builder {
        Builder::with_store(Arc::new(store))
    }

    /// The same runtime for another tenant: keys of two scopes never meet.
    ///
    /// ```no_run
    /// # use do_runtime::prelude::*;
    /// # #[action] async fn charge(order: u64) -> Result<u64> { Ok(order) }
    /// # async fn example(app: Runtime) -> Result<(), do_runtime::Error> {
    /// app.scope("acme").execute(charge(7)).await?; // another charge than that of the next line
    /// app.scope("globex").execute(charge(7)).await?;
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn scope(&self, scope: impl Into<Arc<str>>) -> Self {
        Self { scope: scope.into(), ..self.clone() }
    }

    /// The same runtime on behalf of somebody, whose name goes into the audit trail.
    #[must_use]
    pub fn as_principal(&self, principal: impl Into<Arc<str>>) -> Self {
        Self { principal: principal.into(), ..self.clone() }
    }

    /// Runs, joins or replays a call: gives its value. See [`Execute`].
    ///
    /// ```no_run
    /// # use do_runtime::prelude::*;
    /// # #[action] async fn charge(order: u64) -> Result<u64> { Ok(order) }
    /// # async fn example(app: Runtime) -> Result<(), do_runtime::Error> {
    /// let receipt = app.execute(charge(7)).wait("5s").receipt().await?;
    /// println!("{} ({}), attempts: {}", receipt.value, receipt.how.as_str(), receipt.attempts);
    /// # Ok(()) }
    /// ```
    pub fn execute<A>(&self, call: impl IntoCall<Action = A>) -> Execute<ValueOf<A>>
    where
        A: Action<Return: Outcome<Value: Stored>>,
    {
        Execute::of(self.clone(), call.into_call().into_prepared())
    }

    /// The same by the action's name, with its parameters under their wire names.
    pub fn execute_named(
        &self,
        name: impl Into<String>,
        params: impl Serialize,
    ) -> Execute<serde_json::Value> {
        Execute::named(self.clone(), name.into(), &params)
    }

    /// Accepts a call durably and runs it in the background. See [`Submit`].
    ///
    /// ```no_run
    /// # use do_runtime::prelude::*;
    /// # #[action] async fn remind(user: u64) -> Result<u64> { Ok(user) }
    /// # async fn example(app: Runtime) -> Result<(), do_runtime::Error> {
    /// let handle = app.submit(remind(7)).after("3d").await?;
    /// println!("accepted as {}", handle.execution());
    /// # Ok(()) }
    /// ```
    pub fn submit<A>(&self, call: impl IntoCall<Action = A>) -> Submit<ValueOf<A>>
    where
        A: Action<Return: Outcome<Value: Stored>>,
    {
        Submit::of(self.clone(), call.into_call().into_prepared())
    }

    /// Takes no new work, waits until what runs has ended, at most for `grace` (`"30s"`), then
    /// stops the rest and records their ends itself. The store is closed afterwards.
    ///
    /// ```no_run
    /// # async fn example(app: do_runtime::Runtime) -> Result<(), do_runtime::Error> {
    /// app.drain("30s").await?; // last, before the process ends
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Something was still running five seconds after it was stopped, or `grace` is no span.
    pub async fn drain(&self, grace: impl IntoSpan) -> Result<(), Error> {
        let grace = grace.into_span().map_err(Error::from)?;
        let dispatcher = &self.dispatcher;
        dispatcher.begin_draining();
        if !dispatcher.is_still_within(grace).await {
            dispatcher.phase.send_replace(Phase::Cancelled);
            if !dispatcher.is_still_within(AFTER_GRACE).await {
                return Err(Error::new(
                    ErrorKind::InProgress,
                    "a body did not stop: it blocks its thread without an await; what it did is \
                     recorded as unknown once another process takes over",
                ));
            }
        }
        self.life.stop();
        dispatcher.store.close().await.map_err(|error| Error::unavailable(&error))
    }

    fn asked(&self, prepared: Result<Prepared, CallError>) -> Result<Arc<Asked>, Error> {
        let prepared = prepared.map_err(Error::from)?;
        let definition = prepared.definition;
        let Some(registered) = self.dispatcher.registry.action(definition.name) else {
            return Err(self.unknown_action(definition.name));
        };
        let key = Key::derived(&self.scope, definition.name, definition.key_version, &prepared.key);
        let identity = Identity::new(Arc::clone(&self.scope), Arc::clone(&registered.name), key);
        let author = self.author().version(Arc::clone(&registered.version));
        Ok(Arc::new(Asked { prepared, identity, author }))
    }

    fn author(&self) -> Author {
        Author::new(Arc::clone(&self.principal), self.dispatcher.census.me())
    }

    fn unknown_action(&self, name: &str) -> Error {
        let registry = &self.dispatcher.registry;
        let hint = match registry.closest(name) {
            Some(close) => format!("did you mean `{close}`?"),
            None => {
                let names: Vec<&str> = registry.iter().map(|action| &*action.name).collect();
                if names.is_empty() {
                    "this program has no actions: use the crate that defines them".to_owned()
                } else {
                    format!("this process has {}", names.join(", "))
                }
            }
        };
        Error::new(ErrorKind::UnknownAction, format!("no action is called `{name}`; {hint}"))
    }
}

impl Life {
    fn stop(&self) {
        drop(self.heartbeat.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

impl Drop for Life {
    /// Nobody can ask for anything any more: no new work is taken, what runs goes on to its end,
    /// and the lease is renewed until then.
    fn drop(&mut self) {
        self.dispatcher.begin_draining();
        let heartbeat = self.heartbeat.lock().unwrap_or_else(PoisonError::into_inner).take();
        let dispatcher = Arc::clone(&self.dispatcher);
        // Where it was started: the thread that drops it may be none of tokio's.
        if let Some(tokio) = &self.tokio {
            tokio.spawn(async move {
                dispatcher.is_still().await;
                drop(heartbeat);
            });
        }
    }
}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runtime")
            .field("store", &self.dispatcher.store)
            .field("scope", &self.scope)
            .field("principal", &self.principal)
            .finish_non_exhaustive()
    }
}

impl From<CallError> for Error {
    fn from(error: CallError) -> Self {
        let kind = match error.code() {
            "invalid_key" => ErrorKind::InvalidKey,
            _ => ErrorKind::InvalidParams,
        };
        Self::new(kind, error.to_string())
    }
}

impl From<NotASpan> for Error {
    fn from(error: NotASpan) -> Self {
        Self::new(ErrorKind::InvalidParams, error.to_string())
    }
}
