//! Files and directories that are there whole or not at all, also after a power loss.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

/// A name that may stand in a path, different for every text: lower-case letters, digits, `-` and
/// `_` as they are, every other byte as `=` and two digits. It has no dot in it.
pub(crate) fn file_name_of(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => char::from(byte).to_string(),
            _ => format!("={byte:02x}"),
        })
        .collect()
}

/// Writes a new file and syncs it.
pub(crate) fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Makes the names in a directory durable.
pub(crate) fn sync_directory(path: &Path) -> io::Result<()> {
    // Windows cannot open a directory as a file and makes names durable by itself.
    if cfg!(windows) { Ok(()) } else { File::open(path)?.sync_all() }
}

/// Moves a synced file or directory to its place, durably.
pub(crate) fn move_synced(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)?;
    to.parent().map_or(Ok(()), sync_directory)
}

#[cfg(test)]
mod tests {
    use super::file_name_of;

    #[test]
    fn names_of_files_are_plain_and_tell_texts_apart() {
        for (text, name) in [
            ("u-10005", "u-10005"),
            ("U-10005", "=55-10005"),
            ("../x", "=2e=2e=2fx"),
            ("a=2e", "a=3d2e"),
            ("é", "=c3=a9"),
        ] {
            assert_eq!(file_name_of(text), name);
        }
    }
}
