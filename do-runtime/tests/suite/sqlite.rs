//! The SQLite store under the conformance suite.

#![expect(clippy::expect_used, reason = "an expectation that fails is a test that fails")]

use std::any::Any;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use do_runtime::record::InstanceId;
use do_runtime::store::conformance::{
    Boxed, Differences, Harness, OwnTransaction, Rows, Step, compare, work,
};
use do_runtime::store::sqlite::Sqlite;
use do_runtime::store::{Answer, Store};
use do_runtime::testing::ManualClock;
use proptest::prelude::*;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqlitePool};
use tempfile::TempDir;

const FILE: &str = "DO_CONFORMANCE_FILE";
const JOB: &str = "DO_CONFORMANCE_JOB";

struct InFile {
    clock: ManualClock,
    directory: TempDir,
    pool: OnceLock<SqlitePool>,
}

impl InFile {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        Self { clock: ManualClock::new(), directory, pool: OnceLock::new() }
    }

    /// The application's own pool, made where there is an asynchronous runtime.
    fn pool(&self) -> &SqlitePool {
        let options = SqliteConnectOptions::new().filename(self.file());
        self.pool.get_or_init(|| SqlitePool::connect_lazy_with(options))
    }

    fn file(&self) -> PathBuf {
        file_in(self.directory.path())
    }
}

fn file_in(directory: &Path) -> PathBuf {
    directory.join("actions.db")
}

fn open(file: &Path, clock: &ManualClock) -> Arc<dyn Store> {
    let address = format!("sqlite://{}", file.display());
    Arc::new(Sqlite::open(&address, Arc::new(clock.clone())).expect("the store opens"))
}

impl Harness for InFile {
    fn open(&self) -> Answer<'_, Arc<dyn Store>> {
        let store = open(&self.file(), &self.clock);
        Box::pin(async move {
            sqlx::raw_sql(
                "CREATE TABLE IF NOT EXISTS texts (text TEXT NOT NULL);
                 CREATE TABLE IF NOT EXISTS parents (id INTEGER PRIMARY KEY);
                 CREATE TABLE IF NOT EXISTS children (
                     parent INTEGER REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED
                 );",
            )
            .execute(self.pool())
            .await
            .expect("the users' tables");
            Ok(store)
        })
    }

    fn advance(&self, gap: Duration) {
        self.clock.advance(gap);
    }

    fn differences(&self) -> Differences {
        Differences::none().with_transactions().with_processes()
    }

    fn kill(&self, instance: InstanceId) -> bool {
        let mut directory = self.file().into_os_string();
        directory.push("-instances");
        let lock = Path::new(&directory).join(format!("{instance}.lock"));
        // Its lock is free: another file takes the place of the one that it has locked.
        std::fs::remove_file(&lock).expect("the instance holds its lock");
        std::fs::write(&lock, "").expect("a file that nobody has locked");
        true
    }

    fn rows(&self) -> Option<&dyn Rows> {
        Some(self)
    }

    fn process(&self, job: &str) -> Option<Command> {
        let mut command = Command::new(env::current_exe().expect("this program"));
        command.args(["--exact", "sqlite::another_process", "--nocapture"]);
        command.env(FILE, self.file()).env(JOB, job);
        Some(command)
    }
}

/// Does what a case asks of another process; nothing when it is run as a test.
#[tokio::test(flavor = "multi_thread")]
async fn another_process() {
    if let (Ok(file), Ok(job)) = (env::var(FILE), env::var(JOB)) {
        let answer = work(&job, open(Path::new(&file), &ManualClock::new())).await;
        println!("\n{answer}");
    }
}

fn sqlite(connection: &mut (dyn Any + Send)) -> &mut SqliteConnection {
    connection.downcast_mut().expect("a connection to SQLite")
}

impl Rows for InFile {
    fn insert<'a>(&'a self, connection: &'a mut (dyn Any + Send), text: &'a str) -> Boxed<'a, ()> {
        Box::pin(async move {
            let insert = sqlx::query("INSERT INTO texts VALUES (?1)").bind(text);
            insert.execute(sqlite(connection)).await.expect("a row is inserted");
        })
    }

    fn insert_refused<'a>(&'a self, connection: &'a mut (dyn Any + Send)) -> Boxed<'a, ()> {
        Box::pin(async move {
            let insert = sqlx::query("INSERT INTO children VALUES (7)");
            insert.execute(sqlite(connection)).await.expect("refused only at the commit");
        })
    }

    fn end<'a>(&'a self, connection: &'a mut (dyn Any + Send), commit: bool) -> Boxed<'a, bool> {
        Box::pin(async move {
            let end = sqlx::raw_sql(if commit { "COMMIT" } else { "ROLLBACK" });
            end.execute(sqlite(connection)).await.is_ok()
        })
    }

    fn count<'a>(&'a self, text: &'a str) -> Boxed<'a, usize> {
        Box::pin(async move {
            let count: i64 = sqlx::query_scalar("SELECT count(*) FROM texts WHERE text = ?1")
                .bind(text)
                .fetch_one(self.pool())
                .await
                .expect("the rows are counted");
            usize::try_from(count).expect("a count")
        })
    }

    fn begin(&self) -> Boxed<'_, Box<dyn OwnTransaction>> {
        Box::pin(async move {
            let transaction = self.pool().begin().await.expect("a transaction");
            let own: Box<dyn OwnTransaction> = Box::new(Own(transaction));
            own
        })
    }
}

struct Own(sqlx::Transaction<'static, sqlx::Sqlite>);

impl OwnTransaction for Own {
    fn connection(&mut self) -> &mut (dyn Any + Send) {
        &mut *self.0
    }

    fn commit(self: Box<Self>) -> Boxed<'static, ()> {
        Box::pin(async move { self.0.commit().await.expect("it commits") })
    }

    fn rollback(self: Box<Self>) -> Boxed<'static, ()> {
        Box::pin(async move { self.0.rollback().await.expect("it rolls back") })
    }
}

do_runtime::store_conformance!(InFile::new());

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    /// Any run of events leads to what the memory store's model says.
    #[test]
    fn any_run_follows_the_model(randoms in prop::collection::vec(any::<u64>(), 0..80)) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            let steps = randoms.into_iter().map(|random| Step::of(random, 3));
            compare(&InFile::new(), steps).await;
        });
    }
}
