//! Every rule must be able to fail: a sample that breaks it, and one beside it that does not.

use super::rules::{self, Finding};
use super::source::Source;
use super::table::layering;

type Rule = fn(&Source) -> Vec<Finding>;

#[track_caller]
fn check(rule: Rule, path: &str, text: &str, lines: &[usize]) {
    let found: Vec<usize> =
        rule(&Source::new(path, text)).iter().map(|finding| finding.line).collect();
    assert_eq!(found, lines, "{path}\n{text}");
}

#[test]
fn layers() {
    for (path, text, lines) in [
        ("record/apply.rs", "use crate::store::Store;", &[1][..]),
        ("record/apply.rs", "use crate::policy::Class;", &[]),
        ("policy.rs", "use crate::record::State;", &[1]),
        ("key/mod.rs", "use crate::failure::Failure;", &[1]),
        ("store/mod.rs", "\nuse crate::{audit::A,\n dispatcher::D};", &[3]),
        ("store/mod.rs", "pub use self::memory::Memory;", &[1]),
        ("store/memory.rs", "use super::sqlite::Sqlite;", &[1]),
        ("store/sqlite/writer.rs", "use crate::store::{Store, error::E};", &[]),
        ("store/conformance/model.rs", "use crate::testing::X; use crate::store::memory::M;", &[]),
        ("store/conformance/model.rs", "use crate::dispatcher::D;", &[1]),
        ("store/sqlite/mod.rs", "use crate::store::conformance::H;", &[1]),
        ("rescuer.rs", "fn f() { crate::pruner::run() }", &[1]),
        ("rescuer.rs", "fn f() { crate::fault!(\"page\"); crate::dispatcher::run() }", &[]),
        ("dispatcher/mod.rs", "use super::runtime::Runtime;", &[1]),
        ("clock.rs", "fn f() { println!(\"{}\", crate::testing::hit()) }", &[1]),
        ("clock.rs", "#[cfg(test)]\nmod tests { use crate::testing::X; }", &[]),
        ("testing/mod.rs", "use crate::runtime::Runtime;", &[]),
        ("action/mod.rs", "use crate::Runtime;", &[1]),
        ("action/mod.rs", "/// See `crate::runtime`.\npub struct A;", &[]),
        ("queue.rs", "pub struct Queue;", &[1]),
        ("runtime/mod.rs", "#[cfg(feature = \"x\")]\nuse crate::store::sqlite::Sqlite;", &[]),
    ] {
        check(layering, &format!("do-runtime/src/{path}"), text, lines);
    }
}

#[test]
fn tasks() {
    const DISPATCHER: &str = "do-runtime/src/dispatcher/mod.rs";
    const RECORD: &str = "do-runtime/src/record/state.rs";
    for (rule, path, text, lines) in [
        (
            rules::sql as Rule,
            "do-runtime/src/runtime/read.rs",
            "const A: &str = \"SELECT a FROM b\";",
            &[1][..],
        ),
        (
            rules::sql,
            "do-runtime/src/runtime/read.rs",
            "//! SELECT a FROM b\nconst A: u8 = 1;",
            &[],
        ),
        (
            rules::sql,
            "do-runtime/src/store/sqlite/row.rs",
            "const A: &str = \"SELECT a FROM b\";",
            &[],
        ),
        (rules::time, DISPATCHER, "\nfn f() { let a = std::time::Instant::now(); }", &[2]),
        (rules::time, DISPATCHER, "async fn f() { tokio::time::sleep(GAP).await }", &[1]),
        (rules::time, DISPATCHER, "fn f() { std::thread::sleep(GAP) }", &[1]),
        (rules::time, "do-runtime/src/store/x.rs", "fn f() { std::thread::sleep(GAP) }", &[]),
        (rules::time, DISPATCHER, "fn f(c: &dyn Clock) { c.now(); }", &[]),
        (rules::time, "do-runtime/src/clock.rs", "fn f() { SystemTime::now(); }", &[]),
        (rules::randomness, DISPATCHER, "fn f(b: &mut [u8]) { getrandom::fill(b); }", &[1]),
        (rules::randomness, DISPATCHER, "use crate::randomness::Randomness;", &[]),
        (rules::pure_record, RECORD, "use crate::clock::Clock;", &[1]),
        (rules::pure_record, RECORD, "use crate::clock::Timestamp;", &[]),
        (rules::no_concrete_store, DISPATCHER, "use crate::store::{Store, memory::Memory};", &[1]),
        (rules::no_concrete_store, DISPATCHER, "fn f(e: sqlx::Error) {}", &[1]),
        (rules::no_concrete_store, DISPATCHER, "use crate::store::Store;", &[]),
    ] {
        check(rule, path, text, lines);
    }
}

#[test]
fn shortcuts() {
    const LIBRARY: &str = "do-runtime/src/key/mod.rs";
    for (rule, path, text, lines) in [
        (rules::panics as Rule, LIBRARY, "fn f() {\n    x.unwrap();\n}", &[2][..]),
        (
            rules::panics,
            LIBRARY,
            "fn f() {\n    // Never none: set above.\n    x.unwrap();\n}",
            &[],
        ),
        (rules::panics, LIBRARY, "#[cfg(test)]\nmod tests {\n    fn f() { x.unwrap(); }\n}", &[]),
        (rules::panics, "do-runtime/src/failure/tests.rs", "fn f() { x.expect(\"y\"); }", &[]),
        (rules::allowed_lints, LIBRARY, "#[allow(dead_code)]\nfn f() {}", &[1]),
        (rules::allowed_lints, LIBRARY, "#[expect(dead_code)]\nfn f() {}", &[1]),
        (rules::allowed_lints, LIBRARY, "#[expect(dead_code, reason = \"x\")]\nfn f() {}", &[]),
        (rules::left_open, LIBRARY, "fn f() {} // TODO: all of it", &[1]),
    ] {
        check(rule, path, text, lines);
    }
}

#[test]
fn files() {
    let long = |lines: usize| format!("fn f() {{\n{}}}\n", "    g();\n".repeat(lines - 2));
    let consts = |lines: usize| "const A: u8 = 1;\n".repeat(lines);
    let tested = format!("{}#[cfg(test)]\nmod tests {{\n}}\n", consts(500));
    for (rule, path, text, lines) in [
        (rules::first_line as Rule, "do-runtime/src/a.rs", "fn f() {}", &[1][..]),
        (rules::first_line, "do-runtime/src/a.rs", "//! Does one thing.\nfn f() {}", &[]),
        (rules::file_length, "do-runtime/src/a.rs", &consts(501), &[1]),
        (rules::file_length, "do-runtime/src/a.rs", &consts(500), &[]),
        (rules::file_length, "do-runtime/src/a.rs", &tested, &[]),
        (rules::function_length, "do-runtime/src/a.rs", &long(71), &[1]),
        (rules::function_length, "do-runtime/src/a.rs", &long(70), &[]),
        (rules::names, "do-runtime/src/helpers/a.rs", "", &[1]),
        (rules::names, "do-runtime/src/misc.rs", "", &[1]),
        (rules::names, "do-runtime/src/commonplace.rs", "", &[]),
        (rules::no_unsafe, "do-runtime/src/a.rs", "fn f() { unsafe { g() } }", &[1]),
        (rules::no_unsafe, "do-runtime/src/a.rs", "//! Nothing unsafe.\nfn f() {}", &[]),
    ] {
        check(rule, path, text, lines);
    }
}
