//! Functions that must compile, in each edition, under lints that are errors, and without a lint
//! that what the attribute generates sets off.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::scratch::{Report, Scratch, repository, text};

/// The most lines that one action may become.
const BUDGET: usize = 120;

/// Cases whose body needs the newest edition.
const NEWEST_ONLY: [&str; 1] = ["P41"];

#[test]
fn what_must_compile_compiles() {
    let cases = cases();
    let older: Vec<PathBuf> = cases.iter().filter(|case| !is_newest_only(case)).cloned().collect();
    let mut scratch = Scratch::new();
    scratch.cases("edition-2018", 2018, &older);
    scratch.cases("edition-2021", 2021, &older);
    scratch.cases("edition-2024", 2024, &cases);
    scratch.library("documented", &crates().join("documented.rs"), "do-runtime");
    scratch.library("renamed", &crates().join("renamed.rs"), "actions");
    let report = scratch.run("check");
    report.assert_success();
    an_action_stays_small(&report);
    let report = scratch.run("clippy");
    no_lint_comes_from_generated_code(&report);
}

fn an_action_stays_small(report: &Report) {
    let runtime = report.artifact("do_runtime");
    let folder = runtime.parent().unwrap();
    let source = crates().join("budget.rs");
    let expanded = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        .args(["--edition=2024", "--crate-type=lib", "-Zunpretty=expanded"])
        .arg(format!("-Ldependency={}", folder.display()))
        .arg(format!("--extern=do_runtime={}", runtime.display()))
        .arg(&source)
        // Printing an expansion is not stable; nothing is built this way.
        .env("RUSTC_BOOTSTRAP", "1")
        .output()
        .unwrap();
    let text = String::from_utf8(expanded.stdout).unwrap();
    assert!(expanded.status.success(), "{}", String::from_utf8_lossy(&expanded.stderr));
    let action = text.split_once("pub struct Crm;").unwrap().1;
    let lines = action.trim().lines().count();
    assert!(lines <= BUDGET, "one action is {lines} lines, more than {BUDGET}:\n{action}");
}

/// The cases themselves are full of what clippy's strictest groups dislike.
fn no_lint_comes_from_generated_code(report: &Report) {
    assert!(report.diagnostics().next().is_some(), "clippy did not run");
    let generated: String = report
        .diagnostics()
        .filter(|diagnostic| {
            let spans = diagnostic["spans"].as_array().map(Vec::as_slice).unwrap_or_default();
            spans.iter().any(|span| span["is_primary"] == true && is_expansion(span))
        })
        .map(|diagnostic| text(&diagnostic["rendered"]))
        .collect();
    assert!(generated.is_empty(), "{generated}");
}

/// Whether a span lies in what the attribute wrote.
fn is_expansion(span: &Value) -> bool {
    let expansion = &span["expansion"];
    expansion.is_object()
        && (text(&expansion["macro_decl_name"]).contains("action")
            || is_expansion(&expansion["span"]))
}

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("compile/pass");
    let mut cases: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    cases
}

fn crates() -> PathBuf {
    repository().join("tests/compile/crates")
}

fn is_newest_only(case: &Path) -> bool {
    let name = case.file_stem().unwrap().to_str().unwrap();
    NEWEST_ONLY.contains(&name)
}
