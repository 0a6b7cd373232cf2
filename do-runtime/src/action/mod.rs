//! Actions: what the attribute describes, and the calls that are made of them.
//!
//! [`Action`] is the typed side, known to callers through [`Call`]; [`Definition`] is the same
//! action without its types, known to the registry and the dispatcher. The attribute writes one
//! hidden type that is both.

mod attempt;
pub(crate) mod call;
pub mod connection;
mod constructor;
mod definition;
pub(crate) mod described;
mod error;
mod members;
pub(crate) mod parameters;
mod provided;
pub(crate) mod refused;
mod registration;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use attempt::Attempt;
pub use call::{Call, IntoCall, Unkeyed};
pub use constructor::{Constructed, Constructor, Constructors, Many, One};
pub use definition::{
    BodyFn, BodyFuture, CheckFn, CheckFuture, Connection, Definition, Dependency, Encoded, Inputs,
    Parameter, ParametersError, Prepared, Source,
};
#[doc(hidden)]
pub use described::{Described, Facts, Identity};
pub use error::CallError;
pub(crate) use members::distance;
#[doc(hidden)]
pub use parameters::{Codec, List, Recorded};
pub use provided::{Provided, ProvidedTwice};
pub use registration::Registration;

/// The most bytes that the recorded parameters of a call may take, as JSON.
pub const MAX_PARAMETERS: usize = 1024 * 1024;
/// The most lists and objects within one another in a parameter.
pub const MAX_DEPTH: usize = 64;

/// What a function under `#[action]` is to its callers. Only the attribute implements it.
pub trait Action: Described {
    /// What the function returns, as written.
    type Return;
}

/// What an action returns: a `Result`, under whatever name.
#[diagnostic::on_unimplemented(
    message = "an action must return `Result<T, E>`; it cannot return `{Self}`",
    label = "an action and its check return a `Result`"
)]
pub trait Outcome {
    /// The value of a success.
    type Value;
    /// The error of a failure.
    type Error;

    /// The same as a plain `Result`.
    ///
    /// # Errors
    ///
    /// The error, if it is a failure.
    fn into_result(self) -> Result<Self::Value, Self::Error>;
}

impl<T, E> Outcome for Result<T, E> {
    type Value = T;
    type Error = E;

    fn into_result(self) -> Self {
        self
    }
}

/// A value that can be stored and answered again.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be stored, so an action cannot return it",
    label = "it, or something it holds, cannot be written and read again as JSON, or sent to \
             another thread",
    note = "the result of an action is stored and answers every repeat: derive `serde::Serialize` \
            and `serde::Deserialize`, or return what identifies it"
)]
pub trait Stored: Serialize + DeserializeOwned + Send + 'static {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned + Send + 'static> Stored for T {}

#[cfg(test)]
mod tests;
