//! Accepting an execution within a transaction of the application's own.

use std::any::Any;
use std::path::Path;
use std::sync::Arc;

use sqlx::Executor;
use sqlx::pool::PoolConnection;
use sqlx::sqlite::SqliteConnection;

use super::bodies::answer_of;
use super::borrowed::{self, Trouble};
use super::error::{Kind, answer_to, kind_of_sqlx};
use super::jobs;
use super::shared::{FileIdentity, Shared};
use crate::audit::StateEntry;
use crate::store::{Claimed, NewExecution, StoreError};

/// Inserts an execution on that connection, unless there is one.
pub(super) async fn claim(
    shared: &Shared,
    connection: &mut (dyn Any + Send),
    new: &NewExecution,
) -> Result<Claimed, StoreError> {
    shared.queue.check()?;
    let connection = connection_of(connection).ok_or(StoreError::NoTransactions)?;
    is_on_our_file(shared, connection).await?;
    // Row and entry stand or fall together, also when the application's transaction goes on.
    match connection.execute("SAVEPOINT do_claim").await {
        Ok(_) => {}
        Err(error) => return Err(answer(shared, &error)),
    }
    let claimed = insert(shared, connection, new).await;
    let end = match &claimed {
        Ok(_) => "RELEASE do_claim",
        Err(_) => "ROLLBACK TO do_claim; RELEASE do_claim",
    };
    let ended = connection.execute(end).await;
    match (claimed, ended) {
        (Ok(claimed), Ok(_)) => Ok(claimed),
        (Err(Trouble::Refused(error)), _) => Err(error),
        (Err(Trouble::Database(error)), _) | (Ok(_), Err(error)) => Err(answer(shared, &error)),
    }
}

async fn insert(
    shared: &Shared,
    connection: &mut SqliteConnection,
    new: &NewExecution,
) -> Result<Claimed, Trouble> {
    if let Some(found) = borrowed::by_identity(connection, &new.identity).await? {
        return Ok(Claimed::Existing(Arc::new(found)));
    }
    let mut execution = jobs::begin(new, shared.clock.now()).map_err(StoreError::from)?;
    execution.row = borrowed::insert(connection, &execution).await?;
    let entry = StateEntry::of(None, &execution, &new.event, &new.author);
    borrowed::append(connection, execution.row, &entry).await?;
    Ok(Claimed::Granted(Arc::new(execution)))
}

fn connection_of(any: &mut (dyn Any + Send)) -> Option<&mut SqliteConnection> {
    if any.is::<SqliteConnection>() {
        any.downcast_mut::<SqliteConnection>()
    } else if any.is::<PoolConnection<sqlx::Sqlite>>() {
        any.downcast_mut::<PoolConnection<sqlx::Sqlite>>().map(|connection| &mut **connection)
    } else {
        any.downcast_mut::<sqlx::Transaction<'static, sqlx::Sqlite>>()
            .map(|transaction| &mut **transaction)
    }
}

/// What is accepted elsewhere would never be executed.
async fn is_on_our_file(
    shared: &Shared,
    connection: &mut SqliteConnection,
) -> Result<(), StoreError> {
    let file: String =
        sqlx::query_scalar("SELECT file FROM pragma_database_list WHERE name = 'main'")
            .fetch_one(connection)
            .await
            .map_err(|error| answer(shared, &error))?;
    match FileIdentity::of(Path::new(&file)) {
        Ok(identity) if identity == shared.file => Ok(()),
        _ => Err(StoreError::Open(format!(
            "the transaction is on another database ({file}); begin it on {}",
            shared.path.display()
        ))),
    }
}

/// The connection is the application's, so an odd error of its own does not stop the store.
fn answer(shared: &Shared, error: &sqlx::Error) -> StoreError {
    match kind_of_sqlx(error) {
        Kind::Fatal if matches!(error, sqlx::Error::Database(_)) && !is_of_the_disk(error) => {
            StoreError::Rejected(error.to_string())
        }
        Kind::Fatal => answer_of(shared, error),
        kind @ (Kind::Busy | Kind::Full | Kind::Unfit | Kind::Constraint) => {
            answer_to(kind, error.to_string())
        }
    }
}

/// An I/O error, corruption, or a file that is none.
fn is_of_the_disk(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    let code = code.and_then(|code| code.parse::<i32>().ok()).unwrap_or(0);
    matches!(code & 0xff, 10 | 11 | 26)
}
