//! Why a call cannot be made of the parameters it was given.

use std::fmt;

use super::{MAX_DEPTH, MAX_PARAMETERS, ParametersError};
use crate::key::KeyError;

/// A call that can never run. A constructor does not fail: the call carries this, and whatever
/// verb takes the call says it. No value is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallError {
    /// Its key cannot be made.
    Key(KeyError),
    /// A parameter outside the key has no one form: a NaN, a map with one key twice.
    Unfit(KeyError),
    /// The action takes the caller's own key, and none came.
    KeyMissing,
    /// A key came, and the action makes its own.
    KeyNotTaken,
    /// Parameters that came by name are not what the action takes.
    Parameters(ParametersError),
    /// A parameter cannot be recorded.
    Unrecordable {
        /// The parameter.
        parameter: &'static str,
        /// What stands in the way.
        message: String,
    },
    /// A parameter is nested deeper than [`MAX_DEPTH`].
    TooDeep {
        /// The parameter.
        parameter: &'static str,
    },
    /// The parameters take more than [`MAX_PARAMETERS`].
    TooLarge {
        /// What they take, in bytes.
        bytes: usize,
    },
}

impl CallError {
    /// The code that callers by name get.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Key(_) | Self::KeyMissing | Self::KeyNotTaken => "invalid_key",
            Self::Parameters(_)
            | Self::Unfit(_)
            | Self::Unrecordable { .. }
            | Self::TooDeep { .. }
            | Self::TooLarge { .. } => "invalid_params",
        }
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(error) | Self::Unfit(error) => error.fmt(f),
            Self::KeyMissing => f.write_str("this action takes the caller's key; give one"),
            Self::KeyNotTaken => f.write_str(
                "this action makes its key from its parameters; leave the caller's key out",
            ),
            Self::Parameters(error) => error.fmt(f),
            Self::Unrecordable { parameter, message } => {
                write!(f, "parameter `{parameter}` cannot be recorded: {message}")
            }
            Self::TooDeep { parameter } => write!(
                f,
                "parameter `{parameter}` is nested more than {MAX_DEPTH} deep; make it flatter, or \
                 pass a reference to where it is kept"
            ),
            Self::TooLarge { bytes } => write!(
                f,
                "the parameters take {bytes} bytes and may take {MAX_PARAMETERS}; pass a \
                 reference to where the data is kept"
            ),
        }
    }
}

impl std::error::Error for CallError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Key(error) | Self::Unfit(error) => Some(error),
            Self::Parameters(error) => Some(error),
            Self::KeyMissing
            | Self::KeyNotTaken
            | Self::Unrecordable { .. }
            | Self::TooDeep { .. }
            | Self::TooLarge { .. } => None,
        }
    }
}

impl From<KeyError> for CallError {
    fn from(error: KeyError) -> Self {
        Self::Key(error)
    }
}

impl From<ParametersError> for CallError {
    fn from(error: ParametersError) -> Self {
        Self::Parameters(error)
    }
}

impl ParametersError {
    pub(crate) fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into() }
    }

    /// Nothing is wrong with a parameter; the runtime did not give what the action borrows.
    pub(crate) fn of_action(message: String) -> Self {
        Self { path: String::new(), message }
    }
}

impl fmt::Display for ParametersError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.path, self.message)
        }
    }
}

impl std::error::Error for ParametersError {}
