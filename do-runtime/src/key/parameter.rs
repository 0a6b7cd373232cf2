//! Which form a parameter has in the fingerprint: decided by its type, where that is known.
//!
//! A method of the outer wrapper is found before one of what it dereferences to, and only if its
//! bounds hold. So `ParameterOf::new(&value).part("name")` gives the node of a [`KeyPart`] type,
//! and the node of the JSON value of any other.

use std::ops::Deref;

use serde::Serialize;

use super::{FingerprintPart, KeyError, KeyPart};

/// A parameter whose type may be [`KeyPart`].
#[derive(Debug)]
pub struct ParameterOf<'a, T: ?Sized>(JsonOf<'a, T>);

/// A parameter as JSON.
#[derive(Debug)]
pub struct JsonOf<'a, T: ?Sized>(&'a T);

impl<'a, T: ?Sized> ParameterOf<'a, T> {
    /// Wraps the parameter.
    pub fn new(value: &'a T) -> Self {
        Self(JsonOf(value))
    }
}

impl<T: KeyPart + ?Sized> ParameterOf<'_, T> {
    /// [`FingerprintPart::of_key_part`].
    ///
    /// # Errors
    /// As that.
    pub fn part(&self, name: &'static str) -> Result<FingerprintPart, KeyError> {
        FingerprintPart::of_key_part(name, self.0.0)
    }
}

impl<T: Serialize + ?Sized> JsonOf<'_, T> {
    /// [`FingerprintPart::of_json`].
    ///
    /// # Errors
    /// As that.
    pub fn part(&self, name: &'static str) -> Result<FingerprintPart, KeyError> {
        FingerprintPart::of_json(name, self.0)
    }
}

impl<'a, T: ?Sized> Deref for ParameterOf<'a, T> {
    type Target = JsonOf<'a, T>;

    fn deref(&self) -> &JsonOf<'a, T> {
        &self.0
    }
}
