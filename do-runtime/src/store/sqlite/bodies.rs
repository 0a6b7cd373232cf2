//! The connection that bodies borrow.
//!
//! It belongs to a pool of our own with room for one, opened as the application opens its own:
//! bodies take turns anyway, their hooks stay off the application's connections, and a body never
//! waits for a connection that another part of the application holds. After each use the pool
//! waits for a verdict: a connection that did not end cleanly is closed, never used again.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqliteLockingMode, SqlitePool, SqlitePoolOptions,
    SqliteSynchronous,
};
use sqlx::{Connection as _, Executor as _};
use tokio::sync::oneshot;

use super::error::{Kind, answer_to, kind_of_sqlx};
use super::options::absolute;
use super::shared::Shared;
use crate::store::StoreError;

/// How long a body waits at most for the connection of the body before it.
const ACQUIRE: Duration = Duration::from_secs(10);

/// Where bodies get their connection.
#[derive(Debug)]
pub(super) struct Bodies {
    options: SqlitePoolOptions,
    connect: SqliteConnectOptions,
    pool: OnceLock<SqlitePool>,
    verdict: Arc<Mutex<Option<oneshot::Receiver<()>>>>,
}

/// The word that a connection ended cleanly; without it the connection is closed.
#[derive(Debug)]
pub(super) struct Verdict(oneshot::Sender<()>);

impl Verdict {
    pub(super) fn clean(self) {
        // Nobody listens when the pool was closed meanwhile.
        let _ = self.0.send(());
    }
}

impl Bodies {
    /// Connections to that file, opened in the usual way.
    pub(super) fn on(path: PathBuf, busy_timeout: Duration) -> Self {
        Self::new(SqlitePoolOptions::new(), SqliteConnectOptions::new(), path, busy_timeout)
    }

    /// Connections opened as those of the application are.
    pub(super) fn like(pool: &SqlitePool, path: PathBuf, busy_timeout: Duration) -> Self {
        let connect = (*pool.connect_options()).clone();
        Self::new(pool.options().clone(), connect, path, busy_timeout)
    }

    fn new(
        options: SqlitePoolOptions,
        connect: SqliteConnectOptions,
        path: PathBuf,
        busy_timeout: Duration,
    ) -> Self {
        let verdict = Arc::new(Mutex::new(None::<oneshot::Receiver<()>>));
        let pronounced = Arc::clone(&verdict);
        let options = options
            .max_connections(1)
            .min_connections(0)
            .idle_timeout(None)
            .max_lifetime(None)
            .test_before_acquire(false)
            .acquire_timeout(ACQUIRE)
            .after_release(move |connection, _| {
                let verdict = pronounced.lock().unwrap_or_else(PoisonError::into_inner).take();
                Box::pin(async move {
                    Ok(match verdict {
                        // A transaction that the body began within and left open is all that was
                        // rolled back.
                        Some(verdict) => verdict.await.is_ok() && !connection.is_in_transaction(),
                        None => false,
                    })
                })
            });
        let connect = connect
            .filename(path)
            .create_if_missing(false)
            .read_only(false)
            .immutable(false)
            .locking_mode(SqliteLockingMode::Normal)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .pragma("wal_autocheckpoint", "0")
            .busy_timeout(busy_timeout);
        Self { options, connect, pool: OnceLock::new(), verdict }
    }

    /// A transaction that holds the file's write lock.
    pub(super) async fn begin(
        &self,
    ) -> Result<(sqlx::Transaction<'static, sqlx::Sqlite>, Verdict), sqlx::Error> {
        let pool =
            self.pool.get_or_init(|| self.options.clone().connect_lazy_with(self.connect.clone()));
        let mut connection = pool.acquire().await?;
        // Whatever the application does after it connects: an outcome that is told must last.
        connection.execute("PRAGMA synchronous=FULL").await?;
        let (clean, verdict) = oneshot::channel();
        *self.verdict.lock().unwrap_or_else(PoisonError::into_inner) = Some(verdict);
        let transaction = sqlx::Transaction::begin(
            connection,
            Some(sqlx::SqlSafeStr::into_sql_str("BEGIN IMMEDIATE")),
        );
        Ok((transaction.await?, Verdict(clean)))
    }

    pub(super) async fn close(&self) {
        if let Some(pool) = self.pool.get() {
            pool.close().await;
        }
    }
}

/// The file of an application's pool.
pub(super) fn file_of(pool: &SqlitePool) -> Result<PathBuf, StoreError> {
    let options = pool.connect_options();
    let path = options.get_filename();
    let name = path.to_string_lossy();
    if name.is_empty() || name == ":memory:" || name.starts_with("file:") {
        return Err(StoreError::Open(
            "the pool's database is in memory, which forgets with the process what must not be \
             done twice; give a pool on a file"
                .to_owned(),
        ));
    }
    absolute(path)
}

/// What an error of sqlx means for whoever asked, outside of a commit.
pub(super) fn answer_of(shared: &Shared, error: &sqlx::Error) -> StoreError {
    match error {
        sqlx::Error::PoolClosed => StoreError::Closed,
        sqlx::Error::PoolTimedOut => StoreError::Busy(error.to_string()),
        sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_) => {
            StoreError::Corrupt(error.to_string())
        }
        _ => match kind_of_sqlx(error) {
            Kind::Fatal => shared.stop(&error.to_string()),
            kind @ (Kind::Busy | Kind::Full | Kind::Unfit | Kind::Constraint) => {
                answer_to(kind, error.to_string())
            }
        },
    }
}
