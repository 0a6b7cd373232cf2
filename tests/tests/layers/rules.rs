//! The rules about one file, apart from the layers. Each gives what it found.

use super::source::Source;
use super::table::used_paths;

/// Lines at which a file is worth a look.
pub(crate) const LOOK_HARD: usize = 300;
/// Lines that a file may have without its tests.
const FILE_MAX: usize = 500;
/// Lines that a function may have.
const FUNCTION_MAX: usize = 70;
/// How many lines above a panic its reason may stand.
const REASON_WITHIN: usize = 4;

/// Names that say nothing about what is inside.
const EMPTY_NAMES: [&str; 7] = ["util", "utils", "common", "helper", "helpers", "misc", "types"];

/// Words that occur in SQL and hardly elsewhere, as they stand in a lower-case text.
const SQL: [&str; 9] = [
    "select * ",
    "insert into ",
    "delete from ",
    "create table ",
    "create index ",
    "pragma ",
    "begin immediate",
    "on conflict",
    "returning ",
];

/// What reads a clock or waits for one.
const TIME: [&[&str]; 6] = [
    &["SystemTime", ":", ":", "now"],
    &["Instant", ":", ":", "now"],
    &["Utc", ":", ":", "now"],
    &["time", ":", ":", "sleep"],
    &["time", ":", ":", "timeout"],
    &["time", ":", ":", "interval"],
];

/// A place that breaks a rule.
pub(crate) struct Finding {
    pub(crate) line: usize,
    pub(crate) rule: String,
}

impl Finding {
    pub(crate) fn new(line: usize, rule: impl Into<String>) -> Self {
        Self { line, rule: rule.into() }
    }

    pub(crate) fn shown(&self, file: &Source) -> String {
        format!("{}:{}: {}", file.path, self.line, self.rule)
    }
}

/// Only `store/*` holds SQL.
pub(crate) fn sql(file: &Source) -> Vec<Finding> {
    if file.path.starts_with("do-runtime/src/store/") {
        return Vec::new();
    }
    let texts = file.tokens.iter().filter(|token| token.text.contains('"'));
    texts
        .filter(|token| {
            let text = token.text.to_lowercase();
            let selects = text.contains("select ") && text.contains(" from ");
            selects || SQL.iter().any(|words| text.contains(words))
        })
        .map(|token| Finding::new(token.line, "only `store/*` holds SQL"))
        .collect()
}

/// Only `clock` reads time.
pub(crate) fn time(file: &Source) -> Vec<Finding> {
    if file.path == "do-runtime/src/clock.rs" {
        return Vec::new();
    }
    // Real threads may stand still: a store's, for the lock of another process, and a fault's.
    let module = file.module();
    let blocks = module.first().is_some_and(|name| ["store", "testing"].contains(&&**name));
    let sleeps: &[&[&str]] = if blocks { &[] } else { &[&["thread", ":", ":", "sleep"]] };
    let places = TIME.iter().chain(sleeps).flat_map(|words| file.places(words));
    places.map(|at| at_token(file, at, "only `clock` reads time and waits")).collect()
}

/// Only `randomness` and the stores ask the machine for random bytes, so that a seed decides all.
pub(crate) fn randomness(file: &Source) -> Vec<Finding> {
    let modules = ["randomness", "store"];
    if file.module().first().is_some_and(|module| modules.contains(&&**module)) {
        return Vec::new();
    }
    let words = ["getrandom", "rand", "fastrand", "RandomState"];
    let places = words.iter().flat_map(|word| indexes(file, word));
    places
        .map(|at| at_token(file, at, "only `randomness` and stores ask for random bytes"))
        .collect()
}

/// `record` does no I/O and reads no clock.
pub(crate) fn pure_record(file: &Source) -> Vec<Finding> {
    if file.module().first().is_none_or(|module| module != "record") {
        return Vec::new();
    }
    let words = ["Clock", "File", "TcpStream", "fs", "io", "net", "rusqlite", "sqlx", "tokio"];
    let places = words.iter().flat_map(|word| indexes(file, word));
    places.map(|at| at_token(file, at, "`record` does no I/O and reads no clock")).collect()
}

/// `dispatcher` names no concrete store and no database.
pub(crate) fn no_concrete_store(file: &Source) -> Vec<Finding> {
    if file.module().first().is_none_or(|module| module != "dispatcher") {
        return Vec::new();
    }
    const RULE: &str = "`dispatcher` names no concrete store";
    let stores = ["memory", "sqlite", "postgres", "conformance"];
    let named = used_paths(file).into_iter().filter(|(_, path)| {
        matches!(&path[..], [store, which, ..] if store == "store" && stores.contains(&&**which))
    });
    let drivers = ["rusqlite", "sqlx"].iter().flat_map(|word| indexes(file, word));
    named
        .map(|(line, _)| Finding::new(line, RULE))
        .chain(drivers.map(|at| at_token(file, at, RULE)))
        .collect()
}

/// `unwrap` and `expect` have their invariant beside them. The store's conformance suite is a test
/// and panics as tests do.
pub(crate) fn panics(file: &Source) -> Vec<Finding> {
    if file.path.starts_with("do-runtime/src/store/conformance/") {
        return Vec::new();
    }
    let unwraps = file.places(&[".", "unwrap", "(", ")"]);
    // A parser's own `expect(b'{')` is no panic: that of the standard library takes a text.
    let expects = file
        .places(&[".", "expect", "("])
        .filter(|at| file.tokens[at + 3].text.starts_with(['"', '&']));
    unwraps
        .chain(expects)
        .filter(|at| {
            let line = file.tokens[at + 1].line;
            let near = &file.lines[line.saturating_sub(REASON_WITHIN + 1)..line];
            !near.iter().any(|line| line.contains("reason =") || has_comment(line))
        })
        .map(|at| at_token(file, at + 1, "a panic in library code needs the invariant beside it"))
        .collect()
}

/// A comment, which is not a doc.
fn has_comment(line: &str) -> bool {
    line.trim_start().starts_with("// ") || line.contains(" // ")
}

/// `#[expect(.., reason = "..")]`, never `#[allow(..)]`. What the macros emit is not meant.
pub(crate) fn allowed_lints(file: &Source) -> Vec<Finding> {
    if file.path.starts_with("do-macros/") {
        return Vec::new();
    }
    let allows = file
        .places(&["#", "[", "allow", "("])
        .map(|at| at_token(file, at, "`#[expect(.., reason = \"..\")]` instead of `#[allow(..)]`"));
    let expects = file.places(&["#", "[", "expect", "("]).filter(|at| {
        let inside = file.tokens[*at..].iter().take_while(|token| token.text != "]");
        !inside.into_iter().any(|token| token.text == "reason")
    });
    allows.chain(expects.map(|at| at_token(file, at, "`#[expect(..)]` needs a reason"))).collect()
}

/// Nothing is left open in a comment.
pub(crate) fn left_open(file: &Source) -> Vec<Finding> {
    let marks = ["TODO", "FIXME", "XXX"];
    let lines = file.lines.iter().enumerate();
    lines
        .filter(|(_, line)| marks.iter().any(|mark| line.contains(mark)))
        .map(|(at, _)| Finding::new(at + 1, "left open in the code"))
        .collect()
}

/// A file begins with what it does.
pub(crate) fn first_line(file: &Source) -> Vec<Finding> {
    let says = file.lines.first().is_some_and(|line| line.starts_with("//! "));
    if says { Vec::new() } else { vec![Finding::new(1, "the first line says what the file does")] }
}

/// A file ends at 500 lines without its tests.
pub(crate) fn file_length(file: &Source) -> Vec<Finding> {
    let lines = length(file);
    if lines <= FILE_MAX {
        return Vec::new();
    }
    vec![Finding::new(1, format!("{lines} lines without tests; the end is {FILE_MAX}"))]
}

/// A file that is long enough to ask whether it does one thing.
pub(crate) fn worth_a_look(file: &Source) -> Option<String> {
    let lines = length(file);
    (lines > LOOK_HARD).then(|| format!("{} ({lines})", file.path))
}

/// A function ends at 70 lines.
pub(crate) fn function_length(file: &Source) -> Vec<Finding> {
    let functions = file.functions.iter();
    functions
        .filter(|(first, last)| last - first + 1 > FUNCTION_MAX)
        .map(|(first, last)| {
            let lines = last - first + 1;
            Finding::new(*first, format!("a function of {lines} lines; the end is {FUNCTION_MAX}"))
        })
        .collect()
}

/// No file or folder has a name that says nothing.
pub(crate) fn names(file: &Source) -> Vec<Finding> {
    let path = file.path.strip_suffix(".rs").unwrap_or(&file.path);
    let empty = path.split('/').find(|part| EMPTY_NAMES.contains(part));
    empty.map(|name| Finding::new(1, format!("`{name}` says nothing"))).into_iter().collect()
}

/// No `unsafe`, not even in a text that a macro emits.
pub(crate) fn no_unsafe(file: &Source) -> Vec<Finding> {
    indexes(file, "unsafe").map(|at| at_token(file, at, "no `unsafe` in any crate")).collect()
}

fn length(file: &Source) -> usize {
    file.lines.len().saturating_sub(file.test_lines)
}

fn indexes<'a>(file: &'a Source, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let tokens = file.tokens.iter().enumerate();
    tokens.filter(move |(_, token)| token.text == word).map(|(at, _)| at)
}

fn at_token(file: &Source, at: usize, rule: &str) -> Finding {
    Finding::new(file.tokens[at].line, rule)
}
