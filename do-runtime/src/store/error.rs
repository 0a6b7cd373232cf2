//! Why a store did not do what it was asked.

use std::fmt;

use crate::record::NotAllowed;

/// Why a store did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreError {
    /// Somebody else held the write lock for too long; nothing was written.
    Busy(String),
    /// No room; nothing was written. It goes on by itself once there is room.
    Full(String),
    /// The store cannot be opened, or not as asked; nothing was written.
    Open(String),
    /// It stopped after an I/O error or corruption, and takes no more work until the process is
    /// started again.
    Stopped(String),
    /// It was closed.
    Closed,
    /// The commit's answer was lost: it may stand or not.
    Unknown(String),
    /// The event is not allowed in the execution's state; nothing was written.
    NotAllowed(NotAllowed),
    /// This store has no connection of that kind to borrow.
    NoTransactions,
    /// The body committed or rolled back the transaction by itself.
    TransactionEnded,
    /// The database refused the body's work at the commit (a deferred constraint); rolled back.
    Rejected(String),
    /// A record that cannot be read.
    Corrupt(String),
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy(why) => write!(f, "the store is busy: {why}"),
            Self::Full(why) => {
                write!(f, "the store is full: {why}; make room, it goes on by itself")
            }
            Self::Open(why) => write!(f, "cannot open the store: {why}"),
            Self::Stopped(why) => write!(
                f,
                "the store has stopped: {why}; check the disk, then start the program again"
            ),
            Self::Closed => f.write_str("the store is closed"),
            Self::Unknown(why) => write!(f, "the answer to a commit was lost: {why}"),
            Self::NotAllowed(refused) => fmt::Display::fmt(refused, f),
            Self::NoTransactions => {
                f.write_str("this store has no connection that an action could borrow")
            }
            Self::TransactionEnded => f.write_str(
                "the body ended its transaction by itself; remove its COMMIT or ROLLBACK, the \
                 runtime commits",
            ),
            Self::Rejected(why) => write!(f, "the database refused the commit: {why}"),
            Self::Corrupt(why) => write!(f, "a record cannot be read: {why}"),
        }
    }
}

impl std::error::Error for StoreError {}

impl From<NotAllowed> for StoreError {
    fn from(refused: NotAllowed) -> Self {
        Self::NotAllowed(refused)
    }
}
