//! The text that nodes are written to.

use super::node::{Node, WRITTEN, Written};
use super::{KeyError, KeyPart, MAX_DEPTH};

/// The text so far. What cannot be written is kept as the first refusal, and stops the nesting.
#[derive(Default)]
pub(super) struct Buffer {
    pub(super) text: String,
    depth: usize,
    refused: Option<KeyError>,
}

/// The node of a value.
pub(super) fn node_of<T: KeyPart + ?Sized>(value: &T) -> Result<String, KeyError> {
    let mut buffer = Buffer::default();
    buffer.write(value)?;
    Ok(buffer.text)
}

impl Buffer {
    /// Appends the node of a value.
    pub(super) fn write<T: KeyPart + ?Sized>(&mut self, value: &T) -> Result<(), KeyError> {
        let Written { .. } = value.write(self.node());
        self.refused.take().map_or(Ok(()), Err)
    }

    /// The place of the next node.
    pub(super) fn node(&mut self) -> Node<'_> {
        Node { buffer: self }
    }

    /// Notes why the text is no use; only the first reason counts.
    pub(super) fn refuse(&mut self, error: KeyError) {
        self.refused.get_or_insert(error);
    }

    /// Appends a node that holds others: `["…",` … `]`.
    pub(super) fn nest(
        &mut self,
        open: &str,
        close: &str,
        write: impl FnOnce(&mut Self),
    ) -> Written {
        if self.depth == MAX_DEPTH {
            self.refuse(KeyError::TooDeep { path: String::new() });
        } else {
            self.depth += 1;
            self.text.push_str(open);
            write(self);
            self.text.push_str(close);
            self.depth -= 1;
        }
        WRITTEN
    }

    /// Appends a comma, unless the list that begins at `start` is still empty.
    pub(super) fn comma_after(&mut self, start: usize) {
        if self.text.len() > start {
            self.text.push(',');
        }
    }
}
