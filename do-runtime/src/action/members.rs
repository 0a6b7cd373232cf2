//! The members of the JSON object that parameters are: their names, their depth, their errors.

use serde::de::value::Error as ValueError;
use serde::de::{DeserializeOwned, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, forward_to_deserialize_any};
use serde_json::value::RawValue;

use super::parameters::JsonCodec;
use super::{CallError, MAX_DEPTH, Parameter, ParametersError};

/// Which of a parameter's two names an object uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    /// Its own: in records.
    Own,
    /// That of callers by name.
    Wire,
}

/// The members that are not yet taken.
#[derive(Debug)]
#[expect(unnameable_types, reason = "nobody implements `List` elsewhere")]
pub struct Members {
    naming: Naming,
    members: Vec<(String, Box<RawValue>)>,
}

impl Members {
    /// Reads an object. A record may hold parameters that this release no longer has; a caller
    /// by name may not bring what is unknown.
    pub(super) fn read(
        json: &[u8],
        naming: Naming,
        parameters: &[Parameter],
    ) -> Result<Self, ParametersError> {
        let Object(members) = serde_json::from_slice(json).map_err(|error| {
            let message = match error.classify() {
                serde_json::error::Category::Data => {
                    "expected one JSON object that holds the parameters by name".to_owned()
                }
                _ => format!("not JSON: {error}"),
            };
            ParametersError::new("", message)
        })?;
        for (at, (name, _)) in members.iter().enumerate() {
            if members[..at].iter().any(|(earlier, _)| earlier == name) {
                return Err(ParametersError::new(name, "given twice"));
            }
            let known = |parameter: &Parameter| parameter.wire == name;
            if naming == Naming::Wire && !parameters.iter().any(known) {
                return Err(ParametersError::new(name, unknown(name, parameters)));
            }
        }
        Ok(Self { naming, members })
    }

    /// Takes one parameter.
    pub(super) fn take<T>(
        &mut self,
        parameter: &Parameter,
        codec: &JsonCodec<T>,
    ) -> Result<T, ParametersError> {
        let name = match self.naming {
            Naming::Own => parameter.name,
            Naming::Wire => parameter.wire,
        };
        let Some(at) = self.members.iter().position(|(member, _)| member == name) else {
            return codec.absent().ok_or_else(|| {
                ParametersError::new(name, format!("missing; expected a `{}`", parameter.type_name))
            });
        };
        let (_, json) = self.members.swap_remove(at);
        codec.decode(json.get()).map_err(|error| {
            let inner = error.path().to_string();
            let path = match inner.as_str() {
                "." => name.to_owned(),
                inner if inner.starts_with('[') => format!("{name}{inner}"),
                inner => format!("{name}.{inner}"),
            };
            ParametersError::new(path, without_value(&error.into_inner(), parameter))
        })
    }
}

/// Writes one member, and a brace or a comma before it.
pub(super) fn write(
    bytes: &mut Vec<u8>,
    parameter: &'static str,
    value: impl FnOnce(&mut Vec<u8>) -> Result<(), serde_json::Error>,
) -> Result<(), CallError> {
    let unrecordable = |error: serde_json::Error| CallError::Unrecordable {
        parameter,
        message: error.to_string(),
    };
    bytes.push(if bytes.is_empty() { b'{' } else { b',' });
    serde_json::to_writer(&mut *bytes, parameter).map_err(unrecordable)?;
    bytes.push(b':');
    let start = bytes.len();
    value(bytes).map_err(unrecordable)?;
    if depth(&bytes[start..]) > MAX_DEPTH {
        return Err(CallError::TooDeep { parameter });
    }
    Ok(())
}

/// The value of a parameter that is left out: only an `Option` has one.
pub(super) fn absent<T: DeserializeOwned>() -> Option<T> {
    T::deserialize(Absent).ok()
}

/// How many lists and objects of that JSON stand within one another.
fn depth(json: &[u8]) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let (mut in_string, mut escaped) = (false, false);
    for byte in json {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// Serde's message, without the value that it quotes.
fn without_value(error: &serde_json::Error, parameter: &Parameter) -> String {
    let message = error.to_string();
    let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(text, _)| text);
    if let Some((_, expected)) = message.rsplit_once(", expected ") {
        return format!("expected {expected}");
    }
    if message.starts_with("missing field ") || message.starts_with("unknown field ") {
        return message.to_owned();
    }
    format!("not a valid `{}`", parameter.type_name)
}

fn unknown(name: &str, parameters: &[Parameter]) -> String {
    let nearest = parameters
        .iter()
        .map(|parameter| (distance(name, parameter.wire), parameter.wire))
        .min()
        .filter(|(distance, wire)| *distance <= wire.chars().count().div_ceil(3));
    if let Some((_, wire)) = nearest {
        return format!("no such parameter; did you mean `{wire}`?");
    }
    let names: Vec<_> = parameters.iter().map(|p| format!("`{}`", p.wire)).collect();
    match names.as_slice() {
        [] => "no such parameter; there are none".to_owned(),
        names => format!("no such parameter; there are {}", names.join(", ")),
    }
}

/// How many letters to change, add, drop or swap with their neighbour.
pub(crate) fn distance(left: &str, right: &str) -> usize {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    let mut rows = vec![(0..=right.len()).collect::<Vec<_>>()];
    for (i, a) in left.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in right.iter().enumerate() {
            let changed = rows[i][j] + usize::from(a != b);
            let mut least = changed.min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == right[j - 1] && left[i - 1] == *b {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[left.len()][right.len()]
}

/// An object as its members, in order, repeated names and all.
struct Object(Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = Object;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Object(members))
            }
        }

        deserializer.deserialize_map(Reader)
    }
}

/// Nothing at all: an `Option` reads none from it, any other type an error.
struct Absent;

impl<'de> Deserializer<'de> for Absent {
    type Error = ValueError;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, ValueError> {
        Err(ValueError::custom("missing"))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        visitor.visit_none()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}
