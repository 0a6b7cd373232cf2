//! The embedded store: one SQLite file, used by any number of processes on one machine.
//!
//! Writes of a process go through one thread that commits in groups (`writer`); reads happen on
//! the caller's own thread (`readers`); bodies that borrow a transaction take turns with the
//! writer (`gate`). SQLite's write lock orders processes among each other, and a lock file per
//! instance tells who died (`leases`). After an I/O error the store stops rather than guess
//! (`health`).

#[cfg(feature = "sqlx")]
mod bodies;
#[cfg(feature = "sqlx")]
mod borrowed;
mod checkpoint;
mod error;
mod gate;
mod health;
mod index;
mod jobs;
mod leases;
mod open;
mod options;
mod queries;
mod queue;
mod readers;
mod row;
mod schema;
mod shared;
mod statements;
mod table;
#[cfg(test)]
mod tests;
#[cfg(feature = "sqlx")]
mod transaction;
#[cfg(feature = "sqlx")]
mod within;
mod work;
mod writer;

#[cfg(feature = "sqlx")]
use std::any::Any;
use std::fmt;
use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::sync::{oneshot, watch};

pub use options::SqliteOptions;

use error::Fault;
use jobs::{Pruning, Renewal};
use leases::Leases;
use readers::Readers;
use shared::{FileIdentity, Shared};
use work::{Tables, Task};
use writer::Writer;

use super::{
    Answer, Change, Claimed, DuePage, DueQuery, Durability, Filter, KeyField, NewExecution, Page,
    Recorded, Seen, Store, StoreError, Which,
};
#[cfg(feature = "sqlx")]
use super::{Borrows, Transaction};
use crate::audit::{Author, StateEntry};
use crate::clock::{Clock, Timestamp};
use crate::record::{Execution, InstanceId, RowId};

/// How long a body may hold the file's only write lock.
#[cfg(feature = "sqlx")]
const HOLD: Duration = Duration::from_secs(2);

/// Executions in one SQLite file.
pub struct Sqlite {
    shared: Arc<Shared>,
    readers: Readers,
    leases: Leases,
    #[cfg(feature = "sqlx")]
    bodies: Arc<bodies::Bodies>,
    /// Its senders are gone when the threads have ended and their connections are closed.
    ended: watch::Receiver<()>,
}

impl Sqlite {
    /// Opens the file that an address names, and makes it when it is not there: `sqlite://PATH`,
    /// `sqlite:PATH` or a path. Blocks: it may wait for another process, and looks through a small
    /// file.
    ///
    /// # Errors
    /// [`StoreError::Open`], which names the file and what to do.
    pub fn open(address: &str, clock: Arc<dyn Clock>) -> Result<Self, StoreError> {
        Self::open_with(address, &SqliteOptions::new().clock(clock))
    }

    /// The same with more options.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_with(address: &str, options: &SqliteOptions) -> Result<Self, StoreError> {
        let path = options::absolute(&options::file_of(address)?)?;
        #[cfg(feature = "sqlx")]
        let bodies = bodies::Bodies::on(path.clone(), options.busy_timeout);
        Self::open_file(
            path,
            options,
            #[cfg(feature = "sqlx")]
            bodies,
        )
    }

    /// Opens the file of the application's own pool. Bodies get a connection that is opened as
    /// those of the pool are.
    ///
    /// # Errors
    /// As [`open`](Self::open); a database in memory is refused.
    #[cfg(feature = "sqlx")]
    #[expect(clippy::needless_pass_by_value, reason = "a pool is handed over, as everywhere")]
    pub fn with_pool(pool: sqlx::SqlitePool, clock: Arc<dyn Clock>) -> Result<Self, StoreError> {
        let options = SqliteOptions::new().clock(clock);
        let path = bodies::file_of(&pool)?;
        let bodies = bodies::Bodies::like(&pool, path.clone(), options.busy_timeout);
        Self::open_file(path, &options, bodies)
    }

    fn open_file(
        path: PathBuf,
        options: &SqliteOptions,
        #[cfg(feature = "sqlx")] bodies: bodies::Bodies,
    ) -> Result<Self, StoreError> {
        if !path.exists() {
            // A mistyped path would look like a store in which nothing was ever done.
            tracing::info!(path = %path.display(), "a new, empty store is made");
        }
        let connection = open::writer(&path, options.busy_timeout)?;
        let patience = options.busy_timeout;
        let copying = open::checkpointer(&path, patience)?;
        let readers =
            (0..readers()).map(|_| open::reader(&path, patience)).collect::<Result<_, _>>()?;
        let file = FileIdentity::of(&path)
            .map_err(|error| StoreError::Open(format!("{}: {error}", path.display())))?;
        let leases = Leases::beside(&path);
        leases.sweep(|instance| jobs::is_known(&connection, instance).unwrap_or(true));
        let shared = Arc::new(Shared {
            path,
            file,
            clock: Arc::clone(&options.clock),
            busy_timeout: options.busy_timeout,
            health: health::Health::default(),
            queue: queue::Queue::default(),
            gate: gate::Gate::default(),
        });
        checkpoint::watch(&connection);
        let (checkpoints, checkpointer) = checkpoint::pair();
        let writer = Writer::new(Arc::clone(&shared), connection, checkpoints);
        let (writes, ended) = watch::channel(());
        let copies = writes.clone();
        spawn("do-writer", move || {
            writer.run();
            drop(writes);
        })?;
        let own = Arc::clone(&shared);
        spawn("do-checkpoint", move || {
            checkpointer.run(copying, own);
            drop(copies);
        })?;
        Ok(Self {
            shared,
            readers: Readers::new(readers),
            leases,
            #[cfg(feature = "sqlx")]
            bodies: Arc::new(bodies),
            ended,
        })
    }

    async fn read<T>(
        &self,
        query: impl Fn(&rusqlite::Connection) -> Result<T, Fault> + Send + Sync,
    ) -> Result<T, StoreError> {
        self.readers.read(&self.shared, query).await
    }

    /// Hands work to the writer at once; its answer may be dropped.
    fn write<I: Send + 'static, T: Send + 'static>(
        &self,
        input: I,
        run: fn(&Tables<'_>, &I) -> Result<T, Fault>,
        order: Order,
    ) -> impl Future<Output = Result<T, StoreError>> + Send + '_ {
        let (reply, answer) = oneshot::channel();
        self.shared.queue.push(Box::new(Task {
            input,
            run,
            renewal: order.renewal,
            synced: order.durability == Durability::Synced,
            size: order.size,
            result: None,
            reply,
        }));
        async move {
            match answer.await {
                Ok(answer) => answer,
                Err(_) => Err(self.shared.stop("the store's writer ended without an answer")),
            }
        }
    }
}

/// How the writer is to treat a piece of work.
#[derive(Clone, Copy)]
struct Order {
    renewal: bool,
    durability: Durability,
    size: usize,
}

impl Order {
    const fn new(durability: Durability, size: usize) -> Self {
        Self { renewal: false, durability, size }
    }
}

fn readers() -> usize {
    thread::available_parallelism().map_or(2, usize::from).clamp(2, 8)
}

fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> Result<(), StoreError> {
    let spawned = thread::Builder::new().name(name.to_owned()).spawn(body);
    spawned
        .map(drop)
        .map_err(|error| StoreError::Open(format!("its thread {name} cannot be started: {error}")))
}

impl Store for Sqlite {
    fn claim(&self, claim: NewExecution) -> Answer<'_, Claimed> {
        Box::pin(async move {
            let identity = &claim.identity;
            if let Some(found) = self.read(|it| table::by_identity(it, identity)).await? {
                return Ok(Claimed::Existing(Arc::new(found)));
            }
            let order = Order::new(claim.durability, jobs::size_of_new(&claim));
            self.write(claim, jobs::claim, order).await
        })
    }

    fn record(&self, change: Change) -> Answer<'_, Recorded> {
        Box::pin(async move {
            let order = Order::new(change.durability, jobs::size_of_change(&change));
            self.write(change, jobs::record, order).await
        })
    }

    fn heartbeat(&self, instance: InstanceId, lease: Duration) -> Answer<'_, Vec<Seen>> {
        Box::pin(async move {
            self.shared.health.check()?;
            self.leases.hold(instance)?;
            let renewal = Renewal { instance, lease, dead: self.leases.dead() };
            // A lease is only of use to processes that see it; after a power loss there are none.
            let order = Order { renewal: true, durability: Durability::Visible, size: 0 };
            let renewed = self.write(renewal, jobs::renew, order).await?;
            for instance in renewed.forgotten {
                self.leases.forget(instance);
            }
            let seen = renewed.instances.into_iter().map(|row| {
                let dead = self.leases.is_dead(row.instance, row.over);
                Seen::new(row.instance, row.renewals, row.over, dead)
            });
            Ok(seen.collect())
        })
    }

    fn get(&self, which: Which) -> Answer<'_, Option<Arc<Execution>>> {
        Box::pin(async move { self.read(|it| queries::get(it, &which)).await })
    }

    fn list(&self, filter: Filter) -> Answer<'_, Page> {
        Box::pin(async move { self.read(|it| queries::list(it, &filter)).await })
    }

    fn history(&self, row: RowId) -> Answer<'_, Vec<StateEntry>> {
        Box::pin(async move { self.read(|it| table::history(it, row)).await })
    }

    fn find(&self, wanted: KeyField) -> Answer<'_, Vec<Arc<Execution>>> {
        Box::pin(async move { self.read(|it| queries::find(it, &wanted)).await })
    }

    fn due(&self, wanted: DueQuery) -> Answer<'_, DuePage> {
        let now = self.shared.clock.now();
        Box::pin(async move { self.read(|it| queries::due(it, &wanted, now)).await })
    }

    fn prune(&self, author: Author, limit: usize) -> Answer<'_, usize> {
        let order = Order::new(Durability::Synced, 0);
        Box::pin(async move { self.write(Pruning { author, limit }, jobs::prune, order).await })
    }

    #[cfg(feature = "sqlx")]
    fn begin(&self) -> Answer<'_, Box<dyn Transaction>> {
        Box::pin(transaction::begin(&self.shared, &self.bodies))
    }

    #[cfg(feature = "sqlx")]
    fn claim_within<'a>(
        &'a self,
        connection: &'a mut (dyn Any + Send),
        claim: NewExecution,
    ) -> Answer<'a, Claimed> {
        Box::pin(async move { within::claim(&self.shared, connection, &claim).await })
    }

    fn now(&self) -> Timestamp {
        self.shared.clock.now()
    }

    fn epoch(&self) -> Answer<'_, u64> {
        Box::pin(self.read(queries::epoch))
    }

    #[cfg(feature = "sqlx")]
    fn borrows(&self) -> Option<Borrows> {
        Some(Borrows::new("SQLite", Some(HOLD)))
    }

    fn close(&self) -> Answer<'_, ()> {
        Box::pin(async move {
            for instance in self.leases.own() {
                let order = Order::new(Durability::Visible, 0);
                // Where something still runs, the lock goes with the process, not before.
                if let Ok(true) = self.write(instance, jobs::forget, order).await {
                    self.leases.forget(instance);
                }
            }
            self.shared.queue.close(StoreError::Closed);
            let mut ended = self.ended.clone();
            while ended.changed().await.is_ok() {}
            self.readers.close();
            #[cfg(feature = "sqlx")]
            self.bodies.close().await;
            Ok(())
        })
    }
}

/// What was accepted is still done; the writer's thread then ends by itself.
impl Drop for Sqlite {
    fn drop(&mut self) {
        self.shared.queue.close(StoreError::Closed);
    }
}

impl fmt::Debug for Sqlite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sqlite").field("path", &self.shared.path).finish_non_exhaustive()
    }
}
