//! Why something cannot be a key or a fingerprint.

use std::fmt;

/// Why something cannot be a key or a fingerprint. Names places, never values.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyError {
    /// Every field of the key is absent.
    AllAbsent,
    /// Two fields of the key have one name.
    FieldTwice {
        /// That name.
        name: String,
    },
    /// A map has two entries whose keys are one.
    EntryTwice {
        /// The place: the field or parameter that holds the map, and what is known below it.
        path: String,
    },
    /// The fields of the key take more than [`MAX_KEY_MATERIAL`](super::MAX_KEY_MATERIAL).
    TooLong {
        /// What they take, encoded.
        bytes: usize,
    },
    /// More nesting than [`MAX_DEPTH`](super::MAX_DEPTH).
    TooDeep {
        /// The place, for example `order.lines[2]`.
        path: String,
    },
    /// A number that is not finite, or that no finite float is near to.
    NotFinite {
        /// The place, for example `order.lines[2].price`.
        path: String,
    },
    /// A value that cannot be written as JSON.
    NotJson {
        /// The place, for example `order.lines[2]`.
        path: String,
    },
    /// The caller's key is empty or blank.
    CallerKeyBlank,
    /// The caller's key takes more than [`MAX_CALLER_KEY`](super::MAX_CALLER_KEY).
    CallerKeyTooLong {
        /// What it takes.
        bytes: usize,
    },
    /// The caller's key holds a control character.
    CallerKeyControl,
    /// A text that is no key.
    NotAKey,
    /// Stored key fields that this build cannot read.
    UnknownFields,
    /// A stored fingerprint that this build cannot read.
    UnknownFingerprint,
}

impl KeyError {
    /// The same, seen from one level further out.
    pub(super) fn within(mut self, segment: &str) -> Self {
        if let Self::EntryTwice { path }
        | Self::TooDeep { path }
        | Self::NotFinite { path }
        | Self::NotJson { path } = &mut self
        {
            if !path.is_empty() && !path.starts_with('[') {
                path.insert(0, '.');
            }
            path.insert_str(0, segment);
        }
        self
    }
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AllAbsent => f.write_str(
                "every field of the idempotency key is absent: give at least one of them, or put \
                 a parameter in `key(..)` that is always there",
            ),
            Self::FieldTwice { name } => write!(
                f,
                "two fields of the idempotency key are called `{name}`: name one of them with \
                 `key(other_name = {name})`"
            ),
            Self::EntryTwice { path } => write!(
                f,
                "two entries of the map at `{path}` have the same key: leave one of them out"
            ),
            Self::TooLong { bytes } => write!(
                f,
                "the fields of the idempotency key take {bytes} bytes, more than {}: put an id or \
                 a hash of the long field in `key(..)`",
                super::MAX_KEY_MATERIAL
            ),
            Self::TooDeep { path } => write!(
                f,
                "the value at `{path}` is nested deeper than {} levels: flatten it",
                super::MAX_DEPTH
            ),
            Self::NotFinite { path } => {
                write!(f, "the number at `{path}` is not finite: pass a finite number, or `null`")
            }
            Self::NotJson { path } => write!(
                f,
                "the value at `{path}` cannot be written as JSON: look at its `Serialize`, and use \
                 strings or numbers as keys of maps"
            ),
            Self::CallerKeyBlank => {
                f.write_str("the idempotency key is blank: give a text that identifies the request")
            }
            Self::CallerKeyTooLong { bytes } => write!(
                f,
                "the idempotency key takes {bytes} bytes, more than {}: give a shorter one, for \
                 example a UUID",
                super::MAX_CALLER_KEY
            ),
            Self::CallerKeyControl => f.write_str(
                "the idempotency key holds a control character: give printable text, for example \
                 a UUID",
            ),
            Self::NotAKey => {
                f.write_str("not an execution's id: it is `k1_` and 43 letters, digits, `-` or `_`")
            }
            Self::UnknownFields => f.write_str(
                "the stored key fields are not in a form that this build reads: use the version \
                 that wrote them, or a later one",
            ),
            Self::UnknownFingerprint => f.write_str(
                "the stored fingerprint is not in a form that this build reads: use the version \
                 that wrote it, or a later one",
            ),
        }
    }
}

impl std::error::Error for KeyError {}
