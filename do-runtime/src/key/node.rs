//! Writing nodes: the only way to make the text that is hashed.

use std::fmt;
use std::ops::Range;

use super::KeyError;
use super::buffer::Buffer;
use super::members::{Members, Twice, reorder};
use super::part::{KeyPart, PartKind};
use super::text::{push_display, push_hex, push_quoted, push_uuid};

/// The place of one node. Every method writes exactly one and takes the place.
#[must_use = "a part of a key writes exactly one node"]
pub struct Node<'a> {
    pub(super) buffer: &'a mut Buffer,
}

/// The proof that a node was written.
#[derive(Debug)]
pub struct Written {
    _private: (),
}

pub(super) const WRITTEN: Written = Written { _private: () };

impl Node<'_> {
    /// `["n"]`: nothing, within a list or a map. A field that is `None` is left out.
    pub fn null(self) -> Written {
        self.buffer.text.push_str(r#"["n"]"#);
        WRITTEN
    }

    /// `["b","1"]`.
    pub fn bool(self, value: bool) -> Written {
        self.buffer.text.push_str(if value { r#"["b","1"]"# } else { r#"["b","0"]"# });
        WRITTEN
    }

    /// `["i","-12"]`.
    pub fn integer(self, value: i128) -> Written {
        // The narrow type is written faster, and nearly all integers fit.
        match i64::try_from(value) {
            Ok(narrow) => self.plain("i", narrow),
            Err(_) => self.plain("i", value),
        }
    }

    /// `["i","12"]`, also beyond what [`integer`](Self::integer) takes.
    pub fn unsigned(self, value: u128) -> Written {
        match u64::try_from(value) {
            Ok(narrow) => self.plain("i", narrow),
            Err(_) => self.plain("i", value),
        }
    }

    /// `["d","1.5"]`: a mantissa and how many of its digits follow the point, so `150` and `2`
    /// are the same as `15` and `1`.
    pub fn decimal(self, mantissa: i128, scale: u32) -> Written {
        let mut digits = mantissa.unsigned_abs();
        let mut places = if digits == 0 { 0 } else { scale as usize };
        while places > 0 && digits.is_multiple_of(10) {
            digits /= 10;
            places -= 1;
        }
        let text = &mut self.buffer.text;
        text.push_str(r#"["d",""#);
        if mantissa < 0 {
            text.push('-');
        }
        let digits = format!("{digits:0>width$}", width = places + 1);
        let (whole, fraction) = digits.split_at(digits.len() - places);
        text.push_str(whole);
        if !fraction.is_empty() {
            text.push('.');
            text.push_str(fraction);
        }
        text.push_str("\"]");
        WRITTEN
    }

    /// `["s","text"]`, taken as it is.
    pub fn string(self, value: &str) -> Written {
        let text = &mut self.buffer.text;
        text.push_str(r#"["s","#);
        push_quoted(text, value);
        text.push(']');
        WRITTEN
    }

    /// `["x","00ff"]`.
    pub fn bytes(self, value: impl IntoIterator<Item = u8>) -> Written {
        let text = &mut self.buffer.text;
        text.push_str(r#"["x",""#);
        push_hex(text, value);
        text.push_str("\"]");
        WRITTEN
    }

    /// `["u","8e03978e-…"]`.
    pub fn uuid(self, value: [u8; 16]) -> Written {
        let text = &mut self.buffer.text;
        text.push_str(r#"["u",""#);
        push_uuid(text, value);
        text.push_str("\"]");
        WRITTEN
    }

    /// `["t","1796…"]`: an instant, in nanoseconds since 1970 UTC.
    pub fn instant(self, nanoseconds: i128) -> Written {
        match i64::try_from(nanoseconds) {
            Ok(narrow) => self.plain("t", narrow),
            Err(_) => self.plain("t", nanoseconds),
        }
    }

    /// `["l",[…]]`: a list or an array; of bytes, `["x",…]`.
    pub fn list<'v, T>(self, items: impl IntoIterator<Item = &'v T>) -> Written
    where
        T: KeyPart + 'v,
    {
        if T::Kind::IS_BYTE {
            return self.bytes(items.into_iter().filter_map(T::as_byte));
        }
        self.tuple(|list| {
            for item in items {
                list.item(item);
            }
        })
    }

    /// `["l",[…]]` of items of several types.
    pub fn tuple(self, write: impl FnOnce(&mut Items<'_>)) -> Written {
        self.buffer.nest(r#"["l",["#, "]]", |buffer| {
            let start = buffer.text.len();
            write(&mut Items { buffer, start });
        })
    }

    /// `["S",[…]]`: a set, sorted, without what is there twice.
    pub fn set<'v, T>(self, items: impl IntoIterator<Item = &'v T>) -> Written
    where
        T: KeyPart + ?Sized + 'v,
    {
        self.buffer.nest(r#"["S",["#, "]]", |buffer| {
            let start = buffer.text.len();
            let mut places: Vec<Range<usize>> = Vec::new();
            for item in items {
                buffer.comma_after(start);
                let begin = buffer.text.len();
                let Written { .. } = item.write(buffer.node());
                places.push(begin..buffer.text.len());
            }
            let text = &mut buffer.text;
            if !places.is_sorted_by(|a, b| text[a.clone()] < text[b.clone()]) {
                places.sort_by(|a, b| text[a.clone()].cmp(&text[b.clone()]));
                places.dedup_by(|a, b| text[a.clone()] == text[b.clone()]);
                reorder(text, start, places.into_iter());
            }
        })
    }

    /// `["m",[[key,value],…]]`: a map, sorted by the encoded key. Two entries with one key are
    /// refused.
    pub fn map<'v, K, V>(self, entries: impl IntoIterator<Item = (&'v K, &'v V)>) -> Written
    where
        K: KeyPart + ?Sized + 'v,
        V: KeyPart + ?Sized + 'v,
    {
        self.buffer.nest(r#"["m",["#, "]]", |buffer| {
            let start = buffer.text.len();
            // Where the entry begins, where its key ends, where it ends.
            let mut places: Vec<(usize, usize, usize)> = Vec::new();
            for (key, value) in entries {
                buffer.comma_after(start);
                let begin = buffer.text.len();
                buffer.text.push('[');
                let Written { .. } = key.write(buffer.node());
                let middle = buffer.text.len();
                buffer.text.push(',');
                let Written { .. } = value.write(buffer.node());
                buffer.text.push(']');
                places.push((begin, middle, buffer.text.len()));
            }
            let text = &mut buffer.text;
            if places.is_sorted_by(|a, b| text[a.0..a.1] < text[b.0..b.1]) {
                return;
            }
            places.sort_by(|a, b| text[a.0..a.1].cmp(&text[b.0..b.1]));
            let twice =
                places.windows(2).any(|two| text[two[0].0..two[0].1] == text[two[1].0..two[1].1]);
            reorder(text, start, places.into_iter().map(|(begin, _, end)| begin..end));
            if twice {
                buffer.refuse(KeyError::EntryTwice { path: String::new() });
            }
        })
    }

    /// `["o",[[field,node],…]]`: a struct. The fields may be written in any order.
    pub fn fields(self, write: impl FnOnce(&mut Fields<'_>)) -> Written {
        self.buffer.nest(r#"["o",["#, "]]", |buffer| {
            let members = Members::new(&buffer.text);
            let mut fields = Fields { buffer, members };
            write(&mut fields);
            let Fields { buffer, members } = fields;
            if let Err(Twice(name)) = members.sort(&mut buffer.text) {
                buffer.refuse(KeyError::FieldTwice { name: name.to_owned() });
            }
        })
    }

    /// `["e","Variant"]`.
    pub fn variant(self, name: &str) -> Written {
        let text = &mut self.buffer.text;
        text.push_str(r#"["e","#);
        push_quoted(text, name);
        text.push(']');
        WRITTEN
    }

    /// `["e","Variant",node]`.
    pub fn variant_with(self, name: &str, payload: impl FnOnce(Node<'_>) -> Written) -> Written {
        self.buffer.nest(r#"["e","#, "]", |buffer| {
            push_quoted(&mut buffer.text, name);
            buffer.text.push(',');
            let Written { .. } = payload(buffer.node());
        })
    }

    fn plain(self, letter: &str, value: impl fmt::Display) -> Written {
        let text = &mut self.buffer.text;
        text.push_str("[\"");
        text.push_str(letter);
        text.push_str("\",\"");
        push_display(text, value);
        text.push_str("\"]");
        WRITTEN
    }
}

/// The items of a list or tuple.
pub struct Items<'a> {
    buffer: &'a mut Buffer,
    start: usize,
}

impl Items<'_> {
    /// Appends an item; `None` is null.
    pub fn item<T: KeyPart + ?Sized>(&mut self, value: &T) -> &mut Self {
        self.buffer.comma_after(self.start);
        let Written { .. } = value.write(self.buffer.node());
        self
    }
}

/// The fields of a struct.
pub struct Fields<'a> {
    buffer: &'a mut Buffer,
    members: Members<&'static str>,
}

impl Fields<'_> {
    /// Adds a field; `None` is left out.
    pub fn field<T: KeyPart + ?Sized>(&mut self, name: &'static str, value: &T) -> &mut Self {
        if !value.is_none() {
            self.members.begin(&mut self.buffer.text, name);
            let Written { .. } = value.write(self.buffer.node());
            self.members.end(&mut self.buffer.text);
        }
        self
    }
}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Node").finish_non_exhaustive()
    }
}

impl fmt::Debug for Items<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Items").finish_non_exhaustive()
    }
}

impl fmt::Debug for Fields<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fields").finish_non_exhaustive()
    }
}
