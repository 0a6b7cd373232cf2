//! `docs/guarantees.md` names a test for each promise; this keeps the names true.

use std::collections::BTreeSet;

use crate::workspace::{read, root};

/// Where a promise stands that no test shows yet.
const OPEN: &str = "open";

/// One promise.
#[derive(Debug, PartialEq)]
struct Row<'a> {
    id: &'a str,
    tests: Vec<&'a str>,
}

#[test]
fn every_named_test_exists() {
    let text = read("docs/guarantees.md");
    let rows = rows(&text);
    assert!(rows.len() > 100, "docs/guarantees.md has {} rows only", rows.len());
    let missing: Vec<String> = rows
        .iter()
        .flat_map(|row| row.tests.iter().map(move |test| (row.id, test)))
        .filter_map(|(id, test)| problem(test).map(|problem| format!("{id}: {test}: {problem}")))
        .collect();
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    let open: Vec<&str> =
        rows.iter().filter(|row| row.tests.is_empty()).map(|row| row.id).collect();
    println!("{} of {} promises are open: {}", open.len(), rows.len(), open.join(" "));
}

#[test]
fn every_promise_has_its_own_id() {
    let text = read("docs/guarantees.md");
    let mut seen = BTreeSet::new();
    for row in rows(&text) {
        assert!(seen.insert(row.id), "{} stands twice", row.id);
    }
}

#[test]
fn a_name_that_leads_nowhere_is_found() {
    for (test, expected) in [
        ("tests/tests/guarantees.rs::a_name_that_leads_nowhere_is_found", None),
        ("tests/tests/guarantees.rs", None),
        ("tests/tests/guarantees.rs::no_such_test", Some("no such function in the file")),
        ("tests/tests/nothing.rs::every_named_test_exists", Some("no such file")),
        ("every_named_test_exists", Some("no such file")),
    ] {
        assert_eq!(problem(test), expected, "{test}");
    }
}

#[test]
fn a_row_is_an_id_a_promise_and_its_tests() {
    let text = "| id | promise | test |\n|---|---|---|\n| A1 | one `x` thing | `a.rs::b`, `c.rs` |\n\
                | A2 | another | open |\nprose\n";
    assert_eq!(
        rows(text),
        [Row { id: "A1", tests: vec!["a.rs::b", "c.rs"] }, Row { id: "A2", tests: vec![] }]
    );
}

/// The rows of all tables. The last column is `open`, or tests in backticks.
fn rows(text: &str) -> Vec<Row<'_>> {
    let lines = text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| id "));
    lines
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
            let [id, .., last] = cells[..] else { panic!("not a row of promises: {line}") };
            let tests: Vec<&str> = last.split('`').skip(1).step_by(2).collect();
            assert!(!tests.is_empty() || last == OPEN, "{id}: name a test, or say `{OPEN}`");
            Row { id, tests }
        })
        .collect()
}

/// What is wrong with `file::function` or `file`.
fn problem(test: &str) -> Option<&'static str> {
    let (file, function) = match test.split_once("::") {
        Some((file, function)) => (file, Some(function)),
        None => (test, None),
    };
    if !root().join(file).is_file() {
        return Some("no such file");
    }
    let stands = |name: &str| {
        let text = read(file);
        text.contains(&format!("fn {name}(")) || text.contains(&format!("fn {name}<"))
    };
    function.is_some_and(|name| !stands(name)).then_some("no such function in the file")
}
