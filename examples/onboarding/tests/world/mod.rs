//! A directory of one's own, the built program, and counts of what it did to the world.

mod crm;
mod smtp;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use serde::Deserialize;
use tempfile::TempDir;

pub(crate) use crm::CrmServer;
pub(crate) use smtp::SmtpServer;

/// Where one test runs the program.
pub(crate) struct World {
    directory: TempDir,
}

/// The last line of `--json`.
#[derive(Debug, Deserialize)]
pub(crate) struct Summary {
    pub(crate) rows: usize,
    pub(crate) bad_rows: usize,
    pub(crate) users: usize,
    pub(crate) executed: usize,
    pub(crate) replayed: usize,
    pub(crate) joined: usize,
    pub(crate) failed: usize,
    pub(crate) parked: usize,
    pub(crate) in_doubt: usize,
}

/// A run that ended well.
pub(crate) struct Run {
    pub(crate) stdout: String,
}

impl Run {
    fn of(output: Output) -> Self {
        let stdout = String::from_utf8(output.stdout).expect("text");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}\n{stdout}\n{stderr}", output.status);
        Self { stdout }
    }

    pub(crate) fn summary(&self) -> Summary {
        let last = self.stdout.lines().last().expect("a last line");
        serde_json::from_str(last).unwrap_or_else(|error| panic!("{error}: {last}"))
    }
}

impl World {
    pub(crate) fn new() -> Self {
        Self { directory: tempfile::tempdir().expect("a directory") }
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.directory.path().join("data")
    }

    /// Writes a file and returns its path.
    pub(crate) fn write(&self, name: &str, text: &str) -> String {
        let path = self.directory.path().join(name);
        fs::write(&path, text).expect("written");
        path.to_str().expect("a path in UTF-8").to_owned()
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        Run::of(self.start(arguments).wait_with_output().expect("a run"))
    }

    /// Two runs beside each other.
    pub(crate) fn run_two(&self, arguments: &[&str]) -> (Summary, Summary) {
        let runs = [self.start(arguments), self.start(arguments)];
        let [one, other] = runs.map(|run| Run::of(run.wait_with_output().expect("a run")));
        (one.summary(), other.summary())
    }

    /// What a run says that ends with an error.
    pub(crate) fn refused(&self, arguments: &[&str]) -> String {
        let output = self.start(arguments).wait_with_output().expect("a run");
        assert!(!output.status.success());
        String::from_utf8_lossy(&output.stderr).into_owned()
    }

    /// Kills the program as soon as it did so many things, unless it was faster.
    pub(crate) fn run_and_kill(&self, arguments: &[&str], things: usize) {
        let done = || {
            let made = [self.mails().len(), self.workspaces().len(), self.contacts().len()];
            made.iter().sum::<usize>() >= things
        };
        self.kill_when(arguments, done);
    }

    /// Kills the program as soon as it has a connection to that server.
    pub(crate) fn run_and_kill_when_connected(&self, arguments: &[&str], server: &SmtpServer) {
        self.kill_when(arguments, || server.was_connected());
    }

    fn kill_when(&self, arguments: &[&str], reached: impl Fn() -> bool) {
        let mut run = self.start(arguments);
        while !reached() && run.try_wait().expect("a state").is_none() {
            std::thread::park_timeout(Duration::from_millis(1));
        }
        run.kill().expect("killed");
        run.wait().expect("an end");
    }

    fn start(&self, arguments: &[&str]) -> Child {
        Command::new(env!("CARGO_BIN_EXE_onboarding"))
            .args(arguments)
            .args(["--json".as_ref(), "--data".as_ref(), self.data().as_os_str()] as [&OsStr; 3])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("started")
    }

    /// The address that each mail in the outbox goes to.
    pub(crate) fn mails(&self) -> Vec<String> {
        let mails = entries(&self.data().join("outbox")).into_iter();
        mails.filter_map(|mail| recipient(&fs::read_to_string(mail).expect("a mail"))).collect()
    }

    /// The user of each contact.
    pub(crate) fn contacts(&self) -> Vec<String> {
        let path = self.data().join("crm").join("contacts.jsonl");
        let text = fs::read_to_string(path).unwrap_or_default();
        // The program may be writing the last line.
        let lines = text.lines().filter_map(|line| serde_json::from_str(line).ok());
        lines.map(|contact: serde_json::Value| contact["user_id"].to_string()).collect()
    }

    pub(crate) fn workspaces(&self) -> Vec<PathBuf> {
        entries(&self.data().join("workspaces"))
    }

    pub(crate) fn make_workspace_by_hand(&self, name: &str, file: &str) {
        let workspace = self.data().join("workspaces").join(name);
        fs::create_dir_all(&workspace).expect("a workspace");
        fs::write(workspace.join(file), "mine").expect("a file");
    }

    pub(crate) fn workspace_files(&self, name: &str) -> Vec<String> {
        let files = entries(&self.data().join("workspaces").join(name)).into_iter();
        let name = |file: PathBuf| file.file_name().map(|name| name.to_string_lossy().into_owned());
        files.filter_map(name).collect()
    }

    /// Names and contents of all that a replay must not touch.
    pub(crate) fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut folders =
            ["outbox", "workspaces", "crm"].map(|name| self.data().join(name)).to_vec();
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("a directory") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    found.insert(path.clone(), fs::read(path).expect("a file"));
                }
            }
        }
        found
    }

    /// Each user has one mail, one contact and one workspace.
    #[track_caller]
    pub(crate) fn check_everything_once(&self, users: usize) {
        self.check_nothing_twice();
        let made = [self.mails().len(), self.contacts().len(), self.workspaces().len()];
        assert_eq!(made, [users; 3], "mails, contacts, workspaces");
    }

    /// No address has two mails and no user two contacts.
    #[track_caller]
    pub(crate) fn check_nothing_twice(&self) {
        for mut found in [self.mails(), self.contacts()] {
            found.sort();
            let all = found.len();
            found.dedup();
            assert_eq!(found.len(), all);
        }
    }

    /// The CRM as a process of its own, on this world's data.
    pub(crate) fn crm(&self) -> CrmServer {
        CrmServer::start(&self.data())
    }

    /// A port on which nobody listens.
    pub(crate) fn closed_port(&self) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.local_addr().expect("an address").port()
    }

    /// A server that takes connections and says nothing.
    pub(crate) fn silent_server(&self) -> SmtpServer {
        SmtpServer::start(false)
    }

    /// A server that takes every mail.
    pub(crate) fn smtp_server(&self) -> SmtpServer {
        SmtpServer::start(true)
    }
}

/// An export of that many people, `u1` and up.
pub(crate) fn export_of(people: usize) -> String {
    let mut text = "id,email,name,plan\n".to_owned();
    for number in 1..=people {
        text.push_str(&format!("u{number},p{number}@example.com,Person {number},free\n"));
    }
    text
}

/// What is in a directory but hidden; nothing where there is none.
fn entries(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).into_iter().flatten() {
        let entry = entry.expect("an entry");
        if !entry.file_name().to_string_lossy().starts_with('.') {
            found.push(entry.path());
        }
    }
    found.sort();
    found
}

fn recipient(mail: &str) -> Option<String> {
    let start = mail.find("\r\nTo: ")?;
    let header = &mail[start..];
    let (from, to) = (header.find('<').map_or(6, |at| at + 1), header.find("\r\nSubject")?);
    Some(header[from..to].trim_end_matches('>').to_owned())
}
