//! No Rust file lies about unused: each is reached by `mod` lines from a root of its crate, and
//! each folder of tests is one program.

use std::collections::BTreeSet;
use std::path::Path;

use crate::workspace::{CRATES, read, root, rust_files};

#[test]
fn every_source_file_is_part_of_its_crate() {
    for name in CRATES {
        check(&format!("{name}/src"), &["lib.rs", "main.rs"]);
    }
}

#[test]
fn every_test_file_is_part_of_a_program() {
    for name in CRATES {
        let manifest = read(&format!("{name}/Cargo.toml"));
        let named = manifest
            .lines()
            .filter_map(|line| line.strip_prefix("path = \"")?.strip_suffix("/main.rs\""));
        let folders: BTreeSet<&str> = named.chain(["tests"]).collect();
        for folder in folders {
            let folder = format!("{name}/{folder}");
            let roots = if manifest.contains("autotests = false") {
                vec!["main.rs".to_owned()]
            } else {
                programs(&folder)
            };
            assert!(roots.len() <= 1, "{folder}: one program of tests, not {roots:?}");
            check(&folder, &roots.iter().map(String::as_str).collect::<Vec<_>>());
        }
    }
}

#[test]
fn a_mod_line_is_told_from_a_block_and_a_comment() {
    let text =
        "mod plain;\n  pub(crate) mod seen;\n// mod not;\nmod block {\n}\n#[cfg(test)] mod x;";
    assert_eq!(modules(text), ["plain", "seen", "x"]);
}

fn check(folder: &str, roots: &[&str]) {
    let mut reached = BTreeSet::new();
    for name in roots {
        reach(&format!("{folder}/{name}"), &mut reached);
    }
    let unused: Vec<_> =
        rust_files(folder).into_iter().filter(|file| !reached.contains(file)).collect();
    assert!(unused.is_empty(), "no `mod` line leads to {unused:?}");
}

/// Follows the `mod` lines of a file.
fn reach(file: &str, reached: &mut BTreeSet<String>) {
    if !root().join(file).is_file() || !reached.insert(file.to_owned()) {
        return;
    }
    let path = Path::new(file);
    let stem = path.file_stem().unwrap().to_str().unwrap();
    let parent = path.parent().unwrap().to_str().unwrap();
    let folder = match stem {
        "lib" | "main" | "mod" => parent.to_owned(),
        _ => format!("{parent}/{stem}"),
    };
    let text = read(file);
    for elsewhere in
        text.lines().filter_map(|line| line.trim().strip_prefix("#[path = \"")?.strip_suffix("\"]"))
    {
        reach(&format!("{parent}/{elsewhere}"), reached);
    }
    for module in modules(&text) {
        reach(&format!("{folder}/{module}.rs"), reached);
        reach(&format!("{folder}/{module}/mod.rs"), reached);
        // The root of a program of tests keeps its modules beside it, whatever its own name.
        reach(&format!("{parent}/{module}.rs"), reached);
        reach(&format!("{parent}/{module}/mod.rs"), reached);
    }
}

/// The names in `mod name;` lines.
fn modules(text: &str) -> Vec<&str> {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.starts_with("//"))
        .filter_map(|line| line.strip_suffix(';'))
        .filter_map(|line| {
            let (before, name) = line.rsplit_once("mod ")?;
            (before.is_empty() || before.ends_with(' ')).then_some(name)
        })
        .collect()
}

/// The files that cargo takes for programs of tests by itself.
fn programs(folder: &str) -> Vec<String> {
    let files = rust_files(folder);
    let inside = files.iter().filter_map(|file| file.strip_prefix(&format!("{folder}/")));
    inside
        .filter(|name| match name.split_once('/') {
            None => true,
            Some((_, rest)) => rest == "main.rs",
        })
        .map(str::to_owned)
        .collect()
}
