//! The files of the workspace, as the tests about the source read them.

use std::fs;
use std::path::{Path, PathBuf};

/// The crates whose sources the tests read.
pub(crate) const CRATES: [&str; 5] =
    ["do-macros", "do-runtime", "examples", "examples/onboarding", "tests"];

/// Folders of whole programs that tests compile: no modules of the crate they lie in.
const CASES: [&str; 5] = ["cases", "crates", "fail", "golden", "pass"];

/// The folder of the top manifest.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

/// A file's text, by its path from the root.
pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// All Rust files under a folder, by their paths from the root, sorted. Empty when there is no
/// such folder.
pub(crate) fn rust_files(folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    collect(&root().join(folder), folder, &mut found);
    found.sort();
    found
}

fn collect(folder: &Path, shown: &str, found: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let shown = format!("{shown}/{name}");
        if path.is_dir() {
            if !CASES.contains(&name) && name != "target" {
                collect(&path, &shown, found);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(shown);
        }
    }
}
