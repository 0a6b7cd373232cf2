//! Functions that must be refused. The messages are committed beside them (`TRYBUILD=overwrite`
//! writes them anew), and the table in `carets.rs` says what those must point at.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use crate::carets::CARETS;

#[test]
fn what_must_be_refused_is_told_as_committed() {
    trybuild::TestCases::new().compile_fail("compile/fail/*.rs");
}

#[test]
fn every_caret_stands_under_the_word_to_change() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("compile/fail");
    let mut cases: Vec<PathBuf> =
        fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
    cases.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    cases.sort();
    let names: Vec<_> =
        cases.iter().map(|path| path.file_stem().unwrap().to_str().unwrap()).collect();
    let mut listed: Vec<_> = CARETS.iter().map(|(name, _)| *name).collect();
    listed.sort_unstable();
    assert_eq!(names, listed, "the table in `carets.rs` lists every case");

    let mut wrong = Vec::new();
    for (name, expected) in CARETS {
        let stderr = fs::read_to_string(folder.join(format!("{name}.stderr"))).unwrap();
        let source = fs::read_to_string(folder.join(format!("{name}.rs"))).unwrap();
        let found = carets(&stderr, &source);
        let fits = |(found, expected): (&Caret, &&str)| {
            found.text == **expected || found.to_string() == **expected
        };
        if found.len() != expected.len() || !found.iter().zip(*expected).all(fits) {
            let found: Vec<_> = found.iter().map(Caret::to_string).collect();
            wrong.push(format!("{name}: {found:?}, expected {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Where a caret stands, and the text above it.
struct Caret {
    row: usize,
    column: usize,
    text: String,
}

impl fmt::Display for Caret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.row, self.column, self.text)
    }
}

/// The first caret of each error; the text of one that spans lines is one character.
fn carets(stderr: &str, source: &str) -> Vec<Caret> {
    let mut carets = Vec::new();
    let lines: Vec<&str> = stderr.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        if !(line.starts_with("error: ") || line.starts_with("error[")) {
            continue;
        }
        let block: Vec<&str> =
            lines[at + 1..].iter().copied().take_while(|line| !line.is_empty()).collect();
        let Some((row, column)) = block.first().and_then(|line| place(line)) else { continue };
        let written: Vec<char> = source.lines().nth(row - 1).unwrap().chars().collect();
        let begins = column - 1;
        let length = block.iter().find_map(|line| caret_length(line, begins));
        let ends = (begins + length.unwrap_or(1)).min(written.len());
        let text = written[begins.min(ends)..ends].iter().collect();
        carets.push(Caret { row, column, text });
    }
    carets
}

/// ` --> compile/fail/R01.rs:3:14`
fn place(line: &str) -> Option<(usize, usize)> {
    let (_, place) = line.split_once("--> ")?;
    let mut parts = place.rsplitn(3, ':');
    let column = parts.next()?.parse().ok()?;
    let row = parts.next()?.parse().ok()?;
    Some((row, column))
}

/// The length of the underline that begins at that column: `  |   ^^^^ label`. A part of it may
/// be dashes, where a second label lies over the caret.
fn caret_length(line: &str, begins: usize) -> Option<usize> {
    let (margin, drawn) = line.split_once('|')?;
    if !margin.trim().is_empty() {
        return None;
    }
    let drawn: Vec<char> = drawn.chars().skip(1 + begins).collect();
    let length = drawn.iter().take_while(|drawn| matches!(drawn, '^' | '-')).count();
    drawn[..length].contains(&'^').then_some(length)
}
