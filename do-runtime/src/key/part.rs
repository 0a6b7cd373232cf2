//! The trait of what can be part of a key.

use super::node::{Node, Written};

/// What can be part of an idempotency key: it has exactly one canonical form.
///
/// Implemented for integers, `bool`, `char`, strings, `Option`, lists, arrays, tuples, maps, sets,
/// `SystemTime`, and, each behind the feature of its name, for the types of uuid, chrono, time,
/// jiff, `rust_decimal` and url. For your own types there is `#[derive(KeyPart)]`. Not for floats
/// and `serde_json::Value`: they have more than one form for one meaning.
///
/// `Vec<u8>`, `[u8]` and `[u8; N]` are byte arrays, not lists of integers; so are those of
/// newtypes around `u8`.
///
/// Implement it by hand only for a type with a canonical text or number of its own:
///
/// ```
/// use do_runtime::key::{KeyPart, Node, Present, Written};
///
/// struct Country([char; 2]);
///
/// impl KeyPart for Country {
///     type Kind = Present;
///     fn write(&self, node: Node<'_>) -> Written {
///         node.string(&self.0.iter().collect::<String>())
///     }
/// }
///
/// assert_eq!(do_runtime::key::node_of(&Country(['D', 'E'])).unwrap(), r#"["s","DE"]"#);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be part of an idempotency key",
    label = "`{Self}` has no canonical form",
    note = "instead of a float: an integer of the smallest unit (cents, milliseconds), or a decimal",
    note = "for a type of your own: `#[derive(KeyPart)]`; for any other: one of its fields, \
            `key(order.id)`, or an expression, `key(id = order.id())`"
)]
pub trait KeyPart {
    /// [`Present`], unless the type is or wraps an `Option`.
    type Kind: PartKind;

    /// Writes the node: there is exactly one way to make the `Written` that is returned.
    fn write(&self, node: Node<'_>) -> Written;

    /// Whether this is `None`: then it is left out as a field, and null everywhere else.
    fn is_none(&self) -> bool {
        false
    }

    #[doc(hidden)]
    fn as_byte(&self) -> Option<u8> {
        None
    }
}

/// What an `Option` may hold.
#[diagnostic::on_unimplemented(
    message = "an `Option` in an `Option` cannot be part of an idempotency key",
    label = "this holds an `Option` already",
    note = "a key cannot tell `None` from `Some(None)`: use an enum with three variants"
)]
pub trait MayBeOptional: PartKind {}

mod sealed {
    #[expect(unnameable_types, reason = "that is what seals `PartKind`")]
    pub trait Sealed {}
}

/// How a value stands in a field and in a list. Sealed.
pub trait PartKind: sealed::Sealed {
    #[doc(hidden)]
    const IS_BYTE: bool;
}

/// The kind of a value that is always there.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Present;

/// The kind of a value that may be absent.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Optional;

/// The kind of `u8` and of what wraps it: lists of it are byte arrays.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Byte;

impl sealed::Sealed for Present {}
impl sealed::Sealed for Optional {}
impl sealed::Sealed for Byte {}

impl PartKind for Present {
    const IS_BYTE: bool = false;
}

impl PartKind for Optional {
    const IS_BYTE: bool = false;
}

impl PartKind for Byte {
    const IS_BYTE: bool = true;
}

impl MayBeOptional for Present {}
impl MayBeOptional for Byte {}
