//! The errors whose class is known without being told.
//!
//! An error from before anything was sent had no effect; one from after it may have had one.

use std::error::Error;
use std::io;

use super::FailureClass;
use super::FailureClass::{InDoubt, Transient};

/// The class of one error of a source chain.
pub(super) fn class_of(error: &(dyn Error + 'static)) -> Option<FailureClass> {
    if let Some(error) = error.downcast_ref::<io::Error>() {
        return of_io(error.kind()).or_else(|| of_lookup(error));
    }
    if let Some(error) = error.downcast_ref::<serde_json::Error>() {
        return match error.io_error_kind() {
            Some(kind) => of_io(kind),
            // A reply that cannot be read says nothing about what was done.
            None => Some(InDoubt),
        };
    }
    if error.is::<tokio::time::error::Elapsed>() {
        return Some(InDoubt);
    }
    #[cfg(feature = "sqlx")]
    if let Some(error) = error.downcast_ref::<sqlx::Error>() {
        return database::of_sqlx(error);
    }
    None
}

fn of_io(kind: io::ErrorKind) -> Option<FailureClass> {
    use io::ErrorKind::{
        BrokenPipe, ConnectionAborted, ConnectionRefused, ConnectionReset, HostUnreachable,
        InvalidData, NetworkDown, NetworkUnreachable, TimedOut, UnexpectedEof,
    };
    match kind {
        ConnectionRefused | HostUnreachable | NetworkUnreachable | NetworkDown => Some(Transient),
        ConnectionReset | ConnectionAborted | BrokenPipe | TimedOut | UnexpectedEof
        | InvalidData => Some(InDoubt),
        _ => None,
    }
}

/// A name that is not found has no kind of its own, only the text that `std` gives it.
fn of_lookup(error: &io::Error) -> Option<FailureClass> {
    error.to_string().starts_with("failed to lookup address information").then_some(Transient)
}

#[cfg(feature = "sqlx")]
mod database {
    use sqlx::error::{DatabaseError, ErrorKind};
    use sqlx::sqlite::SqliteError;

    use crate::failure::FailureClass;
    use crate::failure::FailureClass::{InDoubt, Permanent, Repair, Transient};

    pub(super) fn of_sqlx(error: &sqlx::Error) -> Option<FailureClass> {
        match error {
            sqlx::Error::Database(error) => of_database(&**error),
            sqlx::Error::Io(error) => super::of_io(error.kind()),
            sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed | sqlx::Error::Tls(_) => {
                Some(Transient)
            }
            sqlx::Error::Protocol(_)
            | sqlx::Error::Decode(_)
            | sqlx::Error::ColumnDecode { .. }
            | sqlx::Error::WorkerCrashed => Some(InDoubt),
            _ => None,
        }
    }

    fn of_database(error: &dyn DatabaseError) -> Option<FailureClass> {
        match error.kind() {
            ErrorKind::UniqueViolation
            | ErrorKind::ForeignKeyViolation
            | ErrorKind::NotNullViolation
            | ErrorKind::CheckViolation => return Some(Permanent),
            _ => {}
        }
        let code = error.code()?;
        if error.try_downcast_ref::<SqliteError>().is_some() {
            return code.parse().ok().and_then(of_sqlite);
        }
        of_sqlstate(&code)
    }

    /// SQLite shows its extended result codes as decimal numbers; the low byte is the kind.
    fn of_sqlite(code: i32) -> Option<FailureClass> {
        const BUSY: i32 = 5;
        const LOCKED: i32 = 6;
        const CONSTRAINT: i32 = 19;
        match code & 0xff {
            BUSY | LOCKED => Some(Transient),
            CONSTRAINT => Some(Permanent),
            _ => None,
        }
    }

    /// The five letters of the SQL standard, as PostgreSQL uses them.
    fn of_sqlstate(code: &str) -> Option<FailureClass> {
        match code {
            // Serialization failure, deadlock; too many connections, not yet up.
            "40001" | "40P01" | "53300" | "57P03" => Some(Transient),
            _ if code.starts_with("23") => Some(Permanent),
            _ if code.starts_with("28") => Some(Repair),
            _ => None,
        }
    }
}

/// Whether SQLite refused a commit because a hook said so: a body tried to commit by itself.
pub(super) fn is_refused_commit(error: &(dyn Error + 'static)) -> bool {
    #[cfg(feature = "sqlx")]
    return error
        .downcast_ref::<sqlx::Error>()
        .and_then(|error| error.as_database_error()?.code())
        .is_some_and(|code| code == "531");
    #[cfg(not(feature = "sqlx"))]
    {
        let _ = error;
        false
    }
}

/// Whether it is an error of the database driver.
pub(super) fn is_of_database(error: &(dyn Error + 'static)) -> bool {
    #[cfg(feature = "sqlx")]
    return error.is::<sqlx::Error>();
    #[cfg(not(feature = "sqlx"))]
    {
        let _ = error;
        false
    }
}
