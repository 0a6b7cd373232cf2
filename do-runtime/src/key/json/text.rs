//! The node of a JSON text: of a raw value, and of a number that arrives as text.

use super::push_float;
use crate::key::members::{Members, Twice};
use crate::key::text::push_quoted;
use crate::key::{KeyError, MAX_DEPTH};

/// Which integers keep their digits; the others are floats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Integers {
    /// Those of `i64` and `u64`.
    UpTo64Bits,
    /// All.
    Any,
}

/// Appends the node of a JSON number.
pub(super) fn push_number(
    out: &mut String,
    number: &str,
    integers: Integers,
) -> Result<(), KeyError> {
    let digits = number.strip_prefix('-').unwrap_or(number);
    let is_integer = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let fits = || number.parse::<u64>().is_ok() || number.parse::<i64>().is_ok();
    // JSON's minus zero is a float.
    if is_integer && number != "-0" && (integers == Integers::Any || fits()) {
        out.push_str(r#"["i",""#);
        out.push_str(number);
        out.push_str("\"]");
        return Ok(());
    }
    push_float(out, number.parse().map_err(|_| not_json())?)
}

/// Appends the node of a JSON text that stands within `depth` lists and objects.
pub(super) fn push_text(out: &mut String, json: &str, depth: usize) -> Result<(), KeyError> {
    let mut reader = Reader { rest: json };
    reader.value(out, depth)?;
    if reader.peek().is_some() { Err(not_json()) } else { Ok(()) }
}

fn not_json() -> KeyError {
    KeyError::NotJson { path: String::new() }
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn value(&mut self, out: &mut String, depth: usize) -> Result<(), KeyError> {
        match self.peek().ok_or_else(not_json)? {
            b'n' => self.word("null", out, r#"["n"]"#),
            b't' => self.word("true", out, r#"["b","1"]"#),
            b'f' => self.word("false", out, r#"["b","0"]"#),
            b'"' => {
                let string = self.string()?;
                out.push_str(r#"["s","#);
                push_quoted(out, &string);
                out.push(']');
                Ok(())
            }
            b'[' | b'{' if depth == MAX_DEPTH => Err(KeyError::TooDeep { path: String::new() }),
            b'[' => self.array(out, depth + 1),
            b'{' => self.object(out, depth + 1),
            _ => {
                let ends = |c: char| !matches!(c, '0'..='9' | '+' | '-' | '.' | 'e' | 'E');
                let end = self.rest.find(ends).unwrap_or(self.rest.len());
                push_number(out, self.take(end), Integers::Any)
            }
        }
    }

    fn array(&mut self, out: &mut String, depth: usize) -> Result<(), KeyError> {
        out.push_str(r#"["l",["#);
        self.expect(b'[')?;
        for at in 0.. {
            if !self.another(at, b']')? {
                break;
            }
            if at > 0 {
                out.push(',');
            }
            self.value(out, depth).map_err(|error| error.within(&format!("[{at}]")))?;
        }
        out.push_str("]]");
        Ok(())
    }

    fn object(&mut self, out: &mut String, depth: usize) -> Result<(), KeyError> {
        out.push_str(r#"["o",["#);
        let mut members = Members::new(out);
        self.expect(b'{')?;
        for at in 0.. {
            if !self.another(at, b'}')? {
                break;
            }
            if self.peek() != Some(b'"') {
                return Err(not_json());
            }
            members.begin(out, self.string()?);
            self.expect(b':')?;
            self.value(out, depth).map_err(|error| error.within("[_]"))?;
            members.end_unless_null(out);
        }
        members.sort(out).map_err(|Twice(_)| KeyError::EntryTwice { path: String::new() })?;
        out.push_str("]]");
        Ok(())
    }

    /// Whether another item follows, after the comma that must stand before all but the first.
    fn another(&mut self, at: usize, close: u8) -> Result<bool, KeyError> {
        if self.peek() == Some(close) {
            self.take(1);
            return Ok(false);
        }
        if at > 0 {
            self.expect(b',')?;
        }
        Ok(true)
    }

    fn string(&mut self) -> Result<String, KeyError> {
        let mut escaped = false;
        let end = self.rest.bytes().skip(1).position(|byte| {
            let ends = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            ends
        });
        // Both quotes.
        let literal = self.take(end.ok_or_else(not_json)? + 2);
        serde_json::from_str(literal).map_err(|_| not_json())
    }

    fn word(&mut self, word: &str, out: &mut String, node: &str) -> Result<(), KeyError> {
        self.rest = self.rest.strip_prefix(word).ok_or_else(not_json)?;
        out.push_str(node);
        Ok(())
    }

    fn expect(&mut self, byte: u8) -> Result<(), KeyError> {
        if self.peek() != Some(byte) {
            return Err(not_json());
        }
        self.take(1);
        Ok(())
    }

    /// The next byte that is not white space, without taking it.
    fn peek(&mut self) -> Option<u8> {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
        self.rest.bytes().next()
    }

    /// Takes that many bytes, which end at an ASCII character.
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        taken
    }
}
