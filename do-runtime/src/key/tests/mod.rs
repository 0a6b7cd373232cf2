//! Tests of keys and fingerprints.

mod derive;
mod derive_hygiene;
mod derive_names;
mod vectors;

use super::KeyPart;

/// Whether the value has that node.
#[track_caller]
fn check_node<T: KeyPart + ?Sized>(value: &T, node: &str) {
    assert_eq!(super::node_of(value).as_deref(), Ok(node));
}
