//! What an error of the database means for the store.

use rusqlite::ErrorCode;

use crate::record::NotAllowed;
use crate::store::StoreError;

/// Why a piece of work did not get through.
#[derive(Debug)]
pub(super) enum Fault {
    /// It was refused before anything was written; the transaction goes on without it.
    Refused(StoreError),
    /// The database failed; the transaction is rolled back.
    Database(rusqlite::Error),
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}

impl From<rusqlite::types::FromSqlError> for Fault {
    fn from(error: rusqlite::types::FromSqlError) -> Self {
        Self::Database(error.into())
    }
}

impl From<NotAllowed> for Fault {
    fn from(refused: NotAllowed) -> Self {
        Self::Refused(refused.into())
    }
}

impl From<StoreError> for Fault {
    fn from(refused: StoreError) -> Self {
        Self::Refused(refused)
    }
}

/// What the store does about an error of the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Another process holds the lock.
    Busy,
    /// The disk is full.
    Full,
    /// This work cannot be stored as it is; the store is sound.
    Unfit,
    /// A deferred constraint refused a commit.
    Constraint,
    /// Nothing that the database says can be relied on any more.
    Fatal,
}

pub(super) fn kind_of(error: &rusqlite::Error) -> Kind {
    if matches!(error, rusqlite::Error::ToSqlConversionFailure(_)) {
        return Kind::Unfit;
    }
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Kind::Busy,
        Some(ErrorCode::DiskFull) => Kind::Full,
        Some(ErrorCode::ConstraintViolation) => Kind::Constraint,
        Some(ErrorCode::TooBig | ErrorCode::TypeMismatch) => Kind::Unfit,
        // Also what rusqlite itself says of a column: the tables are not what they were.
        _ => Kind::Fatal,
    }
}

/// The answer to work that alone met this error, was rolled back, and is not fatal.
pub(super) fn answer_to(kind: Kind, why: String) -> StoreError {
    match kind {
        Kind::Busy => StoreError::Busy(why),
        Kind::Full => StoreError::Full(why),
        Kind::Unfit | Kind::Constraint => StoreError::Corrupt(why),
        Kind::Fatal => StoreError::Stopped(why),
    }
}

/// What sqlx's error means, by the same rules.
#[cfg(feature = "sqlx")]
pub(super) fn kind_of_sqlx(error: &sqlx::Error) -> Kind {
    let sqlx::Error::Database(error) = error else {
        return Kind::Fatal;
    };
    let code = error.code().and_then(|code| code.parse::<i32>().ok()).unwrap_or(0);
    match code & 0xff {
        // A body made its own connection read-only; if it is the file, the writer finds out.
        8 if code == 8 => Kind::Unfit,
        5 | 6 => Kind::Busy,
        13 => Kind::Full,
        19 => Kind::Constraint,
        18 | 20 => Kind::Unfit,
        _ => Kind::Fatal,
    }
}
