//! The name that `serde_json` gives to a map's entry: the text of its key.

use serde::Serialize;
use serde::ser::{Impossible, Serializer};

use super::Refused;
use crate::key::KeyError;

/// Takes what `serde_json` takes as a key, and gives its text.
pub(super) struct NameOf;

macro_rules! displayed {
    ($($method:ident: $type:ty),+) => {$(
        fn $method(self, value: $type) -> Result<String, Refused> {
            Ok(value.to_string())
        }
    )+};
}

macro_rules! refused {
    ($($method:ident($($argument:ty),*) -> $result:ty;)+) => {$(
        fn $method(self, $(_: $argument),*) -> Result<$result, Refused> {
            Err(Refused::not_json())
        }
    )+};
}

impl Serializer for NameOf {
    type Ok = String;
    type Error = Refused;
    type SerializeSeq = Impossible<String, Refused>;
    type SerializeTuple = Impossible<String, Refused>;
    type SerializeTupleStruct = Impossible<String, Refused>;
    type SerializeTupleVariant = Impossible<String, Refused>;
    type SerializeMap = Impossible<String, Refused>;
    type SerializeStruct = Impossible<String, Refused>;
    type SerializeStructVariant = Impossible<String, Refused>;

    displayed!(
        serialize_bool: bool,
        serialize_i8: i8,
        serialize_i16: i16,
        serialize_i32: i32,
        serialize_i64: i64,
        serialize_i128: i128,
        serialize_u8: u8,
        serialize_u16: u16,
        serialize_u32: u32,
        serialize_u64: u64,
        serialize_u128: u128,
        serialize_char: char,
        serialize_str: &str
    );

    fn serialize_f32(self, value: f32) -> Result<String, Refused> {
        float(value.is_finite(), &value)
    }

    fn serialize_f64(self, value: f64) -> Result<String, Refused> {
        float(value.is_finite(), &value)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<String, Refused> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<String, Refused> {
        value.serialize(self)
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<String, Refused> {
        Ok(variant.to_owned())
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _value: &T,
    ) -> Result<String, Refused> {
        Err(Refused::not_json())
    }

    refused! {
        serialize_bytes(&[u8]) -> String;
        serialize_none() -> String;
        serialize_unit() -> String;
        serialize_unit_struct(&'static str) -> String;
        serialize_seq(Option<usize>) -> Self::SerializeSeq;
        serialize_tuple(usize) -> Self::SerializeTuple;
        serialize_tuple_struct(&'static str, usize) -> Self::SerializeTupleStruct;
        serialize_tuple_variant(&'static str, u32, &'static str, usize)
            -> Self::SerializeTupleVariant;
        serialize_map(Option<usize>) -> Self::SerializeMap;
        serialize_struct(&'static str, usize) -> Self::SerializeStruct;
        serialize_struct_variant(&'static str, u32, &'static str, usize)
            -> Self::SerializeStructVariant;
    }
}

/// A float as `serde_json` writes it.
fn float<T: Serialize>(finite: bool, value: &T) -> Result<String, Refused> {
    if !finite {
        return Err(Refused(KeyError::NotFinite { path: String::new() }));
    }
    serde_json::to_string(value).map_err(|_| Refused::not_json())
}
