//! The world outside: counts effects, and does what a script says.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard};
use std::time::Duration;

use do_runtime::clock::Clock as _;
use do_runtime::prelude::*;
use do_runtime::testing::ManualClock;
use sqlx::SqliteConnection;
use tokio::sync::{Semaphore, watch};

use super::Dice;

/// What one run of a body does.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Step {
    /// Takes effect and succeeds.
    Ok,
    /// Has no effect and fails with this class.
    Fails(Option<FailureClass>),
    /// Takes effect and fails with this class all the same.
    AppliesThenFails(Option<FailureClass>),
    /// Waits to be released, then takes effect and succeeds.
    Hangs,
    /// Waits to be released, then fails with this class.
    HangsThenFails(Option<FailureClass>),
    /// Takes effect, then waits to be released, then succeeds.
    AppliesThenHangs,
    /// Panics before the effect.
    Panics,
    /// Panics after the effect.
    AppliesThenPanics,
}

/// What a check says.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Found {
    /// There is an effect.
    There,
    /// There is none.
    NotThere,
    /// It cannot tell.
    Unclear(Option<FailureClass>),
    /// It panics.
    Panics,
    /// It waits to be released, then says what is true.
    Hangs,
}

/// A provider with a script; clones are one world.
#[derive(Debug, Clone)]
pub(crate) struct World(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    name: String,
    steps: Mutex<VecDeque<Step>>,
    otherwise: Mutex<Step>,
    answers: Mutex<VecDeque<Found>>,
    log: Mutex<Vec<String>>,
    downstream: Mutex<Vec<String>>,
    effects: AtomicUsize,
    effects_by_id: Mutex<HashMap<String, usize>>,
    bodies: watch::Sender<usize>,
    checks: AtomicUsize,
    running: watch::Sender<usize>,
    gate: Semaphore,
    slow: Mutex<Option<(ManualClock, Dice)>>,
}

/// Worlds by name, for bodies that may borrow nothing but a transaction.
static WORLDS: LazyLock<Mutex<HashMap<String, World>>> = LazyLock::new(Mutex::default);

/// One body under way: counts down when the body is gone, however that came.
struct Presence<'a>(&'a World);

impl Drop for Presence<'_> {
    fn drop(&mut self) {
        self.0.0.running.send_modify(|running| *running -= 1);
    }
}

impl World {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(1);
        let name = format!("world-{}", NEXT.fetch_add(1, Ordering::Relaxed));
        let world = Self(Arc::new(Inner {
            name: name.clone(),
            steps: Mutex::default(),
            otherwise: Mutex::new(Step::Ok),
            answers: Mutex::default(),
            log: Mutex::default(),
            downstream: Mutex::default(),
            effects: AtomicUsize::new(0),
            effects_by_id: Mutex::default(),
            bodies: watch::Sender::new(0),
            checks: AtomicUsize::new(0),
            running: watch::Sender::new(0),
            gate: Semaphore::new(0),
            slow: Mutex::default(),
        }));
        lock(&WORLDS).insert(name, world.clone());
        world
    }

    /// The world of that name.
    pub(crate) fn named(name: &str) -> Self {
        lock(&WORLDS)[name].clone()
    }

    pub(crate) fn name(&self) -> String {
        self.0.name.clone()
    }

    /// What the next bodies do, one after the other; those after them succeed.
    pub(crate) fn script(&self, steps: impl IntoIterator<Item = Step>) {
        lock(&self.0.steps).extend(steps);
    }

    /// What a body does for which the script has nothing.
    pub(crate) fn always(&self, step: Step) {
        *lock(&self.0.otherwise) = step;
    }

    /// What the next checks say; those after them say what is true.
    pub(crate) fn answers(&self, answers: impl IntoIterator<Item = Found>) {
        lock(&self.0.answers).extend(answers);
    }

    /// From now on bodies take up to twenty seconds before and after their effect.
    pub(crate) fn slow_down(&self, clock: &ManualClock, seed: u64) {
        *lock(&self.0.slow) = Some((clock.clone(), Dice(seed)));
    }

    /// Lets one body or check go on that waits.
    pub(crate) fn release(&self) {
        self.0.gate.add_permits(1);
    }

    /// How many effects there are.
    pub(crate) fn effects(&self) -> usize {
        self.0.effects.load(Ordering::SeqCst)
    }

    /// How many of them are of that id.
    pub(crate) fn effects_of(&self, id: &str) -> usize {
        lock(&self.0.effects_by_id).get(id).copied().unwrap_or_default()
    }

    /// How many bodies were started.
    pub(crate) fn bodies(&self) -> usize {
        *self.0.bodies.borrow()
    }

    /// How many checks were started.
    pub(crate) fn checks(&self) -> usize {
        self.0.checks.load(Ordering::SeqCst)
    }

    /// Ends when so many bodies were started.
    pub(crate) async fn until_bodies(&self, count: usize) {
        self.0.bodies.subscribe().wait_for(|bodies| *bodies >= count).await.unwrap();
    }

    /// Ends when no body runs.
    pub(crate) async fn until_still(&self) {
        self.0.running.subscribe().wait_for(|running| *running == 0).await.unwrap();
    }

    /// What happened, in order.
    pub(crate) fn log(&self) -> Vec<String> {
        lock(&self.0.log).clone()
    }

    /// The downstream keys that bodies were given, in order.
    pub(crate) fn downstream(&self) -> Vec<String> {
        lock(&self.0.downstream).clone()
    }

    /// A body by this world's script.
    pub(crate) async fn act(&self, id: &str) -> Result<String> {
        let (step, _presence) = self.enter();
        self.take_time().await;
        let end = self.by(step, id).await;
        self.take_time().await;
        end
    }

    async fn by(&self, step: Step, id: &str) -> Result<String> {
        match step {
            Step::Ok => Ok(self.apply(id)),
            Step::Fails(class) => Err(failure(class)),
            Step::AppliesThenFails(class) => {
                self.apply(id);
                Err(failure(class))
            }
            Step::Hangs => {
                self.wait().await;
                Ok(self.apply(id))
            }
            Step::HangsThenFails(class) => {
                self.wait().await;
                Err(failure(class))
            }
            Step::AppliesThenHangs => {
                let value = self.apply(id);
                self.wait().await;
                Ok(value)
            }
            Step::Panics => panic!("scripted panic"),
            Step::AppliesThenPanics => {
                self.apply(id);
                panic!("scripted panic")
            }
        }
    }

    /// A body with a downstream key.
    pub(crate) async fn act_with(&self, id: &str, attempt: &Attempt) -> Result<String> {
        lock(&self.0.downstream).push(attempt.downstream_key("provider").to_string());
        self.act(id).await
    }

    /// A body whose effect is a row, by this world's script.
    pub(crate) async fn write(&self, db: &mut SqliteConnection, id: &str) -> Result<String> {
        let (step, _presence) = self.enter();
        match step {
            Step::Ok => self.insert(db, id).await,
            Step::Fails(class) => Err(failure(class)),
            Step::AppliesThenFails(class) => {
                self.insert(db, id).await?;
                Err(failure(class))
            }
            Step::Hangs => {
                self.wait().await;
                self.insert(db, id).await
            }
            Step::HangsThenFails(class) => {
                self.wait().await;
                Err(failure(class))
            }
            Step::AppliesThenHangs => {
                let value = self.insert(db, id).await?;
                self.wait().await;
                Ok(value)
            }
            Step::Panics => panic!("scripted panic"),
            Step::AppliesThenPanics => {
                self.insert(db, id).await?;
                panic!("scripted panic")
            }
        }
    }

    /// A check by this world's script.
    pub(crate) async fn find(&self, id: &str) -> Result<Option<String>> {
        self.0.checks.fetch_add(1, Ordering::SeqCst);
        self.note("check");
        let answer = lock(&self.0.answers).pop_front();
        match answer {
            Some(Found::There) => Ok(Some(format!("{id}/found"))),
            Some(Found::NotThere) => Ok(None),
            Some(Found::Unclear(class)) => Err(failure(class)),
            Some(Found::Panics) => panic!("scripted panic"),
            Some(Found::Hangs) => {
                self.wait().await;
                Ok(self.truth(id))
            }
            None => Ok(self.truth(id)),
        }
    }

    fn truth(&self, id: &str) -> Option<String> {
        (self.effects_of(id) > 0).then(|| format!("{id}/found"))
    }

    fn enter(&self) -> (Step, Presence<'_>) {
        let step = lock(&self.0.steps).pop_front().unwrap_or(*lock(&self.0.otherwise));
        self.0.running.send_modify(|running| *running += 1);
        self.note("body");
        self.0.bodies.send_modify(|bodies| *bodies += 1);
        (step, Presence(self))
    }

    async fn take_time(&self) {
        let sleep = lock(&self.0.slow)
            .as_mut()
            .map(|(clock, dice)| clock.sleep(Duration::from_millis(dice.throw(20_000))));
        if let Some(sleep) = sleep {
            sleep.await;
        }
    }

    async fn wait(&self) {
        self.0.gate.acquire().await.unwrap().forget();
    }

    /// Takes effect; the value says which effect it was.
    fn apply(&self, id: &str) -> String {
        let number = self.0.effects.fetch_add(1, Ordering::SeqCst) + 1;
        *lock(&self.0.effects_by_id).entry(id.to_owned()).or_default() += 1;
        self.note("effect");
        format!("{id}/{number}")
    }

    async fn insert(&self, db: &mut SqliteConnection, id: &str) -> Result<String> {
        sqlx::query("INSERT INTO effect (id) VALUES (?)").bind(id).execute(db).await?;
        Ok(format!("{id}/row"))
    }

    fn note(&self, what: &str) {
        lock(&self.0.log).push(what.to_owned());
    }
}

fn failure(class: Option<FailureClass>) -> Failure {
    let failure = Failure::new("scripted failure");
    match class {
        Some(class) => failure.stating(class),
        None => failure,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap()
}

/// Rows that transactional bodies left, by another connection.
pub(crate) mod db {
    use std::path::Path;

    use sqlx::sqlite::SqliteConnectOptions;
    use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection};

    pub(crate) async fn open(file: &Path) -> SqliteConnection {
        SqliteConnectOptions::new().filename(file).create_if_missing(true).connect().await.unwrap()
    }

    /// Makes the table that bodies write to.
    pub(crate) async fn prepare(file: &Path) {
        let mut connection = open(file).await;
        let table = "CREATE TABLE IF NOT EXISTS effect (id TEXT NOT NULL UNIQUE)";
        sqlx::query(table).execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
    }

    /// The rows that are committed.
    pub(crate) async fn rows(file: &Path) -> Vec<String> {
        let mut connection = open(file).await;
        let rows = sqlx::query_scalar("SELECT id FROM effect ORDER BY rowid")
            .fetch_all(&mut connection)
            .await
            .unwrap();
        connection.close().await.unwrap();
        rows
    }
}
