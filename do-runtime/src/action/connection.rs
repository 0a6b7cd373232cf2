//! The connections whose transaction an action can borrow.

use std::any::Any;

use super::{Connection, Inputs, ParametersError};

/// A database connection that an action borrows with `&mut`: its effect, its outcome and its
/// audit entry then commit together.
///
/// On SQLite the body holds the file's only write lock: all other writes wait meanwhile, those of
/// other actions too, and after 2 s it is rolled back. Keep it to its statements; do slow work in
/// an action of its own.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no connection whose transaction an action can borrow",
    label = "take `&mut SqliteConnection`",
    note = "`&mut` borrows the transaction that the runtime opens; data is taken by value, what \
            is provided is borrowed with `&`"
)]
pub trait Transactional: Any + Send {
    /// The database, as sqlx names it: `SQLite`, `PostgreSQL`.
    #[doc(hidden)]
    const DATABASE: &'static str;
}

#[cfg(feature = "sqlx")]
#[diagnostic::do_not_recommend]
impl<C: sqlx::Connection + Any> Transactional for C {
    const DATABASE: &'static str = <C::Database as sqlx::Database>::NAME;
}

impl Connection {
    /// The connection type `C`.
    #[must_use]
    pub fn of<C: Transactional>() -> Self {
        Self {
            type_id: std::any::TypeId::of::<C>(),
            type_name: std::any::type_name::<C>(),
            database: C::DATABASE,
        }
    }
}

impl<'a> Inputs<'a> {
    /// The connection in its transaction.
    ///
    /// # Errors
    ///
    /// The runtime opened none, or one of another type.
    #[doc(hidden)]
    pub fn connection<C: Any>(&mut self) -> Result<&'a mut C, ParametersError> {
        self.connection.take().and_then(|connection| connection.downcast_mut()).ok_or_else(|| {
            ParametersError::of_action(format!(
                "the runtime opened no `{}`",
                std::any::type_name::<C>()
            ))
        })
    }
}
