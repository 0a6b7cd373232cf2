//! A body's transaction: its rows, the outcome and the audit entry commit together.
//!
//! The body works within a savepoint of a random name. If it ends the transaction by itself, the
//! savepoint is gone with it: a `COMMIT` is turned into a rollback by a hook that lets no commit
//! through but ours, and after a `ROLLBACK` the release fails. The outcome is written **last**,
//! matched by the claim's token, so that a body whose right was lost leaves nothing.
//!
//! All of it runs in a task of its own: whoever dropped the future finds it done.

use std::any::Any;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sqlx::{AssertSqlSafe, Executor};
use tokio::sync::oneshot;

use super::bodies::{Bodies, Verdict, answer_of};
use super::borrowed::{self, Trouble};
use super::error::{Kind, answer_to, kind_of_sqlx};
use super::gate::Turn;
use super::jobs;
use super::shared::Shared;
use crate::audit::StateEntry;
use crate::randomness::{Randomness, SystemRandomness};
use crate::store::{Answer, Change, Recorded, StoreError, Transaction};

type Connection = sqlx::Transaction<'static, sqlx::Sqlite>;

/// A transaction under way; dropped, it is rolled back and its connection closed.
pub(super) struct BodyTransaction {
    connection: Connection,
    verdict: Verdict,
    savepoint: String,
    hook: Arc<Hook>,
    shared: Arc<Shared>,
    turn: Turn,
}

/// Which commits go through, and whether statements may go on.
#[derive(Debug, Default)]
struct Hook {
    open: AtomicBool,
    passed: AtomicBool,
    over: AtomicBool,
}

/// Instructions of SQLite's machine between two looks at whether a statement may go on.
const STEPS: i32 = 10_000;

impl Hook {
    fn ask(&self) -> bool {
        let open = self.open.load(Ordering::SeqCst);
        if open {
            self.passed.store(true, Ordering::SeqCst);
        }
        open
    }
}

/// Begins a transaction when its turn has come.
pub(super) async fn begin(
    shared: &Arc<Shared>,
    bodies: &Arc<Bodies>,
) -> Result<Box<dyn Transaction>, StoreError> {
    shared.queue.check()?;
    let turn = shared.gate.body().await;
    let (shared, bodies) = (Arc::clone(shared), Arc::clone(bodies));
    // A begin that is dropped half way would leave a transaction open.
    let begun: Box<dyn Transaction> =
        in_task(async move { BodyTransaction::begin(shared, &bodies, turn).await.map(Box::new) })
            .await?;
    Ok(begun)
}

/// Runs to its end even when nobody waits for it any more.
async fn in_task<T: Send + 'static>(
    work: impl Future<Output = Result<T, StoreError>> + Send + 'static,
) -> Result<T, StoreError> {
    let (reply, answer) = oneshot::channel();
    // The handle may go: the answer tells the end.
    drop(tokio::spawn(async move {
        drop(reply.send(work.await));
    }));
    let gone = |_| StoreError::Unknown("the asynchronous runtime shut down".to_owned());
    answer.await.map_err(gone)?
}

impl BodyTransaction {
    async fn begin(shared: Arc<Shared>, bodies: &Bodies, turn: Turn) -> Result<Self, StoreError> {
        let hook = Arc::new(Hook::default());
        let savepoint = savepoint();
        let prepare = async {
            let (mut connection, verdict) = bodies.begin().await?;
            let asked = Arc::clone(&hook);
            let looked = Arc::clone(&hook);
            let mut handle = connection.lock_handle().await?;
            handle.set_commit_hook(move || asked.ask());
            handle.set_progress_handler(STEPS, move || !looked.over.load(Ordering::SeqCst));
            drop(handle);
            connection.execute(AssertSqlSafe(format!("SAVEPOINT {savepoint}"))).await?;
            Ok((connection, verdict))
        };
        match prepare.await {
            Ok((connection, verdict)) => {
                Ok(Self { connection, verdict, savepoint, hook, shared, turn })
            }
            Err(error) => Err(answer_of(&shared, &error)),
        }
    }

    async fn end(mut self, change: &Change) -> Result<Recorded, StoreError> {
        match self.write(change).await {
            Ok(recorded @ Recorded::Done(_)) => self.commit().await.map(|()| recorded),
            Ok(nothing_written) => {
                self.undo().await;
                Ok(nothing_written)
            }
            Err(error) => {
                self.undo().await;
                Err(error)
            }
        }
    }

    /// Ends the body's part and writes the outcome.
    async fn write(&mut self, change: &Change) -> Result<Recorded, StoreError> {
        let release = AssertSqlSafe(format!("RELEASE {}", self.savepoint));
        if let Err(error) = self.connection.execute(release).await {
            return Err(match kind_of_sqlx(&error) {
                Kind::Fatal if error.as_database_error().is_some() => self.ended(&error),
                _ => answer_of(&self.shared, &error),
            });
        }
        self.shared.check_file()?;
        match self.record(change).await {
            Ok(recorded) => Ok(recorded),
            Err(Trouble::Refused(error)) => Err(error),
            Err(Trouble::Database(error)) => Err(answer_of(&self.shared, &error)),
        }
    }

    /// The savepoint is gone, unless it was the disk that failed.
    fn ended(&self, error: &sqlx::Error) -> StoreError {
        if is_plain(error) { StoreError::TransactionEnded } else { answer_of(&self.shared, error) }
    }

    async fn record(&mut self, change: &Change) -> Result<Recorded, Trouble> {
        let connection = &mut *self.connection;
        let after = jobs::after(change, self.shared.clock.now());
        if let Ok(after) = &after
            && let with_request = jobs::with_request(change, after)
            && borrowed::update(connection, &change.before, after, with_request).await?
        {
            let entry = StateEntry::of(Some(&change.before), after, &change.event, &change.author);
            borrowed::append(connection, after.row, &entry).await?;
            return Ok(Recorded::Done(Arc::new(after.clone())));
        }
        match borrowed::by_row(connection, change.before.row).await? {
            None => Ok(Recorded::Gone),
            Some(found) if jobs::is_as_seen(change, &found) => {
                Err(Trouble::Refused(after.err().map_or_else(
                    || StoreError::Corrupt("it does not match what it matches".to_owned()),
                    StoreError::from,
                )))
            }
            Some(found) => Ok(Recorded::Lost(Arc::new(found))),
        }
    }

    async fn commit(self) -> Result<(), StoreError> {
        let Self { connection, verdict, savepoint: _, hook, shared, turn } = self;
        crate::fault!("body_commit");
        hook.open.store(true, Ordering::SeqCst);
        let committed = connection.commit().await;
        crate::fault!("body_committed");
        hook.open.store(false, Ordering::SeqCst);
        let passed = hook.passed.load(Ordering::SeqCst);
        let end = match committed {
            Ok(()) if passed => {
                verdict.clean();
                Ok(())
            }
            // Something the body left open stood between: nothing was committed.
            Ok(()) => Err(StoreError::TransactionEnded),
            Err(error) => Err(match kind_of_sqlx(&error) {
                Kind::Constraint => StoreError::Rejected(error.to_string()),
                kind @ (Kind::Busy | Kind::Full | Kind::Unfit) => {
                    answer_to(kind, error.to_string())
                }
                Kind::Fatal if !passed && is_plain(&error) => StoreError::TransactionEnded,
                Kind::Fatal => {
                    shared.stop(&error.to_string());
                    StoreError::Unknown(error.to_string())
                }
            }),
        };
        drop(turn);
        end
    }

    async fn undo(self) {
        let Self { connection, verdict, savepoint: _, hook: _, shared: _, turn } = self;
        if connection.rollback().await.is_ok() {
            verdict.clean();
        }
        drop(turn);
    }
}

/// An error that speaks of the statement, not of the disk.
fn is_plain(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    code.is_some_and(|code| code == "1")
}

/// A name that no body can guess.
fn savepoint() -> String {
    let random: &dyn Randomness = &SystemRandomness::new();
    random.bytes().iter().fold("do_".to_owned(), |name, byte| format!("{name}{byte:02x}"))
}

impl Transaction for BodyTransaction {
    fn connection(&mut self) -> &mut (dyn Any + Send) {
        &mut *self.connection
    }

    fn commit(self: Box<Self>, change: Change) -> Answer<'static, Recorded> {
        Box::pin(in_task(async move { self.end(&change).await }))
    }

    fn rollback(self: Box<Self>) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        // A statement that the body left behind would hold the lock for as long as it runs.
        self.hook.over.store(true, Ordering::SeqCst);
        Box::pin(async move {
            let undone = in_task(async move {
                self.undo().await;
                Ok(())
            });
            // It ends without an answer only with the asynchronous runtime.
            drop(undone.await);
        })
    }
}
