//! Tests of keys and fingerprints.

mod caller;
mod derive;
mod derive_hygiene;
mod derive_names;
mod equal_and_different;
mod fields;
mod fingerprint;
mod injective;
mod json;
mod json_text;
mod key_text;
mod parts;
mod readable;
mod vectors;

use serde::Serialize;

use super::{FingerprintPart, KeyError, KeyFields, KeyPart};

/// Whether the value has that node.
#[track_caller]
fn check_node<T: KeyPart + ?Sized>(value: &T, node: &str) {
    assert_eq!(super::node_of(value).as_deref(), Ok(node));
}

/// Whether the JSON value has that node.
#[track_caller]
fn check_json<T: Serialize + ?Sized>(value: &T, node: &str) {
    assert_eq!(json_node(value).as_deref(), Ok(node));
}

fn json_node<T: Serialize + ?Sized>(value: &T) -> Result<String, KeyError> {
    FingerprintPart::of_json("p", value).map(|part| part.node)
}

/// The fields of a key with one field, `v`.
fn one<T: KeyPart + ?Sized>(value: &T) -> Result<KeyFields, KeyError> {
    let mut builder = KeyFields::builder();
    builder.field("v", value);
    builder.finish()
}
