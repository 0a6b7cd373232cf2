//! The tests of the crate from outside, in one binary.

#![expect(clippy::expect_used, reason = "an expectation that fails is a test that fails")]

mod memory;
mod planted;
#[cfg(feature = "sqlx")]
mod sqlite;

/// A file beside this one that no `mod` line names would be no test at all.
#[test]
fn every_file_is_listed() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suite");
    let listed: Vec<&str> = include_str!("main.rs")
        .lines()
        .filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'))
        .collect();
    for entry in std::fs::read_dir(folder).expect("this folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name");
        assert!(name == "main" || listed.contains(&name), "`mod {name};` is missing");
    }
}
