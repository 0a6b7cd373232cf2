//! A workspace that is written into the target folder: the cases as crates of their own, with the
//! versions that this workspace has locked.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// The lints under which every case compiles.
const LINTS: &str = r#"
[lints.rust]
warnings = { level = "deny", priority = -2 }
unused = { level = "deny", priority = -1 }
rust_2018_idioms = { level = "deny", priority = -1 }
unused_qualifications = "deny"
unsafe_code = "deny"
private_interfaces = "deny"
private_bounds = "deny"
unexpected_cfgs = "allow"

[lints.clippy]
pedantic = { level = "warn", priority = -1 }
nursery = { level = "warn", priority = -1 }
"#;

/// The workspace and where it is built.
pub(crate) struct Scratch {
    folder: PathBuf,
    members: Vec<String>,
}

/// What cargo said.
pub(crate) struct Report {
    messages: Vec<Value>,
    success: bool,
    stderr: String,
}

impl Scratch {
    /// An empty workspace. The lock file is a copy, so that nothing newer is fetched.
    pub(crate) fn new() -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compile");
        fs::create_dir_all(&folder).unwrap();
        fs::copy(repository().join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
        Self { folder, members: Vec::new() }
    }

    /// A crate with these files, each a library of its own.
    pub(crate) fn cases(&mut self, name: &str, edition: u32, files: &[PathBuf]) {
        let mut manifest = package(name, edition, &dependency("do-runtime"));
        manifest.push_str("[lib]\npath = \"empty.rs\"\n");
        for file in files {
            let case = file.file_stem().unwrap().to_str().unwrap().to_lowercase();
            write!(
                manifest,
                "[[example]]\nname = \"{case}\"\ncrate-type = [\"lib\"]\npath = {file:?}\n"
            )
            .unwrap();
        }
        self.add(name, &manifest);
        fs::write(self.folder.join(name).join("empty.rs"), "").unwrap();
    }

    /// A crate whose root is that file. The runtime bears the name given.
    pub(crate) fn library(&mut self, name: &str, file: &Path, runtime: &str) {
        let manifest = package(name, 2024, &dependency(runtime));
        self.add(name, &format!("{manifest}[lib]\npath = {file:?}\n"));
    }

    /// `cargo check`, or another command of the same shape.
    pub(crate) fn run(&self, command: &str) -> Report {
        let members: String = self.members.iter().map(|name| format!("{name:?},")).collect();
        let manifest = format!("[workspace]\nresolver = \"3\"\nmembers = [{members}]\n");
        fs::write(self.folder.join("Cargo.toml"), manifest).unwrap();
        let output = Command::new(env!("CARGO"))
            .args([command, "--offline", "--workspace", "--lib", "--examples", "--keep-going"])
            .arg("--message-format=json")
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", self.folder.join("target"))
            .env_remove("RUSTFLAGS")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let stdout = String::from_utf8(output.stdout).unwrap();
        Report {
            messages: stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect(),
            success: output.status.success(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    fn add(&mut self, name: &str, manifest: &str) {
        let folder = self.folder.join(name);
        fs::create_dir_all(&folder).unwrap();
        // An unchanged file keeps its time, and cargo what it has built.
        let file = folder.join("Cargo.toml");
        if fs::read_to_string(&file).ok().as_deref() != Some(manifest) {
            fs::write(file, manifest).unwrap();
        }
        self.members.push(name.to_owned());
    }
}

impl Report {
    /// Panics with what was refused.
    pub(crate) fn assert_success(&self) {
        let rendered: String =
            self.diagnostics().map(|diagnostic| text(&diagnostic["rendered"])).collect();
        assert!(self.success, "{rendered}\n{}", self.stderr);
    }

    /// Errors and warnings of the compiler.
    pub(crate) fn diagnostics(&self) -> impl Iterator<Item = &Value> {
        self.messages
            .iter()
            .filter(|message| message["reason"] == "compiler-message")
            .map(|message| &message["message"])
    }

    /// What was built of the crate of that name.
    pub(crate) fn artifact(&self, name: &str) -> PathBuf {
        let of_crate = |message: &&Value| {
            message["reason"] == "compiler-artifact" && message["target"]["name"] == name
        };
        let artifact = self.messages.iter().find(of_crate).expect("cargo built it");
        let files = artifact["filenames"].as_array().expect("a list of files");
        let file = files.iter().map(text).find(|file| file.ends_with(".rmeta"));
        PathBuf::from(file.expect("metadata of a library"))
    }
}

/// The root of the repository.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The text of a JSON string.
pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn package(name: &str, edition: u32, runtime: &str) -> String {
    format!(
        "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"{edition}\"\n\
         autoexamples = false\n{LINTS}\n[dependencies]\n{runtime}\
         anyhow = \"1\"\n\
         serde = {{ version = \"1\", features = [\"derive\"] }}\n\
         serde_json = \"1\"\n\
         sqlx = {{ version = \"0.9\", default-features = false, features = [\"runtime-tokio\", \
         \"sqlite\", \"postgres\"] }}\n\
         tokio = {{ version = \"1\", features = [\"full\"] }}\n\
         tracing = {{ version = \"0.1\", default-features = false, features = [\"attributes\"] }}\n"
    )
}

fn dependency(name: &str) -> String {
    let path = repository().join("do-runtime");
    format!("{name} = {{ package = \"do-runtime\", path = {path:?}, features = [\"testing\"] }}\n")
}
