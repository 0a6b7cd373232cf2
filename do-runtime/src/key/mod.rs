//! What makes a call the same call: its idempotency key, and the fingerprint of the rest.
//!
//! A key is a promise kept for years and across languages, so its bytes are pinned by
//! `vectors.json`. The preimage is compact JSON made of arrays and strings only, then SHA-256:
//!
//! ```text
//! derived key   ["actkey/1","p",scope,action,key_version,[[field,node],…]]
//! caller's key  ["actkey/1","c",scope,action,key_version,text]
//! occurrence    ["actkey/1","a",key_hex,n]
//! downstream    ["actkey/1","d",key_hex,service]         from round 2 on: and the round
//! parameter     ["actkey/1","f",salt_hex,name,node]
//! ```
//!
//! A node is an array that begins with the letter of its kind, so `1`, `"1"` and `true` are three
//! nodes, and no two different lists of fields have one preimage. [`KeyPart`] writes nodes;
//! nothing else can. [`KeyFields`] is what is known of a key before the scope is, [`Key`] is the
//! hash, [`Fingerprint`] has one hash for each parameter that is not in the key.

mod buffer;
mod error;
mod fields;
mod fingerprint;
mod identity;
mod json;
mod members;
mod node;
mod other_crates;
mod part;
mod readable;
mod standard;
mod stored;
mod text;

#[cfg(test)]
mod tests;

pub use do_macros::KeyPart;
pub use error::KeyError;
pub use fields::{KeyFields, KeyFieldsBuilder};
pub use fingerprint::{Fingerprint, FingerprintPart, Form};
pub use identity::{DownstreamKey, Key};
pub use node::{Fields, Items, Node, Written};
pub use part::{Byte, KeyPart, MayBeOptional, Optional, PartKind, Present};

/// The most bytes that the fields of a key may take, encoded.
pub const MAX_KEY_MATERIAL: usize = 64 * 1024;
/// The most bytes of a key that the caller gives.
pub const MAX_CALLER_KEY: usize = 255;
/// The most lists, maps and structs within one another, in a key and in a fingerprint.
pub const MAX_DEPTH: usize = 64;

/// The format tag. Another format has another tag and still reads this one.
const FORMAT: &str = "actkey/1";

/// SHA-256 of any bytes, in hex.
pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(64);
    text::push_hex(&mut text, identity::hash(bytes));
    text
}

/// The node of a value, as it stands in a key: what `find` looks for.
///
/// # Errors
/// A map with two entries of one key; nesting beyond [`MAX_DEPTH`].
pub fn node_of<T: KeyPart + ?Sized>(value: &T) -> Result<String, KeyError> {
    buffer::node_of(value)
}
