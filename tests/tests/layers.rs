//! What the sources must keep to: which module may use which, and the rules that no lint knows.
//!
//! The sources are read as tokens, so a word in a comment or in a text is not taken for code.

mod bad_samples;
mod rules;
mod source;
mod table;

use crate::workspace::{CRATES, read, rust_files};
use rules::Finding;
use source::Source;

#[test]
fn no_module_uses_one_above_it() {
    demand(&library(), &[table::layering]);
}

#[test]
fn each_module_keeps_to_its_task() {
    let rules: [fn(&Source) -> Vec<Finding>; 5] =
        [rules::sql, rules::time, rules::randomness, rules::pure_record, rules::no_concrete_store];
    demand(&library(), &rules);
}

#[test]
fn no_shortcut_in_library_code() {
    demand(&library(), &[rules::panics, rules::allowed_lints, rules::left_open]);
}

#[test]
fn every_file_says_what_it_does_and_stays_small() {
    let mut files: Vec<Source> = CRATES.iter().flat_map(|name| sources(name)).collect();
    // One crate lies within another's folder.
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files.dedup_by(|a, b| a.path == b.path);
    let long: Vec<_> = files.iter().filter_map(rules::worth_a_look).collect();
    if !long.is_empty() {
        println!("over {} lines, worth a look:\n  {}", rules::LOOK_HARD, long.join("\n  "));
    }
    demand(
        &files,
        &[
            rules::first_line,
            rules::file_length,
            rules::function_length,
            rules::names,
            rules::no_unsafe,
        ],
    );
}

/// The two crates that users depend on.
fn library() -> Vec<Source> {
    ["do-macros/src", "do-runtime/src"].iter().flat_map(|folder| sources(folder)).collect()
}

fn sources(folder: &str) -> Vec<Source> {
    rust_files(folder).iter().map(|path| Source::new(path, &read(path))).collect()
}

fn demand(files: &[Source], rules: &[fn(&Source) -> Vec<Finding>]) {
    assert!(!files.is_empty(), "no sources were found");
    let mut found: Vec<String> = files
        .iter()
        .flat_map(|file| rules.iter().flat_map(move |rule| rule(file)).map(|f| f.shown(file)))
        .collect();
    found.sort();
    found.dedup();
    assert!(found.is_empty(), "{} findings:\n{}", found.len(), found.join("\n"));
}
