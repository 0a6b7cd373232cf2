//! A file to kill processes on, the ledger beside it, and what is left of both.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use do_runtime::audit::StateEntry;
use do_runtime::clock::{Clock as _, SystemClock};
use do_runtime::record::Execution;
use do_runtime::store::sqlite::Sqlite;
use do_runtime::store::{Filter, Store as _};

/// A worker's callers wait 20 s, and a drain goes on for ten at most.
const WAIT_AND_A_BIT: Duration = Duration::from_secs(32);

/// An executed action, and what a worker was asked to do with it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Work<'a> {
    pub(super) class: &'a str,
    pub(super) id: &'a str,
    pub(super) waiters: usize,
}

/// One answer that a worker printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    Ok { how: String, value: String },
    Error { code: String, effect: String },
}

/// How a worker ended.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) killed: bool,
    pub(super) answers: Vec<Answer>,
    /// The fault points it passed, in order.
    pub(super) passed: Vec<String>,
    pub(super) stderr: String,
}

/// Everything of one experiment.
pub(super) struct World {
    directory: tempfile::TempDir,
    ledger: Child,
    address: String,
}

impl World {
    pub(super) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let mut ledger = Command::new(env!("CARGO_BIN_EXE_effect-ledger"))
            .arg(directory.path().join("ledger"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut address = String::new();
        BufReader::new(ledger.stdout.take().unwrap()).read_line(&mut address).unwrap();
        let world = Self { directory, ledger, address: address.trim().to_owned() };
        let table = rusqlite::Connection::open(world.file()).unwrap();
        table.execute_batch("CREATE TABLE effect (id TEXT NOT NULL)").unwrap();
        world
    }

    pub(super) fn file(&self) -> PathBuf {
        self.directory.path().join("actions.db")
    }

    /// Runs a worker to its end; `fault` is a strike for `DO_FAULT`.
    pub(super) fn run(&self, work: Work<'_>, fault: Option<&str>) -> Ended {
        let log = self.directory.path().join("passed");
        drop(std::fs::remove_file(&log));
        let mut command = Command::new(env!("CARGO_BIN_EXE_crash-worker"));
        command
            .arg(self.file())
            .args([&self.address, work.class, work.id, &work.waiters.to_string()])
            .env("DO_FAULT_LOG", &log)
            .env_remove("DO_FAULT")
            .stdin(Stdio::null());
        if let Some(fault) = fault {
            command.env("DO_FAULT", fault);
        }
        let clock = SystemClock::new();
        let output = command.output().unwrap();
        let took = clock.monotonic();
        assert!(took < WAIT_AND_A_BIT, "I10: {took:?}");
        self.i14_no_canary_is_kept();
        let text = String::from_utf8(output.stdout).unwrap();
        let passed = std::fs::read_to_string(&log).unwrap_or_default();
        Ended {
            killed: output.status.signal() == Some(9),
            answers: text.lines().map(answer).collect(),
            passed: passed.lines().map(str::to_owned).collect(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// The ledger's address is provided, not passed: it is kept nowhere.
    fn i14_no_canary_is_kept(&self) {
        for file in ["actions.db", "actions.db-wal"] {
            let bytes = std::fs::read(self.directory.path().join(file)).unwrap_or_default();
            let canary = self.address.as_bytes();
            let kept = bytes.windows(canary.len()).any(|window| window == canary);
            assert!(!kept, "I14: {file} has what was provided");
        }
    }

    /// What the world outside has seen of an action: the lines of its bodies' beginnings.
    pub(super) fn effects_begun(&self, work: Work<'_>) -> Vec<Begun> {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(b"lines\n").unwrap();
        let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
        let count = lines.next().unwrap().parse().unwrap();
        lines
            .take(count)
            .filter_map(|line| {
                let words: Vec<&str> = line.split(' ').collect();
                let [what, class, id, attempt, round] = words[..] else { return None };
                (what == "begin" && class == work.class && id == work.id).then(|| Begun {
                    attempt: attempt.parse().unwrap(),
                    round: round.parse().unwrap(),
                })
            })
            .collect()
    }

    /// Rows that transactions of this id left.
    pub(super) fn rows(&self, work: Work<'_>) -> i64 {
        let table = rusqlite::Connection::open(self.file()).unwrap();
        let count = "SELECT count(*) FROM effect WHERE id = ?1";
        table.query_row(count, [work.id], |row| row.get(0)).unwrap()
    }

    /// Every execution with its trail.
    pub(super) fn dump(&self) -> Vec<(Arc<Execution>, Vec<StateEntry>)> {
        let address = format!("sqlite://{}", self.file().display());
        let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        tokio.block_on(async {
            let store = Sqlite::open(&address, Arc::new(SystemClock::new())).unwrap();
            let mut dump = Vec::new();
            for execution in store.list(Filter::default()).await.unwrap().executions {
                let trail = store.history(execution.row).await.unwrap();
                dump.push((execution, trail));
            }
            store.close().await.unwrap();
            dump
        })
    }
}

/// A body's beginning as the ledger has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Begun {
    pub(super) attempt: u32,
    pub(super) round: u32,
}

impl Drop for World {
    fn drop(&mut self) {
        drop(self.ledger.stdin.take());
        drop(self.ledger.wait());
    }
}

fn answer(line: &str) -> Answer {
    let words: Vec<&str> = line.splitn(3, ' ').collect();
    match words[..] {
        ["ok", how, value] => Answer::Ok { how: how.to_owned(), value: value.to_owned() },
        ["error", code, effect] => {
            Answer::Error { code: code.to_owned(), effect: effect.to_owned() }
        }
        _ => panic!("a worker printed `{line}`"),
    }
}
