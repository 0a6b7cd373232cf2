//! The node of a value as JSON: of what `serde_json` would write for it, without writing it.
//!
//! `serde_json::Value` is not used, and neither is the order of its `Map`: the node is the same
//! with and without `preserve_order` and `arbitrary_precision`. With the latter, numbers arrive as
//! a struct of a magic name that holds their text; raw values always do.

mod compound;
mod name;
mod text;

use std::fmt;

use serde::Serialize;
use serde::ser::{self, Serializer};

use super::members::Members;
use super::text::{push_display, push_hex, push_quoted};
use super::{KeyError, MAX_DEPTH};
use compound::{List, Magic, Object, Struct};
use text::{Integers, push_number};

/// The names under which `serde_json` hands over the text of numbers and of raw values.
const NUMBER: &str = "$serde_json::private::Number";
const RAW_VALUE: &str = "$serde_json::private::RawValue";

/// The node of a value as JSON.
pub(super) fn node_of<T: Serialize + ?Sized>(value: &T) -> Result<String, KeyError> {
    let mut text = String::new();
    value.serialize(Json { text: &mut text, depth: 0 }).map_err(|Refused(error)| error)?;
    Ok(text)
}

/// A value refused to be serialized, or was refused.
#[derive(Debug)]
struct Refused(KeyError);

impl Refused {
    fn not_json() -> Self {
        Self(KeyError::NotJson { path: String::new() })
    }

    fn within(self, segment: &str) -> Self {
        Self(self.0.within(segment))
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Refused {}

impl ser::Error for Refused {
    /// The message may show a value, so it goes no further.
    fn custom<T: fmt::Display>(_message: T) -> Self {
        Self::not_json()
    }
}

/// Appends a float; zero has one form.
fn push_float(text: &mut String, value: f64) -> Result<(), KeyError> {
    if !value.is_finite() {
        return Err(KeyError::NotFinite { path: String::new() });
    }
    let bits = if value == 0.0 { 0 } else { value.to_bits() };
    text.push_str(r#"["f",""#);
    push_hex(text, bits.to_be_bytes());
    text.push_str("\"]");
    Ok(())
}

/// The place of one node.
struct Json<'a> {
    text: &'a mut String,
    depth: usize,
}

impl<'a> Json<'a> {
    fn integer(self, value: impl fmt::Display) -> Result<(), Refused> {
        self.text.push_str(r#"["i",""#);
        push_display(self.text, value);
        self.text.push_str("\"]");
        Ok(())
    }

    fn deeper(self) -> Result<Self, Refused> {
        if self.depth == MAX_DEPTH {
            return Err(Refused(KeyError::TooDeep { path: String::new() }));
        }
        Ok(Self { depth: self.depth + 1, ..self })
    }

    fn list(self) -> Result<List<'a>, Refused> {
        let Json { text, depth } = self.deeper()?;
        text.push_str(r#"["l",["#);
        Ok(List { start: text.len(), count: 0, close: "]]", variant: None, text, depth })
    }

    fn object(self) -> Result<Object<'a>, Refused> {
        let Json { text, depth } = self.deeper()?;
        text.push_str(r#"["o",["#);
        let members = Members::new(text);
        Ok(Object { text, depth, members, name: None, close: "]]", variant: None })
    }

    /// Begins an object with one member, called as the variant.
    fn variant(self, variant: &'static str) -> Result<Self, Refused> {
        let json = self.deeper()?;
        json.text.push_str(r#"["o",[["#);
        push_quoted(json.text, variant);
        json.text.push(',');
        Ok(json)
    }
}

macro_rules! integers {
    ($($method:ident: $type:ty),+) => {$(
        fn $method(self, value: $type) -> Result<(), Refused> {
            self.integer(value)
        }
    )+};
}

impl<'a> Serializer for Json<'a> {
    type Ok = ();
    type Error = Refused;
    type SerializeSeq = List<'a>;
    type SerializeTuple = List<'a>;
    type SerializeTupleStruct = List<'a>;
    type SerializeTupleVariant = List<'a>;
    type SerializeMap = Object<'a>;
    type SerializeStruct = Struct<'a>;
    type SerializeStructVariant = Object<'a>;

    fn serialize_bool(self, value: bool) -> Result<(), Refused> {
        self.text.push_str(if value { r#"["b","1"]"# } else { r#"["b","0"]"# });
        Ok(())
    }

    integers!(
        serialize_i8: i8,
        serialize_i16: i16,
        serialize_i32: i32,
        serialize_i64: i64,
        serialize_i128: i128,
        serialize_u8: u8,
        serialize_u16: u16,
        serialize_u32: u32,
        serialize_u64: u64,
        serialize_u128: u128
    );

    fn serialize_f32(self, value: f32) -> Result<(), Refused> {
        if !value.is_finite() {
            return self.serialize_f64(f64::NAN);
        }
        // JSON has the shortest digits of the narrow type, which a reader takes as the wide one.
        // There may be two such texts; what counts is the one that is recorded.
        let text = serde_json::to_string(&value).map_err(|_| Refused::not_json())?;
        push_number(self.text, &text, Integers::Any).map_err(Refused)
    }

    fn serialize_f64(self, value: f64) -> Result<(), Refused> {
        push_float(self.text, value).map_err(Refused)
    }

    fn serialize_char(self, value: char) -> Result<(), Refused> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<(), Refused> {
        self.text.push_str(r#"["s","#);
        push_quoted(self.text, value);
        self.text.push(']');
        Ok(())
    }

    /// JSON has no bytes: they are a list of integers.
    fn serialize_bytes(self, value: &[u8]) -> Result<(), Refused> {
        self.collect_seq(value)
    }

    fn serialize_none(self) -> Result<(), Refused> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Refused> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Refused> {
        self.text.push_str(r#"["n"]"#);
        Ok(())
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<(), Refused> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<(), Refused> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<(), Refused> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Refused> {
        let mut object = self.object()?;
        object.member(variant.to_owned(), value, variant)?;
        object.close()
    }

    fn serialize_seq(self, _length: Option<usize>) -> Result<List<'a>, Refused> {
        self.list()
    }

    fn serialize_tuple(self, _length: usize) -> Result<List<'a>, Refused> {
        self.list()
    }

    fn serialize_tuple_struct(
        self,
        _name: &'static str,
        _length: usize,
    ) -> Result<List<'a>, Refused> {
        self.list()
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _length: usize,
    ) -> Result<List<'a>, Refused> {
        let list = self.variant(variant)?.list()?;
        Ok(List { close: "]]]]]", variant: Some(variant), ..list })
    }

    fn serialize_map(self, _length: Option<usize>) -> Result<Object<'a>, Refused> {
        self.object()
    }

    fn serialize_struct(self, name: &'static str, _length: usize) -> Result<Struct<'a>, Refused> {
        Ok(match name {
            NUMBER => Struct::Text(self, Magic::Number),
            RAW_VALUE => Struct::Text(self, Magic::RawValue),
            _ => Struct::Object(self.object()?),
        })
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _length: usize,
    ) -> Result<Object<'a>, Refused> {
        let object = self.variant(variant)?.object()?;
        Ok(Object { close: "]]]]]", variant: Some(variant), ..object })
    }
}
