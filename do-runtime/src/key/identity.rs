//! The key itself: a hash, as text, and what is derived from it.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest as _, Sha256};

use super::text::{push_display, push_hex, push_quoted, push_uuid};
use super::{FORMAT, KeyError, KeyFields};

const PREFIX: &str = "k1_";
/// 32 bytes in base64 without padding.
const DIGITS: usize = 43;

/// An idempotency key, which is also its execution's id. Shown as `k1_` and 43 characters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key([u8; 32]);

impl Key {
    /// The key of a call of `action` in `scope`.
    #[must_use]
    pub fn derived(scope: &str, action: &str, key_version: u32, fields: &KeyFields) -> Self {
        Self(hash(preimage(scope, action, key_version, fields).as_bytes()))
    }

    /// A deliberate further effect of the same call: the `n`-th. The first is the key itself.
    #[must_use]
    pub fn occurrence(self, n: u64) -> Self {
        if n < 2 {
            return self;
        }
        let mut text = self.begin("a");
        text.push_str(",\"");
        push_display(&mut text, n);
        text.push_str("\"]");
        Self(hash(text.as_bytes()))
    }

    /// The key to hand to a provider, the same in every attempt of one round.
    ///
    /// `service` tells two providers, or two calls of one provider, apart. `round` counts from 1.
    #[must_use]
    pub fn downstream(self, service: &str, round: u32) -> DownstreamKey {
        let mut text = self.begin("d");
        text.push(',');
        push_quoted(&mut text, service);
        if round >= 2 {
            text.push_str(",\"");
            push_display(&mut text, round);
            text.push('"');
        }
        text.push(']');
        DownstreamKey::from_hash(hash(text.as_bytes()))
    }

    /// The 32 bytes, as they are stored.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The key of 32 stored bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The preimage of what is derived from this key, up to and with the key.
    fn begin(self, domain: &str) -> String {
        let mut text = format!("[\"{FORMAT}\",\"{domain}\",\"");
        push_hex(&mut text, self.0);
        text.push('"');
        text
    }
}

/// The text that is hashed for a key, whichever of the two kinds its fields are.
pub(super) fn preimage(scope: &str, action: &str, key_version: u32, fields: &KeyFields) -> String {
    let fields_text = fields.as_json();
    let mut text = String::with_capacity(48 + scope.len() + action.len() + fields_text.len());
    text.push_str("[\"");
    text.push_str(FORMAT);
    text.push_str(if fields.is_caller() { "\",\"c\"," } else { "\",\"p\"," });
    push_quoted(&mut text, scope);
    text.push(',');
    push_quoted(&mut text, action);
    text.push_str(",\"");
    push_display(&mut text, key_version);
    text.push_str("\",");
    text.push_str(fields_text);
    text.push(']');
    text
}

/// SHA-256.
pub(super) fn hash(preimage: &[u8]) -> [u8; 32] {
    Sha256::digest(preimage).into()
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut digits = [0; DIGITS];
        // 32 bytes always take 43 digits, and all of them are ASCII.
        let text = URL_SAFE_NO_PAD
            .encode_slice(self.0, &mut digits)
            .ok()
            .and_then(|_| std::str::from_utf8(&digits).ok())
            .ok_or(fmt::Error)?;
        f.write_str(PREFIX)?;
        f.write_str(text)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Strict: one key has one text.
impl FromStr for Key {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let digits = text.strip_prefix(PREFIX).ok_or(KeyError::NotAKey)?;
        if digits.len() != DIGITS {
            return Err(KeyError::NotAKey);
        }
        let bytes = URL_SAFE_NO_PAD.decode(digits).map_err(|_| KeyError::NotAKey)?;
        bytes.try_into().map(Self).map_err(|_| KeyError::NotAKey)
    }
}

impl Serialize for Key {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// A key to hand to a provider. Shown as a UUID of version 8.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DownstreamKey([u8; 16]);

impl DownstreamKey {
    /// The 16 bytes of the UUID.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// The first half of the hash, with the version and the variant of RFC 9562.
    fn from_hash(hash: [u8; 32]) -> Self {
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash[..16]);
        bytes[6] = bytes[6] & 0x0f | 0x80;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        Self(bytes)
    }
}

impl fmt::Display for DownstreamKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::with_capacity(36);
        push_uuid(&mut text, self.0);
        f.write_str(&text)
    }
}

impl fmt::Debug for DownstreamKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for DownstreamKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
