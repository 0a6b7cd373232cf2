//! The layer table of do-runtime, and the rule that reads it.

use super::rules::Finding;
use super::source::Source;

/// The modules, from the ground up. A module may use those of the rows above it, and those to the
/// left of it where the row is in reading order.
const LAYERS: [(&[&str], Within); 9] = [
    (&["key", "failure", "clock", "randomness"], Within::Strangers),
    (&["policy", "record"], Within::ReadingOrder),
    (&["audit", "action"], Within::ReadingOrder),
    (&["registry", "store"], Within::Strangers),
    (&["store::memory", "store::sqlite"], Within::Strangers),
    (&["store::conformance"], Within::Strangers),
    (&["dispatcher"], Within::Strangers),
    (&["rescuer", "pruner", "heartbeat"], Within::Strangers),
    (&["runtime"], Within::Strangers),
];

/// Tools for tests: may use all of the above. Only the conformance suite, a test itself, uses them.
const SIDE: &str = "testing";
const SUITE: &str = "store::conformance";

/// What the root itself gives to its modules.
const ROOT_MACROS: [&str; 2] = ["fault", "store_conformance"];

/// What modules of one layer are to each other.
#[derive(Clone, Copy, PartialEq)]
enum Within {
    /// One may use those that stand before it.
    ReadingOrder,
    /// None uses another.
    Strangers,
}

/// A module of the table by the path that begins at the crate's root.
fn module_named(path: &[String]) -> Option<&'static str> {
    let names = LAYERS.iter().flat_map(|(names, _)| names.iter()).chain([&SIDE]);
    names
        .filter(|name| name.split("::").eq(path.iter().take(name.split("::").count())))
        .max_by_key(|name| name.len())
        .copied()
}

fn place(module: &str) -> Option<(usize, usize)> {
    LAYERS.iter().enumerate().find_map(|(layer, (names, _))| {
        Some((layer, names.iter().position(|name| *name == module)?))
    })
}

/// Why `user` may not use `used`; none if it may.
fn forbidden(user: &str, used: &str) -> Option<String> {
    if used == SIDE && user != SUITE {
        return Some(format!("nothing but `fault!` uses `{SIDE}`"));
    }
    // Only the tools for tests are without a place; they may use all others.
    let ((layer, column), (used_layer, used_column)) = (place(user)?, place(used)?);
    if used_layer > layer {
        return Some(format!(
            "`{user}` is in layer {layer} and may not use `{used}` of layer {used_layer}"
        ));
    }
    let reads_on = LAYERS[layer].1 == Within::ReadingOrder && used_column < column;
    (used_layer == layer && used_column != column && !reads_on)
        .then(|| format!("`{user}` may not use `{used}`, which stands beside it in layer {layer}"))
}

/// A module uses only what stands above it in the table.
pub(crate) fn layering(file: &Source) -> Vec<Finding> {
    let module = file.module();
    if !file.path.starts_with("do-runtime/src/") || module.is_empty() || file.tokens.is_empty() {
        return Vec::new();
    }
    let Some(user) = module_named(&module) else {
        return vec![Finding::new(1, format!("`{}` is not in the layer table", module.join("::")))];
    };
    let mut found = Vec::new();
    for (line, path) in used_paths(file) {
        if path.first().is_none_or(|first| ROOT_MACROS.contains(&&**first)) {
            continue;
        }
        match module_named(&path) {
            Some(used) if used == user => {}
            Some(used) => {
                found.extend(forbidden(user, used).map(|rule| Finding::new(line, rule)));
            }
            None => found.push(Finding::new(
                line,
                format!("`crate::{}` is not in the layer table: name the module", path.join("::")),
            )),
        }
    }
    found
}

/// The paths that begin with `crate`, `super` or `self`, as they are from the crate's root.
pub(crate) fn used_paths(file: &Source) -> Vec<(usize, Vec<String>)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < file.tokens.len() {
        let token = &file.tokens[at];
        let starts = matches!(token.text.as_str(), "crate" | "super" | "self")
            && is_path_separator(file, at + 1)
            && !(at > 0 && file.tokens[at - 1].text == ":");
        if !starts {
            at += 1;
            continue;
        }
        let mut base = match token.text.as_str() {
            "crate" => Vec::new(),
            "super" => token.module[..token.module.len().saturating_sub(1)].to_vec(),
            _ => token.module.to_vec(),
        };
        at += 3;
        while file.tokens.get(at).is_some_and(|token| token.text == "super") {
            base.pop();
            at += 3;
        }
        at = follow(file, at, &base, &mut found);
    }
    found
}

/// Reads a path or a tree of paths that goes on at `at`; gives the index after it.
fn follow(
    file: &Source,
    mut at: usize,
    base: &[String],
    found: &mut Vec<(usize, Vec<String>)>,
) -> usize {
    let mut path = base.to_vec();
    while let Some(token) = file.tokens.get(at) {
        if token.text == "{" {
            at += 1;
            while file.tokens.get(at).is_some_and(|token| token.text != "}") {
                at = follow(file, at, &path, found);
                while file.tokens.get(at).is_some_and(|token| !matches!(&*token.text, "," | "}")) {
                    at += 1;
                }
                if file.tokens.get(at).is_some_and(|token| token.text == ",") {
                    at += 1;
                }
            }
            return at + 1;
        }
        if token.text != "self" {
            path.push(token.text.clone());
        }
        if !is_path_separator(file, at + 1) {
            found.push((token.line, path));
            return at + 1;
        }
        at += 3;
    }
    at
}

fn is_path_separator(file: &Source, at: usize) -> bool {
    matches!(file.tokens.get(at..at + 2), Some([a, b]) if a.text == ":" && b.text == ":")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_paths_in_trees_and_in_code() {
        let file = Source::new(
            "do-runtime/src/store/memory.rs",
            "use crate::{audit::{Author, StateEntry}, clock::Clock};\n\
             use super::query::Which;\n\
             fn f() { let x = crate::key::sha256_hex(&[]); println!(\"{}\", crate::policy::A); }\n\
             mod inner { use super::super::error::E; }\n",
        );
        let shown: Vec<String> = used_paths(&file)
            .into_iter()
            .map(|(line, path)| format!("{line} {}", path.join("::")))
            .collect();
        assert_eq!(
            shown,
            [
                "1 audit::Author",
                "1 audit::StateEntry",
                "1 clock::Clock",
                "2 store::query::Which",
                "3 key::sha256_hex",
                "3 policy::A",
                "4 store::error::E",
            ]
        );
    }

    #[test]
    fn every_module_has_one_place() {
        let mut names: Vec<_> = LAYERS.iter().flat_map(|(names, _)| names.iter()).collect();
        let all = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
