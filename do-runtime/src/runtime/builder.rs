//! How a runtime is put together, and all the reasons for which it refuses to start.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle as Tokio;
use tokio::sync::{Notify, Semaphore, watch};

use super::{Life, Runtime};
use crate::action::{Constructors, Definition, Provided, Registration};
use crate::clock::{Clock, SystemClock};
use crate::dispatcher::{Cache, Census, Dispatcher, Flights, Listener, Phase};
use crate::failure::Classifier;
use crate::heartbeat::Heartbeat;
use crate::randomness::{Randomness, SystemRandomness};
use crate::record::{Execution, InstanceId};
use crate::registry::{Mistake, Registry};
use crate::store::{Store, StoreError};

/// One instance's lease.
const LEASE: Duration = Duration::from_secs(15);
const LEASE_MIN: Duration = Duration::from_millis(10);
const LEASE_MAX: Duration = Duration::from_secs(24 * 3600);
/// Waiters of one key, and of all keys.
const WAITERS_PER_KEY: usize = 1_000;
const WAITERS: usize = 10_000;
/// Successes that are answered without a read.
const CACHED: usize = 10_000;
/// Executions that run in the background at one time.
const BACKGROUND: usize = 256;

/// A runtime before it starts.
#[must_use = "start it: `.start().await`"]
pub struct Builder {
    source: StoreSource,
    provided: Provided,
    registered: Vec<&'static Definition>,
    only: Option<Vec<&'static Definition>>,
    classifiers: Vec<Classifier>,
    listeners: Vec<Listener>,
    mistakes: Vec<Mistake>,
    clock: Arc<dyn Clock>,
    randomness: Arc<dyn Randomness>,
    lease: Duration,
}

/// All put together, and what is wrong with it.
struct Assembled {
    dispatcher: Arc<Dispatcher>,
    /// Names that two actions have.
    twice: Vec<Mistake>,
    /// What does not fit what is provided, or the store.
    misfits: Vec<Mistake>,
}

enum StoreSource {
    Address(String),
    #[cfg(feature = "sqlx")]
    Pool(sqlx::SqlitePool),
    Store(Arc<dyn Store>),
}

/// Why a runtime does not start: everything that is wrong, not the first of it.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StartError {
    /// Actions and what is provided do not fit.
    Mistakes(Vec<Mistake>),
    /// The store does not open.
    Store(StoreError),
    /// A lease that is too short to be renewed in time, or so long that nobody is ever taken over.
    Lease(Duration),
}

impl Builder {
    pub(super) fn open(address: String) -> Self {
        Self::of(StoreSource::Address(address))
    }

    #[cfg(feature = "sqlx")]
    pub(super) fn with_pool(pool: sqlx::SqlitePool) -> Self {
        Self::of(StoreSource::Pool(pool))
    }

    pub(super) fn with_store(store: Arc<dyn Store>) -> Self {
        Self::of(StoreSource::Store(store))
    }

    fn of(source: StoreSource) -> Self {
        Self {
            source,
            provided: Provided::new(),
            registered: Vec::new(),
            only: None,
            classifiers: Vec::new(),
            listeners: Vec::new(),
            mistakes: Vec::new(),
            clock: Arc::new(SystemClock::new()),
            randomness: Arc::new(SystemRandomness::new()),
            lease: LEASE,
        }
    }

    /// Gives what actions borrow as `&T`; an `Arc<dyn Trait>` also serves `&dyn Trait`.
    pub fn provide<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        if let Err(twice) = self.provided.insert(value) {
            self.mistakes.push(Mistake::ProvidedTwice { type_name: twice.type_name() });
        }
        self
    }

    /// Adds actions by their functions, where the linker did not bring them.
    #[expect(clippy::needless_pass_by_value, reason = "functions are named, not borrowed")]
    pub fn register<Arguments>(mut self, functions: impl Constructors<Arguments>) -> Self {
        self.registered.extend(functions.definitions());
        self
    }

    /// Has these actions and no others: `.only((create_user, add_to_crm))`.
    #[expect(clippy::needless_pass_by_value, reason = "functions are named, not borrowed")]
    pub fn only<Arguments>(mut self, functions: impl Constructors<Arguments>) -> Self {
        self.only.get_or_insert_default().extend(functions.definitions());
        self
    }

    /// Adds a classifier of errors; see [`Classifier`].
    pub fn classifier(mut self, classifier: Classifier) -> Self {
        self.classifiers.push(classifier);
        self
    }

    /// Hears of every execution that is in doubt, parked or failed, on the task that found out: be
    /// brief.
    pub fn on(mut self, listener: impl Fn(&Execution) + Send + Sync + 'static) -> Self {
        self.listeners.push(Arc::new(move |execution: &Arc<Execution>| listener(execution)));
        self
    }

    /// How long this instance's claims stand without a renewal, from 10 ms to a day; 15 s unless it
    /// is said.
    pub fn lease(mut self, lease: Duration) -> Self {
        self.lease = lease;
        self
    }

    /// Another clock, for tests.
    pub fn clock(mut self, clock: impl Clock) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Another source of randomness, for tests.
    pub fn randomness(mut self, randomness: impl Randomness) -> Self {
        self.randomness = Arc::new(randomness);
        self
    }

    /// Opens the store and starts to work: runs what is called, and takes up what is due or was
    /// left behind. Once it returned, what processes that are known to be dead left running is
    /// ended: in doubt, or due.
    ///
    /// # Errors
    /// All that does not fit, with its places; or the store does not open.
    pub async fn start(self) -> Result<Runtime, StartError> {
        if !(LEASE_MIN..=LEASE_MAX).contains(&self.lease) {
            return Err(StartError::Lease(self.lease));
        }
        let Assembled { dispatcher, twice, misfits } = self.assemble(true)?;
        if !twice.is_empty() || !misfits.is_empty() {
            return Err(StartError::Mistakes([twice, misfits].concat()));
        }
        dispatcher.renew().await?;
        crate::rescuer::end_what_the_dead_left(&dispatcher).await?;
        let heartbeat = Heartbeat::start(Arc::clone(&dispatcher))
            .map_err(|error| StoreError::Open(format!("no thread for the lease: {error}")))?;
        supervise("rescuer", &dispatcher, crate::rescuer::run);
        supervise("pruner", &dispatcher, crate::pruner::run);
        Ok(runtime(dispatcher, Some(heartbeat)))
    }

    /// Opens the store without working: looks up, submits and resolves, and needs nothing
    /// provided.
    ///
    /// # Errors
    /// Two actions of one name; or the store does not open.
    #[expect(clippy::unused_async, reason = "stores to come connect over a network")]
    pub async fn connect(self) -> Result<Runtime, StartError> {
        let Assembled { dispatcher, twice, misfits: _ } = self.assemble(false)?;
        if twice.is_empty() {
            Ok(runtime(dispatcher, None))
        } else {
            Err(StartError::Mistakes(twice))
        }
    }

    fn assemble(self, works: bool) -> Result<Assembled, StartError> {
        let (registry, twice) = match &self.only {
            Some(only) => Registry::of(only.iter().copied()),
            None => Registry::of(Registration::all().chain(self.registered.iter().copied())),
        };
        let store = match self.source.open(&self.clock) {
            Ok(store) => store,
            Err(_) if !twice.is_empty() => return Err(StartError::Mistakes(twice)),
            Err(error) => return Err(error.into()),
        };
        let mut mistakes = self.mistakes;
        mistakes.extend(
            registry.mistakes(&self.provided, store.borrows().map(|borrows| borrows.database)),
        );
        let me = InstanceId::from_bytes(self.randomness.bytes());
        let dispatcher = Dispatcher {
            store,
            clock: self.clock,
            randomness: self.randomness,
            registry,
            provided: self.provided,
            classifiers: self.classifiers,
            listeners: self.listeners,
            census: Census::new(me, self.lease),
            flights: Flights::new(WAITERS_PER_KEY, WAITERS),
            cache: Cache::new(CACHED),
            phase: watch::Sender::new(Phase::Open),
            due: Arc::new(Notify::new()),
            background: Arc::new(Semaphore::new(BACKGROUND)),
            works,
        };
        Ok(Assembled { dispatcher: Arc::new(dispatcher), twice, misfits: mistakes })
    }
}

impl StoreSource {
    #[cfg_attr(not(feature = "sqlite"), expect(unused_variables, reason = "SQLite takes it"))]
    fn open(self, clock: &Arc<dyn Clock>) -> Result<Arc<dyn Store>, StoreError> {
        match self {
            Self::Store(store) => Ok(store),
            #[cfg(feature = "sqlite")]
            Self::Address(address) if address.starts_with("sqlite:") => {
                let store = crate::store::sqlite::Sqlite::open(&address, Arc::clone(clock))?;
                Ok(Arc::new(store))
            }
            Self::Address(address) => {
                let scheme = address.split(':').next().unwrap_or_default();
                Err(StoreError::Open(format!(
                    "no store is called `{scheme}`; write `sqlite://path/to/file.db`"
                )))
            }
            #[cfg(feature = "sqlx")]
            Self::Pool(pool) => {
                let store = crate::store::sqlite::Sqlite::with_pool(pool, Arc::clone(clock))?;
                Ok(Arc::new(store))
            }
        }
    }
}

fn runtime(dispatcher: Arc<Dispatcher>, heartbeat: Option<Heartbeat>) -> Runtime {
    let tokio = heartbeat.is_some().then(Tokio::current);
    let life = Life { dispatcher: Arc::clone(&dispatcher), heartbeat: heartbeat.into(), tokio };
    Runtime {
        dispatcher,
        scope: super::DEFAULT_SCOPE.into(),
        principal: "app".into(),
        life: Arc::new(life),
    }
}

/// Runs a task for ever: one that panics is started again, and says so.
fn supervise<F>(
    name: &'static str,
    dispatcher: &Arc<Dispatcher>,
    task: impl Fn(Arc<Dispatcher>) -> F + Send + 'static,
) where
    F: Future<Output = ()> + Send + 'static,
{
    let dispatcher = Arc::clone(dispatcher);
    tokio::spawn(async move {
        while let Err(error) = tokio::spawn(task(Arc::clone(&dispatcher))).await {
            if !error.is_panic() {
                return;
            }
            tracing::error!(task = name, %error, "a task of the runtime panicked; it starts again");
            dispatcher.clock.sleep(Duration::from_secs(1)).await;
        }
    });
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder").field("provided", &self.provided).finish_non_exhaustive()
    }
}

impl From<StoreError> for StartError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mistakes(mistakes) => {
                f.write_str("the runtime does not start:")?;
                mistakes.iter().try_for_each(|mistake| write!(f, "\n  - {mistake}"))
            }
            Self::Store(error) => write!(f, "the runtime does not start: {error}"),
            Self::Lease(lease) => write!(
                f,
                "the runtime does not start: a lease of {lease:?}; write one from {LEASE_MIN:?} to \
                 {LEASE_MAX:?}"
            ),
        }
    }
}

/// The text: a `main` that returns it shows it so.
impl fmt::Debug for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for StartError {}
