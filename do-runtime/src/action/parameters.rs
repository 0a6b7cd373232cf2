//! Owned parameters: written as one JSON object, and read again.
//!
//! A function's owned parameters are a list `(A, (B, ()))`; beside it stands a list of codecs
//! `(Codec<A>, (Codec<B>, ()))`, made where the types are written. The bounds are stated there
//! and nowhere else, so a type that cannot be recorded gives one error, at that type.

use std::marker::PhantomData;
use std::ops::Deref;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::members::{self, Members};
use super::{CallError, Parameter, ParametersError};
use crate::key::{FingerprintPart, KeyError, KeyPart};

/// A type that can be taken by value: it is recorded.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be recorded, so an action cannot take it by value",
    label = "it, or something it holds, cannot be written and read again as JSON",
    note = "what is taken by value is recorded with the call: if it is data, derive \
            `serde::Serialize` and `serde::Deserialize`; if it is a service, borrow it: `&{Self}`"
)]
pub trait Recorded: Serialize + DeserializeOwned {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned> Recorded for T {}

/// Writes and reads parameters of one type.
#[derive(Debug, Clone, Copy)]
pub struct Codec<T>(JsonCodec<T>);

/// The same without what only a [`KeyPart`] has.
#[expect(unnameable_types, reason = "it is reached through `Codec` alone")]
#[derive(Debug, Clone, Copy)]
pub struct JsonCodec<T> {
    encode: fn(&mut Vec<u8>, &T) -> Result<(), serde_json::Error>,
    decode: fn(&str) -> Result<T, serde_path_to_error::Error<serde_json::Error>>,
    absent: fn() -> Option<T>,
    part: fn(&'static str, &T) -> Result<FingerprintPart, KeyError>,
    of: PhantomData<fn(T)>,
}

/// For the attribute: the codec of that type.
#[must_use]
pub const fn codec<T: Recorded>() -> Codec<T> {
    Codec(JsonCodec {
        encode: |bytes, value| serde_json::to_writer(bytes, value),
        decode: |json| {
            let mut deserializer = serde_json::Deserializer::from_str(json);
            serde_path_to_error::deserialize(&mut deserializer)
        },
        absent: members::absent,
        part: |name, value| FingerprintPart::of_json(name, value),
        of: PhantomData,
    })
}

impl<T> Deref for Codec<T> {
    type Target = JsonCodec<T>;

    fn deref(&self) -> &JsonCodec<T> {
        &self.0
    }
}

impl<T: KeyPart> Codec<T> {
    /// The parameter's part of the fingerprint: its node.
    ///
    /// # Errors
    ///
    /// The value has no node.
    pub fn part(&self, name: &'static str, value: &T) -> Result<FingerprintPart, KeyError> {
        FingerprintPart::of_key_part(name, value)
    }
}

impl<T> JsonCodec<T> {
    /// The parameter's part of the fingerprint: the node of its JSON value.
    ///
    /// # Errors
    ///
    /// The value has no node.
    pub fn part(&self, name: &'static str, value: &T) -> Result<FingerprintPart, KeyError> {
        (self.part)(name, value)
    }

    /// What the parameter is when it is left out: none of an `Option`.
    pub(super) fn absent(&self) -> Option<T> {
        (self.absent)()
    }

    pub(super) fn decode(
        &self,
        json: &str,
    ) -> Result<T, serde_path_to_error::Error<serde_json::Error>> {
        (self.decode)(json)
    }
}

/// A list of owned parameters.
pub trait List: Sized {
    /// The codecs, in the same order.
    type Codecs;

    /// Writes the members of the JSON object.
    #[doc(hidden)]
    fn encode(
        &self,
        codecs: &Self::Codecs,
        parameters: &'static [Parameter],
        bytes: &mut Vec<u8>,
    ) -> Result<(), CallError>;

    /// Reads them.
    #[doc(hidden)]
    fn decode(
        codecs: &Self::Codecs,
        parameters: &'static [Parameter],
        members: &mut Members,
    ) -> Result<Self, ParametersError>;
}

impl List for () {
    type Codecs = ();

    fn encode(&self, (): &(), _: &'static [Parameter], _: &mut Vec<u8>) -> Result<(), CallError> {
        Ok(())
    }

    fn decode((): &(), _: &'static [Parameter], _: &mut Members) -> Result<Self, ParametersError> {
        Ok(())
    }
}

impl<T, Rest: List> List for (T, Rest) {
    type Codecs = (Codec<T>, Rest::Codecs);

    fn encode(
        &self,
        (codec, codecs): &Self::Codecs,
        parameters: &'static [Parameter],
        bytes: &mut Vec<u8>,
    ) -> Result<(), CallError> {
        let Some((parameter, parameters)) = parameters.split_first() else {
            return Ok(());
        };
        members::write(bytes, parameter.name, |bytes| (codec.encode)(bytes, &self.0))?;
        self.1.encode(codecs, parameters, bytes)
    }

    fn decode(
        (codec, codecs): &Self::Codecs,
        parameters: &'static [Parameter],
        members: &mut Members,
    ) -> Result<Self, ParametersError> {
        let (parameter, parameters) = parameters.split_first().ok_or_else(|| {
            ParametersError::of_action("the action names fewer parameters than it takes".to_owned())
        })?;
        let first = members.take(parameter, codec)?;
        Ok((first, Rest::decode(codecs, parameters, members)?))
    }
}
