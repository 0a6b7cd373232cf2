//! The shipped CRM, started by the test and not by the program.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Runs until it is dropped; then it is killed.
pub(crate) struct CrmServer {
    process: Child,
    url: String,
}

impl CrmServer {
    pub(crate) fn start(data: &Path) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_onboarding"))
            .arg("crm")
            .arg("--data")
            .arg(data)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("started");
        let mut line = String::new();
        let stdout = process.stdout.take().expect("an output");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        let url = line.split_whitespace().last().expect("an address").to_owned();
        Self { process, url }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for CrmServer {
    fn drop(&mut self) {
        self.process.kill().expect("killed");
        self.process.wait().expect("an end");
    }
}
