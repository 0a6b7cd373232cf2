//! What came of a run: a table for people, one JSON object for programs.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use serde::Serialize;

use crate::options::{quoted, same_again};
use crate::signups::BadRow;

/// How calls ended, by action, and what needs somebody.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    actions: BTreeMap<String, Counts>,
    /// One for each execution, or each row where there is none.
    open: BTreeMap<String, Open>,
}

#[derive(Debug, Default)]
struct Counts {
    executed: u64,
    replayed: u64,
    joined: u64,
}

/// How a call got its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Done {
    Executed,
    Replayed,
    Joined,
}

/// Stands in advice for the options that name the users meant, where not all are.
pub(crate) const WHOSE: &str = " {whose}";

/// Something that is not done.
#[derive(Debug, Clone)]
pub(crate) struct Open {
    /// The action's name.
    pub(crate) action: String,
    /// How it stands.
    pub(crate) state: OpenState,
    /// Whom it is about, in words.
    pub(crate) who: String,
    /// The user's id, once there is one.
    pub(crate) user: String,
    /// What is known.
    pub(crate) message: String,
    /// What to do about it, best a line to type.
    pub(crate) advice: Vec<String>,
}

/// How something stands that is not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum OpenState {
    InDoubt,
    Parked,
    Failed,
    /// Goes on by itself.
    Waiting,
}

impl OpenState {
    const ALL: [Self; 4] = [Self::InDoubt, Self::Parked, Self::Failed, Self::Waiting];

    const fn as_str(self) -> &'static str {
        match self {
            Self::InDoubt => "in doubt",
            Self::Parked => "parked",
            Self::Failed => "failed",
            Self::Waiting => "waiting",
        }
    }
}

impl Tally {
    /// Counts a call that got its value.
    pub(crate) fn count(&mut self, action: &str, done: Done) {
        let counts = self.actions.entry(action.to_owned()).or_default();
        match done {
            Done::Executed => counts.executed += 1,
            Done::Replayed => counts.replayed += 1,
            Done::Joined => counts.joined += 1,
        }
    }

    /// Notes what is not done; the same execution is noted once.
    pub(crate) fn note(&mut self, execution: String, open: Open) {
        self.actions.entry(open.action.clone()).or_default();
        self.open.entry(execution).or_insert(open);
    }

    /// Whether that execution was noted.
    pub(crate) fn has(&self, execution: &str) -> bool {
        self.open.contains_key(execution)
    }

    fn open_of(&self, action: &str, state: OpenState) -> u64 {
        let here = |open: &&Open| open.action == action && open.state == state;
        self.open.values().filter(here).count() as u64
    }

    fn all_open(&self, state: OpenState) -> u64 {
        self.open.values().filter(|open| open.state == state).count() as u64
    }

    fn all_done(&self, of: impl Fn(&Counts) -> u64) -> u64 {
        self.actions.values().map(of).sum()
    }
}

/// A whole run.
#[derive(Debug)]
pub(crate) struct Report<'a> {
    /// Names of the actions in the order in which they run.
    pub(crate) order: &'a [&'a str],
    /// Rows of the export, good and bad.
    pub(crate) rows: usize,
    /// The bad ones.
    pub(crate) bad: &'a [BadRow],
    /// Rows that nobody began with, because the run was stopped.
    pub(crate) left: usize,
    /// Users in the table, those of earlier runs included.
    pub(crate) users: i64,
    /// How the calls ended.
    pub(crate) tally: &'a Tally,
    /// How long it took.
    pub(crate) took: Duration,
}

/// The last line of `--json`.
#[derive(Serialize)]
struct Summary {
    rows: usize,
    bad_rows: usize,
    users: i64,
    executed: u64,
    replayed: u64,
    joined: u64,
    failed: u64,
    parked: u64,
    in_doubt: u64,
    /// Only where something goes on by itself: it is none of the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting: Option<u64>,
    seconds: f64,
}

impl Report<'_> {
    /// One JSON object on one line.
    pub(crate) fn json(&self) -> serde_json::Result<String> {
        let tally = self.tally;
        let waiting = tally.all_open(OpenState::Waiting);
        serde_json::to_string(&Summary {
            rows: self.rows,
            bad_rows: self.bad.len(),
            users: self.users,
            executed: tally.all_done(|counts| counts.executed),
            replayed: tally.all_done(|counts| counts.replayed),
            joined: tally.all_done(|counts| counts.joined),
            failed: tally.all_open(OpenState::Failed),
            parked: tally.all_open(OpenState::Parked),
            in_doubt: tally.all_open(OpenState::InDoubt),
            waiting: (waiting > 0).then_some(waiting),
            seconds: (self.took.as_secs_f64() * 1000.0).round() / 1000.0,
        })
    }

    /// For people, several lines.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        if !self.bad.is_empty() {
            text.push_str("rows that cannot be used\n");
            for row in self.bad {
                text.push_str(&format!("  {row}\n"));
            }
            text.push('\n');
        }
        self.write_open(&mut text);
        self.write_table(&mut text);
        let seconds = self.took.as_secs_f64();
        // Writing to a string cannot fail.
        let _written = write!(
            text,
            "\n{} rows, {} of them unusable; {} users; {seconds:.1} s\n",
            self.rows,
            self.bad.len(),
            self.users
        );
        if self.left > 0 {
            text.push_str(&format!(
                "stopped: {} rows are left; to go on:  {}\n",
                self.left,
                same_again(std::env::args_os(), "").trim_end()
            ));
        }
        text
    }

    /// What needs somebody; those with the same advice together.
    fn write_open(&self, text: &mut String) {
        for state in OpenState::ALL {
            for action in self.actions() {
                let mut by_advice: BTreeMap<&[String], Vec<&Open>> = BTreeMap::new();
                for open in self.tally.open.values() {
                    if open.state == state && open.action == action {
                        by_advice.entry(&open.advice).or_default().push(open);
                    }
                }
                let several = by_advice.len() > 1;
                for (advice, mut group) in by_advice {
                    group.sort_by(|one, other| one.who.cmp(&other.who));
                    let named = group.iter().map(|open| format!(" --user {}", quoted(&open.user)));
                    let whose = if several { named.collect() } else { String::new() };
                    text.push_str(&format!("{}: {action}\n", state.as_str()));
                    for open in group {
                        text.push_str(&format!("  {}: {}\n", open.who, open.message));
                    }
                    for line in advice {
                        text.push_str(&format!("    {}\n", line.replace(WHOSE, &whose)));
                    }
                    text.push('\n');
                }
            }
        }
    }

    fn write_table(&self, text: &mut String) {
        let mut heads = vec!["executed", "replayed", "joined", "failed", "parked", "in doubt"];
        let waiting = self.tally.all_open(OpenState::Waiting) > 0;
        if waiting {
            heads.push("waiting");
        }
        let width = self.actions().iter().map(|name| name.len()).max().unwrap_or(0).max(6);
        let head: String = heads.iter().map(|head| format!("{head:>10}")).collect();
        text.push_str(&format!("{:width$}{head}\n", "action"));
        for action in self.actions() {
            let none = Counts::default();
            let counts = self.tally.actions.get(action).unwrap_or(&none);
            let open = |state| self.tally.open_of(action, state);
            let mut cells = vec![
                counts.executed,
                counts.replayed,
                counts.joined,
                open(OpenState::Failed),
                open(OpenState::Parked),
                open(OpenState::InDoubt),
            ];
            if waiting {
                cells.push(open(OpenState::Waiting));
            }
            let line: String = cells.iter().map(|cell| format!("{cell:>10}")).collect();
            text.push_str(&format!("{action:width$}{line}\n"));
        }
    }

    /// Those in order, then what else was noted.
    fn actions(&self) -> Vec<&str> {
        let others = self.tally.actions.keys().map(String::as_str);
        let others = others.filter(|name| !self.order.contains(name));
        self.order.iter().copied().chain(others).collect()
    }
}

#[cfg(test)]
#[path = "report_tests.rs"]
mod tests;
