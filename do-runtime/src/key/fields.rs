//! What identifies a call before the scope is known: the fields of its key, or the caller's text.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use super::buffer::Buffer;
use super::members::{Members, Twice};
use super::readable::readable;
use super::stored::Stored;
use super::text::push_quoted;
use super::{KeyError, KeyPart, MAX_CALLER_KEY, MAX_KEY_MATERIAL};

/// What identifies a call of one action, within a scope: `[["email",["s","x"]],…]` sorted by
/// name, or the text of a caller's key.
#[derive(Clone, PartialEq, Eq)]
pub struct KeyFields {
    text: String,
    /// None: the caller's key.
    fields: Option<Vec<(Cow<'static, str>, Range<usize>)>>,
}

impl KeyFields {
    /// Begins the fields of a derived key.
    #[must_use]
    pub fn builder() -> KeyFieldsBuilder {
        let mut buffer = Buffer::default();
        buffer.text.reserve(128);
        buffer.text.push('[');
        let members = Members::new(&buffer.text);
        KeyFieldsBuilder { buffer, members, refused: None }
    }

    /// A key that the caller gives, taken as it is.
    ///
    /// # Errors
    /// It is empty or blank, takes more than [`MAX_CALLER_KEY`] bytes, or holds a control
    /// character.
    pub fn caller(text: &str) -> Result<Self, KeyError> {
        if text.len() > MAX_CALLER_KEY {
            return Err(KeyError::CallerKeyTooLong { bytes: text.len() });
        }
        if text.chars().all(char::is_whitespace) {
            return Err(KeyError::CallerKeyBlank);
        }
        if text.chars().any(char::is_control) {
            return Err(KeyError::CallerKeyControl);
        }
        let mut quoted = String::with_capacity(text.len() + 2);
        push_quoted(&mut quoted, text);
        Ok(Self { text: quoted, fields: None })
    }

    /// The fields as they were stored: what [`as_json`](Self::as_json) gave.
    ///
    /// # Errors
    /// The text is not of that form.
    pub fn from_json(text: &str) -> Result<Self, KeyError> {
        match Stored::read(text).ok_or(KeyError::UnknownFields)? {
            Stored::Text(key) => Self::caller(&key),
            Stored::List(stored) => {
                let mut again = String::with_capacity(text.len());
                let mut places = Vec::with_capacity(stored.len());
                for field in &stored {
                    let Some([Stored::Text(name), node @ Stored::List(_)]) = field.as_list() else {
                        return Err(KeyError::UnknownFields);
                    };
                    again.push_str(if places.is_empty() { "[[" } else { ",[" });
                    push_quoted(&mut again, name);
                    again.push(',');
                    let start = again.len();
                    node.push(&mut again);
                    places.push((Cow::Owned(name.clone()), start..again.len()));
                    again.push(']');
                }
                again.push(']');
                if again != text || places.is_empty() {
                    return Err(KeyError::UnknownFields);
                }
                Ok(Self { text: again, fields: Some(places) })
            }
        }
    }

    /// The fields as they stand in the preimage: `[[name,node],…]`, or a JSON string for a
    /// caller's key.
    #[must_use]
    pub fn as_json(&self) -> &str {
        &self.text
    }

    /// Whether the caller gave this key.
    #[must_use]
    pub fn is_caller(&self) -> bool {
        self.fields.is_none()
    }

    /// Each field's name and node, in the order of the names. None for a caller's key.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.fields.iter().flatten().map(|(name, place)| (name.as_ref(), &self.text[place.clone()]))
    }

    /// Each field's name and its value for people to read; a caller's key is called `key`.
    #[must_use]
    pub fn readable(&self) -> Vec<(String, String)> {
        if self.is_caller() {
            return vec![("key".to_owned(), readable(&self.text))];
        }
        self.iter().map(|(name, node)| (name.to_owned(), readable(node))).collect()
    }
}

/// Shows the names, not the values: they may be personal.
impl fmt::Debug for KeyFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.iter().map(|(name, _)| name).collect();
        f.debug_struct("KeyFields").field("names", &names).finish_non_exhaustive()
    }
}

/// Collects the fields of a derived key, in any order.
pub struct KeyFieldsBuilder {
    buffer: Buffer,
    members: Members<Cow<'static, str>>,
    refused: Option<KeyError>,
}

impl KeyFieldsBuilder {
    /// Adds a field; `None` is left out.
    pub fn field<T: KeyPart + ?Sized>(
        &mut self,
        name: impl Into<Cow<'static, str>>,
        value: &T,
    ) -> &mut Self {
        if !value.is_none() && self.refused.is_none() {
            let name = name.into();
            self.members.begin(&mut self.buffer.text, name.clone());
            if let Err(error) = self.buffer.write(value) {
                self.refused = Some(error.within(&name));
            }
            self.members.end(&mut self.buffer.text);
        }
        self
    }

    /// All fields are there.
    ///
    /// # Errors
    /// All fields are absent, two have one name, they take more than [`MAX_KEY_MATERIAL`] bytes,
    /// or the value of one cannot be part of a key.
    pub fn finish(self) -> Result<KeyFields, KeyError> {
        let Self { mut buffer, members, refused } = self;
        if let Some(error) = refused {
            return Err(error);
        }
        let text = &mut buffer.text;
        let sorted = members
            .sort(text)
            .map_err(|Twice(name)| KeyError::FieldTwice { name: name.into_owned() })?;
        text.push(']');
        if sorted.is_empty() {
            return Err(KeyError::AllAbsent);
        }
        if text.len() > MAX_KEY_MATERIAL {
            return Err(KeyError::TooLong { bytes: text.len() });
        }
        let fields = sorted.into_iter().map(|member| {
            let place = member.node();
            (member.name, place)
        });
        Ok(KeyFields { fields: Some(fields.collect()), text: buffer.text })
    }
}

impl fmt::Debug for KeyFieldsBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyFieldsBuilder").finish_non_exhaustive()
    }
}
