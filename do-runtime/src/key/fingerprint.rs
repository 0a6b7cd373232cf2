//! The fingerprint: one salted hash for each parameter that is neither in the key nor ignored.
//!
//! It tells a repeat from another request under the same key, and names what differs without
//! keeping the values. The salt is random per record, so equal values of two records do not show.

use std::borrow::Cow;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest, Sha256};

use super::buffer::node_of;
use super::identity::hash;
use super::text::{push_hex, push_quoted};
use super::{FORMAT, KeyError, KeyPart, json};

/// Which of two forms a parameter's node has. Hashes of different forms are not compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Form {
    /// The type is [`KeyPart`] and gave its node.
    KeyPart,
    /// The node of the value as JSON.
    Json,
}

/// One parameter of a call, before it is hashed.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FingerprintPart {
    /// The parameter.
    pub name: Cow<'static, str>,
    /// Which form the node has.
    pub form: Form,
    /// The parameter's value.
    pub node: String,
}

impl FingerprintPart {
    /// The part of a parameter whose type is [`KeyPart`].
    ///
    /// # Errors
    /// A map with two entries of one key; nesting beyond [`MAX_DEPTH`](super::MAX_DEPTH).
    pub fn of_key_part<T: KeyPart + ?Sized>(
        name: impl Into<Cow<'static, str>>,
        value: &T,
    ) -> Result<Self, KeyError> {
        let name = name.into();
        let node = node_of(value).map_err(|error| error.within(&name))?;
        Ok(Self { name, form: Form::KeyPart, node })
    }

    /// The part of any other parameter: the node of its JSON value. It is the same whichever
    /// features `serde_json` is built with.
    ///
    /// # Errors
    /// NaN and infinities; two members of one name; nesting beyond
    /// [`MAX_DEPTH`](super::MAX_DEPTH); what JSON cannot hold.
    pub fn of_json<T: Serialize + ?Sized>(
        name: impl Into<Cow<'static, str>>,
        value: &T,
    ) -> Result<Self, KeyError> {
        let name = name.into();
        let node = json::node_of(value).map_err(|error| error.within(&name))?;
        Ok(Self { name, form: Form::Json, node })
    }
}

/// Shows the name, not the value: it may be personal.
impl fmt::Debug for FingerprintPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FingerprintPart")
            .field("name", &self.name)
            .field("form", &self.form)
            .finish_non_exhaustive()
    }
}

/// What a record keeps of the parameters that are not in its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    salt: [u8; 16],
    hashes: Vec<(String, Form, [u8; 32])>,
}

impl Fingerprint {
    /// The hashes of these parameters. The salt is 16 random bytes.
    #[must_use]
    pub fn new(salt: [u8; 16], parts: &[FingerprintPart]) -> Self {
        let hashes = parts
            .iter()
            .map(|part| (part.name.clone().into_owned(), part.form, hash_of(&salt, part)))
            .collect();
        Self { salt, hashes }
    }

    /// The names of the parameters that differ: only of those known on both sides, in one form.
    #[must_use]
    pub fn differing(&self, parts: &[FingerprintPart]) -> Vec<String> {
        parts
            .iter()
            .filter(|part| {
                self.hashes.iter().any(|(name, form, hash)| {
                    *name == part.name && *form == part.form && *hash != hash_of(&self.salt, part)
                })
            })
            .map(|part| part.name.clone().into_owned())
            .collect()
    }

    /// The salted SHA-256 of an answer, in hex: what the audit trail keeps of it.
    #[must_use]
    pub fn hash_value(&self, bytes: &[u8]) -> String {
        let mut hasher = Sha256::new();
        hasher.update(self.salt);
        hasher.update(bytes);
        let mut text = String::with_capacity(64);
        push_hex(&mut text, hasher.finalize());
        text
    }

    /// The bytes that are stored: a format byte, the salt, then for each parameter the length of
    /// its name (two bytes, the higher first), the name, a byte for the form, and the hash.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![FORMAT_BYTE];
        bytes.extend_from_slice(&self.salt);
        for (name, form, hash) in &self.hashes {
            // A parameter's name is an identifier: the compiler takes none this long.
            let length = u16::try_from(name.len()).unwrap_or(u16::MAX);
            bytes.extend_from_slice(&length.to_be_bytes());
            bytes.extend_from_slice(&name.as_bytes()[..usize::from(length)]);
            bytes.push(match form {
                Form::KeyPart => b'k',
                Form::Json => b'j',
            });
            bytes.extend_from_slice(hash);
        }
        bytes
    }

    /// The fingerprint of stored bytes.
    ///
    /// # Errors
    /// They are not what [`to_bytes`](Self::to_bytes) writes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, KeyError> {
        read(bytes).ok_or(KeyError::UnknownFingerprint)
    }
}

const FORMAT_BYTE: u8 = 1;

fn read(bytes: &[u8]) -> Option<Fingerprint> {
    let (&FORMAT_BYTE, rest) = bytes.split_first()? else {
        return None;
    };
    let (salt, mut rest) = rest.split_first_chunk::<16>()?;
    let mut hashes = Vec::new();
    while !rest.is_empty() {
        let (length, after) = rest.split_first_chunk::<2>()?;
        let (name, after) = after.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
        let (form, after) = after.split_first()?;
        let (hash, after) = after.split_first_chunk::<32>()?;
        let form = match form {
            b'k' => Form::KeyPart,
            b'j' => Form::Json,
            _ => return None,
        };
        hashes.push((std::str::from_utf8(name).ok()?.to_owned(), form, *hash));
        rest = after;
    }
    Some(Fingerprint { salt: *salt, hashes })
}

fn hash_of(salt: &[u8; 16], part: &FingerprintPart) -> [u8; 32] {
    let mut text = format!("[\"{FORMAT}\",\"f\",\"");
    push_hex(&mut text, *salt);
    text.push_str("\",");
    push_quoted(&mut text, &part.name);
    text.push(',');
    text.push_str(&part.node);
    text.push(']');
    hash(text.as_bytes())
}

/// Its bytes in base64, as one string.
impl Serialize for Fingerprint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&URL_SAFE_NO_PAD.encode(self.to_bytes()))
    }
}

impl<'de> Deserialize<'de> for Fingerprint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = URL_SAFE_NO_PAD
            .decode(text)
            .map_err(|_| de::Error::custom(KeyError::UnknownFingerprint))?;
        Self::from_bytes(&bytes).map_err(de::Error::custom)
    }
}
