//! What the attribute writes about a function, and what follows from it for every action alike.

use std::any::{Any, type_name};
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::members::{Members, Naming};
use super::parameters::List;
use super::{
    Action, BodyFuture, CallError, CheckFuture, Connection, Definition, Dependency, Encoded,
    Inputs, MAX_PARAMETERS, Outcome, Parameter, ParametersError, Prepared, Source, Stored,
};
use crate::failure::{Failure, panic_text};
use crate::key::{FingerprintPart, KeyError, KeyFields, KeyFieldsBuilder, KeyPart};
use crate::policy::Policy;

/// One function under the attribute.
pub trait Described: Send + Sync + Sized + 'static {
    /// The owned parameters: `(A, (B, ()))`.
    type Owned: List;
    /// What is known without its types.
    const FACTS: Facts;

    /// The action without its types.
    fn definition() -> &'static Definition;
    /// The codecs of the owned parameters.
    fn codecs() -> <Self::Owned as List>::Codecs;
    /// Gives the key's fields and the fingerprint's parts, then the parameters back.
    fn identify(identity: &mut Identity, owned: Self::Owned) -> Self::Owned;
    /// Gives the body what it takes.
    ///
    /// # Errors
    ///
    /// Something borrowed was not provided.
    fn body<'a>(inputs: Inputs<'a>, owned: Self::Owned) -> Result<BodyFuture<'a>, ParametersError>;
    /// Gives the check what it takes.
    ///
    /// # Errors
    ///
    /// Something borrowed was not provided; there is no check.
    fn check<'a>(_: Inputs<'a>, _: Self::Owned) -> Result<CheckFuture<'a>, ParametersError> {
        Err(ParametersError::of_action("the action has no check".to_owned()))
    }
    /// What the body and the check borrow.
    #[must_use]
    fn borrowed() -> Vec<Dependency> {
        Vec::new()
    }
}

/// What is known of an action without its types. The attribute names what differs from the
/// defaults.
#[derive(Debug, Clone, Copy)]
pub struct Facts {
    name: &'static str,
    key_version: u32,
    policy: Policy,
    parameters: &'static [Parameter],
    key_fields: &'static [&'static str],
    keyed_by_caller: bool,
    checked: bool,
    connection: Option<fn() -> Connection>,
    source: Source,
}

impl Facts {
    /// An action with that policy, of key version 1.
    #[must_use]
    pub const fn new(
        name: &'static str,
        policy: Policy,
        parameters: &'static [Parameter],
        source: Source,
    ) -> Self {
        Self {
            name,
            key_version: 1,
            policy,
            parameters,
            key_fields: &[],
            keyed_by_caller: false,
            checked: false,
            connection: None,
            source,
        }
    }

    /// The names of the key's fields.
    #[must_use]
    pub const fn key_fields(mut self, names: &'static [&'static str]) -> Self {
        self.key_fields = names;
        self
    }

    /// Another key version.
    #[must_use]
    pub const fn key_version(mut self, key_version: u32) -> Self {
        self.key_version = key_version;
        self
    }

    /// The caller gives the key.
    #[must_use]
    pub const fn keyed_by_caller(mut self) -> Self {
        self.keyed_by_caller = true;
        self
    }

    /// There is a check.
    #[must_use]
    pub const fn checked(mut self) -> Self {
        self.checked = true;
        self
    }

    /// The body borrows a transaction.
    #[must_use]
    pub const fn connection(mut self, connection: fn() -> Connection) -> Self {
        self.connection = Some(connection);
        self
    }
}

impl Definition {
    /// The definition of the function that `A` describes.
    #[doc(hidden)]
    #[must_use]
    pub const fn of<A: Described>() -> Self {
        let facts = A::FACTS;
        Self {
            name: facts.name,
            key_version: facts.key_version,
            policy: facts.policy,
            parameters: facts.parameters,
            key_fields: facts.key_fields,
            keyed_by_caller: facts.keyed_by_caller,
            provided: borrowed::<A>,
            connection: facts.connection,
            source: facts.source,
            body: body::<A>,
            check: if facts.checked { Some(check::<A>) } else { None },
            by_name: by_name::<A>,
        }
    }
}

/// Collects what identifies a call, while its parameters are still values.
#[derive(Debug)]
pub struct Identity {
    key: KeyFieldsBuilder,
    fingerprint: Vec<FingerprintPart>,
    refused: Option<CallError>,
}

impl Identity {
    /// A field of the key.
    pub fn key<T: KeyPart + ?Sized>(&mut self, name: &'static str, value: &T) {
        self.key.field(name, value);
    }

    /// A parameter of the fingerprint.
    pub fn part(&mut self, part: Result<FingerprintPart, KeyError>) {
        match part {
            Ok(part) => self.fingerprint.push(part),
            Err(error) => self.refuse(error),
        }
    }

    /// A parameter that is recorded, but neither in the key by itself nor in the fingerprint: it
    /// still has to be fit for JSON.
    pub fn ignored(&mut self, part: Result<FingerprintPart, KeyError>) {
        if let Err(error) = part {
            self.refuse(error);
        }
    }

    fn refuse(&mut self, error: KeyError) {
        self.refused.get_or_insert(CallError::Unfit(error));
    }
}

/// A call whose key is not made yet.
#[derive(Debug, Clone)]
pub(super) struct Unfinished {
    fingerprint: Vec<FingerprintPart>,
    params: Arc<[u8]>,
}

impl Unfinished {
    /// Evaluates what identifies the call on the values, then encodes them.
    pub(super) fn of<A: Described>(owned: A::Owned) -> Result<(Self, KeyFieldsBuilder), CallError> {
        let mut identity =
            Identity { key: KeyFields::builder(), fingerprint: Vec::new(), refused: None };
        let owned = A::identify(&mut identity, owned);
        if let Some(error) = identity.refused {
            return Err(error);
        }
        let mut bytes = Vec::new();
        owned.encode(&A::codecs(), A::FACTS.parameters, &mut bytes)?;
        bytes.extend_from_slice(if bytes.is_empty() { b"{}" } else { b"}" });
        if bytes.len() > MAX_PARAMETERS {
            return Err(CallError::TooLarge { bytes: bytes.len() });
        }
        Ok((Self { fingerprint: identity.fingerprint, params: bytes.into() }, identity.key))
    }

    pub(super) fn with_key(self, definition: &'static Definition, key: KeyFields) -> Prepared {
        Prepared { definition, key, fingerprint: self.fingerprint, params: self.params }
    }
}

/// The call of these parameters, under the key that they make.
pub(super) fn prepare<A: Described>(owned: A::Owned) -> Result<Prepared, CallError> {
    let (unfinished, key) = Unfinished::of::<A>(owned)?;
    Ok(unfinished.with_key(A::definition(), key.finish()?))
}

fn by_name<A: Described>(json: &[u8], caller_key: Option<&str>) -> Result<Prepared, CallError> {
    let parameters = A::FACTS.parameters;
    let mut members = Members::read(json, Naming::Wire, parameters)?;
    let owned = A::Owned::decode(&A::codecs(), parameters, &mut members)?;
    match (A::FACTS.keyed_by_caller, caller_key) {
        (false, None) => prepare::<A>(owned),
        (true, Some(key)) => {
            let key = KeyFields::caller(key)?;
            let (unfinished, _) = Unfinished::of::<A>(owned)?;
            Ok(unfinished.with_key(A::definition(), key))
        }
        (true, None) => Err(CallError::KeyMissing),
        (false, Some(_)) => Err(CallError::KeyNotTaken),
    }
}

fn recorded<A: Described>(json: &[u8]) -> Result<A::Owned, ParametersError> {
    let parameters = A::FACTS.parameters;
    let mut members = Members::read(json, Naming::Own, parameters)?;
    A::Owned::decode(&A::codecs(), parameters, &mut members)
}

fn body<A: Described>(inputs: Inputs<'_>) -> Result<BodyFuture<'_>, ParametersError> {
    let owned = recorded::<A>(inputs.params)?;
    A::body(inputs, owned)
}

fn check<A: Described>(inputs: Inputs<'_>) -> Result<CheckFuture<'_>, ParametersError> {
    let owned = recorded::<A>(inputs.params)?;
    A::check(inputs, owned)
}

fn borrowed<A: Described>() -> Vec<Dependency> {
    let mut borrowed = A::borrowed();
    borrowed.retain(|dependency| !dependency.is_attempt());
    borrowed
}

/// For the attribute: the body's future, with what its end becomes.
pub fn run<'a, F, R>(
    body: F,
    end: impl FnOnce(R) -> Result<Encoded, Failure> + Send + 'a,
) -> BodyFuture<'a>
where
    F: Future<Output = R> + Send + 'a,
{
    Box::pin(async move { end(body.await) })
}

/// For the attribute: the check's future, with what its end becomes.
pub fn ask<'a, F, R>(
    check: F,
    end: impl FnOnce(R) -> Result<Option<Encoded>, Failure> + Send + 'a,
) -> CheckFuture<'a>
where
    F: Future<Output = R> + Send + 'a,
{
    Box::pin(async move { end(check.await) })
}

/// For the attribute: what a function returned, as a plain `Result`.
pub fn result<R: Outcome>(returned: R) -> Result<R::Value, R::Error> {
    returned.into_result()
}

/// For the attribute: a value as JSON. The effect is there, so a value that cannot be written is no
/// failure, and neither is a panic of the code that writes it.
pub fn encoded<T: Stored>(value: &T) -> Encoded {
    match catch_unwind(AssertUnwindSafe(|| serde_json::to_vec(value))) {
        Ok(written) => written.map_err(|error| error.to_string()),
        Err(panic) => Err(format!("writing it panicked: {}", panic_text(&*panic))),
    }
}

/// For the attribute: the answer of a check of the action `A`.
pub fn found<A, F>(found: F) -> Option<Encoded>
where
    A: Action<Return: Outcome<Value: Stored>>,
    F: Found<<A::Return as Outcome>::Value>,
{
    found.into_option().as_ref().map(encoded)
}

/// The answer of a check: an effect that is there, or none.
#[diagnostic::on_unimplemented(
    message = "a check returns `Result<Option<{T}>, E>`; the value of this one is `{Self}`",
    label = "`Some` is the effect that is there, `None` means certainly not there"
)]
#[expect(unnameable_types, reason = "nothing else is an answer")]
pub trait Found<T> {
    #[doc(hidden)]
    fn into_option(self) -> Option<T>;
}

impl<T> Found<T> for Option<T> {
    fn into_option(self) -> Self {
        self
    }
}

impl<'a> Inputs<'a> {
    /// What was provided, or the attempt.
    ///
    /// # Errors
    ///
    /// Nothing of that type was provided.
    #[doc(hidden)]
    pub fn borrow<T: ?Sized + 'static>(&self) -> Result<&'a T, ParametersError> {
        let attempt: &'a dyn Any = self.attempt;
        if let Some(attempt) = attempt.downcast_ref::<Arc<T>>() {
            return Ok(attempt);
        }
        self.provided.lookup().ok_or_else(|| {
            ParametersError::of_action(format!("`{}` is not provided", type_name::<T>()))
        })
    }
}
