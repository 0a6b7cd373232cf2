//! An action as the runtime sees it: facts and function pointers, without its types.

use std::any::{Any, TypeId, type_name};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use super::{Attempt, CallError, Provided};
use crate::failure::Failure;
use crate::key::{FingerprintPart, KeyFields};
use crate::policy::Policy;

/// One registered action. Made by the attribute, once, in a `static`.
#[derive(Debug)]
#[non_exhaustive]
pub struct Definition {
    /// The stable name.
    pub name: &'static str,
    /// Raised by the author to give every call a new identity.
    pub key_version: u32,
    /// Class, retries, time-out, retention.
    pub policy: Policy,
    /// The owned parameters, in the order of the function.
    pub parameters: &'static [Parameter],
    /// The names of the fields that its key is made of; empty when the caller gives the key.
    pub key_fields: &'static [&'static str],
    /// The caller gives the key (`key = caller`).
    pub keyed_by_caller: bool,
    /// What the body and the check borrow from what was provided.
    pub provided: fn() -> Vec<Dependency>,
    /// The connection type whose transaction the body borrows.
    pub connection: Option<fn() -> Connection>,
    /// Where it is written.
    pub source: Source,
    /// Decodes the parameters and starts the body.
    pub body: BodyFn,
    /// Decodes the parameters and asks the world; of class `check` only.
    pub check: Option<CheckFn>,
    /// Makes a call of parameters that came by name, under their wire names, and of the caller's
    /// key where the action takes one.
    pub by_name: fn(&[u8], Option<&str>) -> Result<Prepared, CallError>,
}

/// An owned parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Parameter {
    /// Its name in records, keys and fingerprints.
    pub name: &'static str,
    /// Its name for callers by name.
    pub wire: &'static str,
    /// The type as written.
    pub type_name: &'static str,
}

impl Parameter {
    /// For the attribute.
    #[doc(hidden)]
    #[must_use]
    pub const fn new(name: &'static str, wire: &'static str, type_name: &'static str) -> Self {
        Self { name, wire, type_name }
    }
}

/// Something borrowed that `provide` must give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dependency {
    /// The type behind the reference.
    pub type_id: TypeId,
    /// An `Arc` of that type, which serves as well.
    pub shared_type_id: TypeId,
    /// That type's name, for messages.
    pub type_name: &'static str,
    /// The parameter that borrows it.
    pub parameter: &'static str,
}

impl Dependency {
    /// What `&T` borrows.
    #[must_use]
    pub fn of<T: ?Sized + 'static>(parameter: &'static str) -> Self {
        Self {
            type_id: TypeId::of::<T>(),
            shared_type_id: TypeId::of::<Arc<T>>(),
            type_name: type_name::<T>(),
            parameter,
        }
    }

    /// Whether it is the attempt, which every body can borrow.
    pub(super) fn is_attempt(&self) -> bool {
        self.type_id == TypeId::of::<Attempt>()
    }
}

/// The connection type of a transactional action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Connection {
    /// The type behind `&mut`.
    pub type_id: TypeId,
    /// That type's name, for messages.
    pub type_name: &'static str,
    /// The database it speaks to, as sqlx names it: `SQLite`, `PostgreSQL`.
    pub database: &'static str,
}

/// Where an action is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Source {
    /// The file, as the compiler names it.
    pub file: &'static str,
    /// Line of the attribute, from 1.
    pub line: u32,
    /// The crate that holds it.
    pub crate_name: &'static str,
    /// That crate's version.
    pub crate_version: &'static str,
}

impl Source {
    /// For the attribute. The crate and its version are what cargo says; other build systems may
    /// say nothing.
    #[doc(hidden)]
    #[must_use]
    pub const fn new(
        file: &'static str,
        line: u32,
        crate_name: Option<&'static str>,
        crate_version: Option<&'static str>,
    ) -> Self {
        Self {
            file,
            line,
            crate_name: match crate_name {
                Some(name) => name,
                None => "",
            },
            crate_version: match crate_version {
                Some(version) => version,
                None => "",
            },
        }
    }
}

/// What a body or a check is given.
#[derive(Debug)]
#[non_exhaustive]
pub struct Inputs<'a> {
    /// The recorded parameters: one JSON object under own names.
    pub params: &'a [u8],
    /// Everything provided.
    pub provided: &'a Provided,
    /// This attempt; shared as provided values are, because a body may borrow it under an alias.
    pub attempt: &'a Arc<Attempt>,
    /// The connection in its transaction, for an action that borrows one.
    pub connection: Option<&'a mut (dyn Any + Send)>,
}

impl<'a> Inputs<'a> {
    /// That, for one attempt.
    pub(crate) const fn new(
        params: &'a [u8],
        provided: &'a Provided,
        attempt: &'a Arc<Attempt>,
        connection: Option<&'a mut (dyn Any + Send)>,
    ) -> Self {
        Self { params, provided, attempt, connection }
    }
}

/// A running body: its end is the encoded value, or the failure.
pub type BodyFuture<'a> = Pin<Box<dyn Future<Output = Result<Encoded, Failure>> + Send + 'a>>;
/// A running check: `Some` is an effect that is there.
pub type CheckFuture<'a> =
    Pin<Box<dyn Future<Output = Result<Option<Encoded>, Failure>> + Send + 'a>>;
/// Decodes the parameters (an error: nothing ran), then gives the body's future.
pub type BodyFn = for<'a> fn(Inputs<'a>) -> Result<BodyFuture<'a>, ParametersError>;
/// Decodes the parameters (an error: nothing ran), then gives the check's future.
pub type CheckFn = for<'a> fn(Inputs<'a>) -> Result<CheckFuture<'a>, ParametersError>;

/// A success, as JSON bytes; or the reason why the value cannot be written as JSON. Done is done:
/// that is a success whose value is lost.
pub type Encoded = Result<Vec<u8>, String>;

/// A call without its type: all that is computed before anything is claimed.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Prepared {
    /// The action.
    pub definition: &'static Definition,
    /// What identifies the call; the scope is not known yet.
    pub key: KeyFields,
    /// One part for each recorded parameter that is neither in the key nor ignored.
    pub fingerprint: Vec<FingerprintPart>,
    /// The recorded parameters: one JSON object under own names.
    pub params: Arc<[u8]>,
}

/// Parameters that are not what the action takes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParametersError {
    /// Where, for example `order.lines[2].amount`; empty for the object itself.
    pub path: String,
    /// What is wrong there, without the value.
    pub message: String,
}
