//! What a record keeps of a failure.

use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Failure, FailureClass, cut};

/// A failure as it is stored: text and facts, without the error it came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FailureRecord {
    /// Whether there was an effect, and who acts next; none when nobody said and nobody knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<FailureClass>,
    /// A code that programs can match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The text, at most [`Failure::MESSAGE_MAX`] bytes.
    pub message: String,
    /// The HTTP status the author named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// When trying again makes sense, counted from the failure.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "milliseconds")]
    pub retry_after: Option<Duration>,
    /// The typed error, if it can be written and read again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<TypedValue>,
}

/// An error value as JSON, with the name of its type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TypedValue {
    /// What the compiler calls the type.
    pub type_name: String,
    /// The value as JSON text.
    pub json: String,
}

impl TypedValue {
    /// The longest JSON text that is kept, in bytes; a longer value is left out.
    pub const JSON_MAX: usize = 64 * 1024;

    /// The value and its type's name; none if it cannot be written or is too long.
    pub(super) fn of<E: Serialize>(error: &E) -> Option<Self> {
        let json = serde_json::to_string(error).ok()?;
        (json.len() <= Self::JSON_MAX)
            .then(|| Self { type_name: std::any::type_name::<E>().to_owned(), json })
    }
}

impl FailureRecord {
    /// A record with a text, cut as failures are, and nothing else.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            class: None,
            code: None,
            message: cut(message.into(), Failure::MESSAGE_MAX),
            status: None,
            retry_after: None,
            value: None,
        }
    }

    /// The same of that class.
    #[must_use]
    pub fn of_class(mut self, class: FailureClass) -> Self {
        self.class = Some(class);
        self
    }

    /// The same with a code.
    #[must_use]
    pub fn with_code(mut self, code: impl Into<String>) -> Self {
        self.code = Some(code.into());
        self
    }

    /// What stands for a failure when `deaths` attempts in a row ended with their process.
    #[must_use]
    pub fn died(deaths: u32) -> Self {
        let text = match deaths {
            0 | 1 => "its process ended while it ran".to_owned(),
            _ => format!("{deaths} attempts in a row ended with their process"),
        };
        Self::new(text).of_class(FailureClass::InDoubt).with_code("process_died")
    }

    /// What stays when its time is over: class and code.
    #[must_use]
    pub fn without_text(&self) -> Self {
        Self { message: String::new(), value: None, ..self.clone() }
    }

    /// The error as the body returned it; none if it was of another type or was not kept.
    #[must_use]
    pub fn downcast<E: DeserializeOwned>(&self) -> Option<E> {
        let value = self.value.as_ref()?;
        if value.type_name != std::any::type_name::<E>() {
            return None;
        }
        serde_json::from_str(&value.json).ok()
    }
}

/// An optional duration as whole milliseconds.
mod milliseconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(
        duration: &Option<Duration>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        duration
            .map(|duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
            .serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Duration>, D::Error> {
        Ok(Option::<u64>::deserialize(deserializer)?.map(Duration::from_millis))
    }
}
