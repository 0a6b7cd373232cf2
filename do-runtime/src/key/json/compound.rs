//! Lists and objects that are being written, and the structs that stand for a text.

use serde::Serialize;
use serde::ser::{
    SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant,
};

use super::name::NameOf;
use super::text::{Integers, push_number, push_text};
use super::{Json, Refused};
use crate::key::KeyError;
use crate::key::members::{Members, Twice};

/// A list that is being written.
pub(super) struct List<'a> {
    pub(super) text: &'a mut String,
    pub(super) depth: usize,
    pub(super) start: usize,
    pub(super) count: usize,
    pub(super) close: &'static str,
    pub(super) variant: Option<&'static str>,
}

impl List<'_> {
    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Refused> {
        if self.text.len() > self.start {
            self.text.push(',');
        }
        value.serialize(Json { text: self.text, depth: self.depth }).map_err(|refused| {
            let refused = refused.within(&format!("[{}]", self.count));
            match self.variant {
                Some(variant) => refused.within(variant),
                None => refused,
            }
        })?;
        self.count += 1;
        Ok(())
    }

    pub(super) fn close(self) -> Result<(), Refused> {
        self.text.push_str(self.close);
        Ok(())
    }
}

/// An object that is being written.
pub(super) struct Object<'a> {
    pub(super) text: &'a mut String,
    pub(super) depth: usize,
    pub(super) members: Members<String>,
    pub(super) name: Option<String>,
    pub(super) close: &'static str,
    pub(super) variant: Option<&'static str>,
}

impl Object<'_> {
    /// Writes one member, unless it is null.
    pub(super) fn member<T: Serialize + ?Sized>(
        &mut self,
        name: String,
        value: &T,
        segment: &str,
    ) -> Result<(), Refused> {
        self.members.begin(self.text, name);
        value.serialize(Json { text: self.text, depth: self.depth }).map_err(|refused| {
            let refused = refused.within(segment);
            match self.variant {
                Some(variant) => refused.within(variant),
                None => refused,
            }
        })?;
        self.members.end_unless_null(self.text);
        Ok(())
    }

    pub(super) fn close(self) -> Result<(), Refused> {
        self.members.sort(self.text).map_err(|Twice(_)| {
            Refused(KeyError::EntryTwice { path: self.variant.unwrap_or_default().to_owned() })
        })?;
        self.text.push_str(self.close);
        Ok(())
    }
}

/// A struct, or one of the two that stand for a text.
pub(super) enum Struct<'a> {
    Object(Object<'a>),
    Text(Json<'a>, Magic),
}

#[derive(Clone, Copy)]
pub(super) enum Magic {
    Number,
    RawValue,
}

impl SerializeStruct for Struct<'_> {
    type Ok = ();
    type Error = Refused;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Refused> {
        match self {
            Self::Object(object) => object.member(name.to_owned(), value, name),
            Self::Text(json, magic) => {
                let text = value.serialize(NameOf)?;
                match magic {
                    // Without the feature, such an integer is a float before we see it.
                    Magic::Number => push_number(json.text, &text, Integers::UpTo64Bits),
                    Magic::RawValue => push_text(json.text, &text, json.depth),
                }
                .map_err(Refused)
            }
        }
    }

    fn end(self) -> Result<(), Refused> {
        match self {
            Self::Object(object) => object.close(),
            Self::Text(..) => Ok(()),
        }
    }
}

impl SerializeMap for Object<'_> {
    type Ok = ();
    type Error = Refused;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Refused> {
        self.name = Some(key.serialize(NameOf)?);
        Ok(())
    }

    /// A map's key may be personal: its place is shown as `[_]`.
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Refused> {
        let name = self.name.take().ok_or_else(Refused::not_json)?;
        self.member(name, value, "[_]")
    }

    fn end(self) -> Result<(), Refused> {
        self.close()
    }
}

impl SerializeStructVariant for Object<'_> {
    type Ok = ();
    type Error = Refused;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Refused> {
        self.member(name.to_owned(), value, name)
    }

    fn end(self) -> Result<(), Refused> {
        self.close()
    }
}

macro_rules! lists {
    ($($trait:ident::$method:ident),+) => {$(
        impl $trait for List<'_> {
            type Ok = ();
            type Error = Refused;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Refused> {
                self.item(value)
            }

            fn end(self) -> Result<(), Refused> {
                self.close()
            }
        }
    )+};
}

lists!(
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field
);
