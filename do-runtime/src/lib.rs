//! Atomic actions: an async fn that takes effect once, however often it is called.
//!
//! ```
//! use do_runtime::prelude::*;
//!
//! struct Mailer;
//!
//! #[action(key(user_id, template))]
//! async fn send_welcome_email(mailer: &Mailer, user_id: String, template: String) -> Result<u64> {
//!     let _ = (mailer, user_id, template); // the real one sends here
//!     Ok(1)
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let (builder, _clock) = do_runtime::testing::runtime(); // or Runtime::open("sqlite://mails.db")
//! let app = builder.provide(Mailer).only(send_welcome_email).start().await?;
//! let call = send_welcome_email("usr_1".into(), "welcome".into());
//! assert_eq!(app.execute(call.clone()).await?, 1);
//! assert_eq!(app.execute(call).receipt().await?.how, do_runtime::How::Replayed);
//! # Ok(()) }
//! ```
//!
//! - [`action`](macro@action) is the attribute: the key, the class, retries, retention.
//! - [`Runtime`] has every verb: execute, submit, look up, resolve, try again.
//! - [`Builder`] opens a store, provides what actions borrow, and refuses what does not fit.
//! - [`Error`] says what happened, what is known of the effect, and the line to type.
//! - [`Failure`] and [`failure::StateClass`]: how a body says whether there was an effect.
//! - [`store`], [`record`], [`audit`]: what is kept. [`key`]: what makes a call the same call.

// The macros write paths that begin with `::do_runtime`, in this crate's own tests too.
extern crate self as do_runtime;

#[cfg(panic = "abort")]
compile_error!(
    "do-runtime needs `panic = \"unwind\"`: with `abort` one body's panic would end all others; \
     remove `panic = \"abort\"` from the profile"
);

/// Names a place at which tests step in; nothing outside of them. A second argument is what the
/// place does when it must fail: `fault!("commit", return Err(…))`.
macro_rules! fault {
    ($name:literal) => {
        #[cfg(any(test, feature = "testing"))]
        {
            inventory::submit!(crate::testing::fault::Point::new($name));
            crate::testing::fault::hit($name);
        }
    };
    ($name:literal, $fail:expr) => {
        #[cfg(any(test, feature = "testing"))]
        {
            inventory::submit!(crate::testing::fault::Point::new($name));
            if crate::testing::fault::fails($name) {
                $fail
            }
        }
    };
}
pub(crate) use fault;

pub mod action;
pub mod audit;
pub mod clock;
mod dispatcher;
pub mod failure;
mod heartbeat;
pub mod key;
pub mod policy;
mod pruner;
pub mod randomness;
pub mod record;
mod registry;
mod rescuer;
pub mod runtime;
pub mod store;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub use dispatcher::{Effect, Error, ErrorKind, How};
pub use do_macros::action;
pub use failure::{Failure, Result};
pub use key::Key;
pub use record::{Execution, Status};
pub use registry::Mistake;
pub use runtime::{
    Builder, Execute, Handle, Lookup, Receipt, Resolution, Runtime, StartError, Would,
};
pub use store::Filter;

/// Compiles the program of the README.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct ReadMe;

/// What a program that writes and calls actions imports.
pub mod prelude {
    pub use do_macros::action;

    pub use crate::action::Attempt;
    pub use crate::failure::{Classify, Failure, FailureClass, Result, StateClass};
    pub use crate::key::KeyPart;
    pub use crate::runtime::{Resolution, Runtime};
}

/// What the attribute's output names. Not for use by hand; it may change in any release.
#[doc(hidden)]
pub mod __private {
    pub use core::{file, line, option_env, stringify};
    pub use std::result::Result;
    pub use std::string::String;
    pub use std::time::Duration;
    pub use std::vec::Vec;

    pub use inventory;

    pub use crate::action::call::{call, unkeyed};
    pub use crate::action::described::{ask, encoded, found, result, run};
    pub use crate::action::parameters::codec;
    pub use crate::action::refused::{refused, refused_unkeyed};
    pub use crate::action::{
        Action, BodyFuture, Call, CheckFuture, Connection, Definition, Dependency, Described,
        Facts, Identity, Inputs, List, Outcome, Parameter, ParametersError, Registration, Source,
        Unkeyed,
    };
    pub use crate::failure::{Failure, Probe};
    pub use crate::policy::{Class, Policy, Retry};
}
