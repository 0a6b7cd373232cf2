//! Strings and hexadecimal digits as they stand in a preimage.

use std::fmt::{self, Write as _};

const HEX: &[u8; 16] = b"0123456789abcdef";

/// Appends a JSON string with the escapes that the writers of Rust, TypeScript and Python share.
pub(super) fn push_quoted(out: &mut String, text: &str) {
    out.push('"');
    let mut clean = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte >= 0x20 && byte != b'"' && byte != b'\\' {
            continue;
        }
        // An escaped byte is ASCII, so both its sides are character boundaries.
        out.push_str(&text[clean..at]);
        clean = at + 1;
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            0x08 => out.push_str("\\b"),
            b'\t' => out.push_str("\\t"),
            b'\n' => out.push_str("\\n"),
            0x0c => out.push_str("\\f"),
            b'\r' => out.push_str("\\r"),
            control => {
                out.push_str("\\u00");
                push_hex_byte(out, control);
            }
        }
    }
    out.push_str(&text[clean..]);
    out.push('"');
}

/// Appends two lower-case digits for each byte.
pub(super) fn push_hex(out: &mut String, bytes: impl IntoIterator<Item = u8>) {
    for byte in bytes {
        push_hex_byte(out, byte);
    }
}

fn push_hex_byte(out: &mut String, byte: u8) {
    out.push(char::from(HEX[usize::from(byte >> 4)]));
    out.push(char::from(HEX[usize::from(byte & 15)]));
}

/// Appends a UUID in lower case with its four hyphens.
pub(super) fn push_uuid(out: &mut String, bytes: [u8; 16]) {
    for (at, byte) in bytes.into_iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            out.push('-');
        }
        push_hex_byte(out, byte);
    }
}

/// Appends what a value displays as.
pub(super) fn push_display(out: &mut String, value: impl fmt::Display) {
    // Writing to a `String` cannot fail, and the values given here are numbers.
    let _ = write!(out, "{value}");
}
