//! Rows through sqlx, on a connection that somebody else's work shares.

use sqlx::Row;
use sqlx::sqlite::{SqliteConnection, SqliteRow};

use super::row::{EntryColumns, RequestColumns, StateColumns, StoredExecution, key16, number};
use super::statements;
use crate::audit::StateEntry;
use crate::record::{Execution, Identity, RowId, Token};
use crate::store::StoreError;

/// Why rows were not written or read.
pub(super) enum Trouble {
    /// Refused before anything was written.
    Refused(StoreError),
    /// The database failed.
    Database(sqlx::Error),
}

impl From<sqlx::Error> for Trouble {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error)
    }
}

impl From<StoreError> for Trouble {
    fn from(refused: StoreError) -> Self {
        Self::Refused(refused)
    }
}

/// As [`table::insert`](super::table::insert).
pub(super) async fn insert(
    connection: &mut SqliteConnection,
    execution: &Execution,
) -> Result<RowId, Trouble> {
    let Identity { scope, action, key } = &execution.identity;
    let state = StateColumns::of(execution)?;
    let request = RequestColumns::of(&execution.request);
    let inserted = sqlx::query(statements::INSERT)
        .bind(key16(key))
        .bind(&**scope)
        .bind(&**action)
        .bind(key.as_bytes().as_slice())
        .bind(execution.created.unix_ms())
        .bind(request.key_version)
        .bind(request.fields)
        .bind(request.fingerprint)
        .bind(request.params)
        .bind(state.changed)
        .bind(state.status)
        .bind(state.n)
        .bind(state.token)
        .bind(state.instance)
        .bind(state.due)
        .bind(state.keep_until)
        .bind(state.state)
        .bind(state.value)
        .bind(state.value_missing)
        .execute(connection)
        .await?;
    Ok(RowId(inserted.last_insert_rowid()))
}

/// As [`table::update`](super::table::update).
pub(super) async fn update(
    connection: &mut SqliteConnection,
    before: &Execution,
    after: &Execution,
    with_request: bool,
) -> Result<bool, Trouble> {
    let state = StateColumns::of(after)?;
    let token = before.state.token.as_ref().map(|token| Token::as_bytes(token).as_slice());
    let statement = if with_request { statements::UPDATE_REQUEST } else { statements::UPDATE };
    let mut query = sqlx::query(statement)
        .bind(state.changed)
        .bind(state.status)
        .bind(state.n)
        .bind(state.token)
        .bind(state.instance)
        .bind(state.due)
        .bind(state.keep_until)
        .bind(state.state)
        .bind(state.value)
        .bind(state.value_missing)
        .bind(before.row.0)
        .bind(number(before.state.entries))
        .bind(token);
    if with_request {
        let request = RequestColumns::of(&after.request);
        query = query
            .bind(request.key_version)
            .bind(request.fields)
            .bind(request.fingerprint)
            .bind(request.params);
    }
    Ok(query.execute(connection).await?.rows_affected() > 0)
}

/// As [`table::append`](super::table::append).
pub(super) async fn append(
    connection: &mut SqliteConnection,
    row: RowId,
    entry: &StateEntry,
) -> Result<(), Trouble> {
    let columns = EntryColumns::of(entry)?;
    sqlx::query(statements::ENTRY)
        .bind(row.0)
        .bind(number(entry.n))
        .bind(entry.at.unix_ms())
        .bind(&*entry.event)
        .bind(columns.before)
        .bind(entry.after.as_str())
        .bind(entry.attempt)
        .bind(entry.round)
        .bind(&*entry.author.principal)
        .bind(entry.author.why.as_deref())
        .bind(entry.author.instance.as_bytes().as_slice())
        .bind(entry.author.version.as_deref())
        .bind(columns.failure)
        .bind(entry.value_hash.as_deref())
        .bind(entry.other_request)
        .execute(connection)
        .await?;
    Ok(())
}

/// The execution in that row of the table.
pub(super) async fn by_row(
    connection: &mut SqliteConnection,
    row: RowId,
) -> Result<Option<Execution>, Trouble> {
    let found = sqlx::query(statements::BY_ROW).bind(row.0).fetch_optional(connection).await?;
    found.as_ref().map(execution_of).transpose()
}

/// The execution of that identity.
pub(super) async fn by_identity(
    connection: &mut SqliteConnection,
    identity: &Identity,
) -> Result<Option<Execution>, Trouble> {
    let rows =
        sqlx::query(statements::BY_KEY).bind(key16(&identity.key)).fetch_all(connection).await?;
    for row in &rows {
        let execution = execution_of(row)?;
        if execution.identity == *identity {
            return Ok(Some(execution));
        }
    }
    Ok(None)
}

fn execution_of(row: &SqliteRow) -> Result<Execution, Trouble> {
    let stored = StoredExecution {
        id: row.try_get(0)?,
        key16: row.try_get(1)?,
        scope: row.try_get(2)?,
        action: row.try_get(3)?,
        key: row.try_get(4)?,
        created: row.try_get(5)?,
        changed: row.try_get(6)?,
        status: row.try_get(7)?,
        n: row.try_get(8)?,
        state: row.try_get(9)?,
        key_version: row.try_get(10)?,
        fields: row.try_get(11)?,
        fingerprint: row.try_get(12)?,
        params: row.try_get(13)?,
        value: row.try_get(14)?,
        value_missing: row.try_get(15)?,
    };
    Ok(stored.execution()?)
}
