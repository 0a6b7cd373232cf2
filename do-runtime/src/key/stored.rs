//! Preimages read back: arrays and strings, nothing else.

use super::MAX_DEPTH;
use super::text::push_quoted;

/// A node takes at most three arrays: itself, its list, and an entry of that.
const MAX_ARRAYS: usize = 3 * (MAX_DEPTH + 1);

/// An array or a string.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stored {
    Text(String),
    List(Vec<Self>),
}

impl Stored {
    /// Reads a text that was written here; none if it was not.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut rest = text;
        let stored = read(&mut rest, MAX_ARRAYS)?;
        rest.is_empty().then_some(stored)
    }

    /// The array.
    pub(super) fn as_list(&self) -> Option<&[Self]> {
        match self {
            Self::Text(_) => None,
            Self::List(items) => Some(items),
        }
    }

    /// Writes it as it was.
    pub(super) fn push(&self, out: &mut String) {
        match self {
            Self::Text(text) => push_quoted(out, text),
            Self::List(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    item.push(out);
                }
                out.push(']');
            }
        }
    }
}

fn read(rest: &mut &str, arrays: usize) -> Option<Stored> {
    if rest.starts_with('"') {
        return read_string(rest).map(Stored::Text);
    }
    let arrays = arrays.checked_sub(1)?;
    *rest = rest.strip_prefix('[')?;
    let mut items = Vec::new();
    loop {
        if let Some(after) = rest.strip_prefix(']') {
            *rest = after;
            return Some(Stored::List(items));
        }
        if !items.is_empty() {
            *rest = rest.strip_prefix(',')?;
        }
        items.push(read(rest, arrays)?);
    }
}

fn read_string(rest: &mut &str) -> Option<String> {
    let mut escaped = false;
    let end = rest.bytes().skip(1).position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })?;
    // Both quotes.
    let (literal, after) = rest.split_at(end + 2);
    let string: String = serde_json::from_str(literal).ok()?;
    let mut again = String::with_capacity(literal.len());
    push_quoted(&mut again, &string);
    *rest = after;
    (again == literal).then_some(string)
}
