//! Several processes on one data: the same race as with two handles, over process borders.

use std::fmt::Write as _;
use std::io::Read as _;
use std::process::{Child, Stdio};
use std::sync::Arc;

use super::Harness;
use super::subject::{Subject, check_history, claim, claimed_by, identity, succeeded};
use crate::store::{Claimed, Recorded, Store};

const RACES: usize = 50;
const PROCESSES: u8 = 3;
/// Marks the answer's line among what else a process prints.
const MARK: &str = "conformance:";

/// What another process does for a case, and the line it must print.
///
/// # Panics
/// When the store breaks a promise, or there is no such job.
pub async fn work(job: &str, store: Arc<dyn Store>) -> String {
    let number = job.strip_prefix("race ").and_then(|number| number.parse().ok());
    let granted = race(&store, number.expect("a job of this suite")).await;
    store.close().await.expect("the store closes");
    let mut line = MARK.to_owned();
    for won in granted {
        write!(line, " {won}").expect("a String takes all");
    }
    line
}

pub(super) async fn several_processes_share_it(harness: &dyn Harness) {
    let subject = Subject::open(harness).await;
    let processes = if harness.differences().processes { PROCESSES } else { 0 };
    assert_eq!(harness.process("race 1").is_some(), processes > 0, "as the differences say");
    let others: Vec<Child> = (1..=processes)
        .map(|number| {
            let mut command = harness.process(&format!("race {number}")).expect("a command");
            command.stdout(Stdio::piped()).spawn().expect("the process starts")
        })
        .collect();
    let mut granted = race(&subject.store, 100).await;
    for mut other in others {
        let mut output = String::new();
        other.stdout.take().expect("piped").read_to_string(&mut output).expect("its output");
        assert!(other.wait().expect("it ends").success(), "the other process: {output}");
        let answer = output.lines().find_map(|line| line.split_once(MARK)).expect("its answer");
        granted
            .extend(answer.1.split_whitespace().map(|won| won.parse::<usize>().expect("a number")));
    }
    granted.sort_unstable();
    let each_once: Vec<usize> = (0..RACES).collect();
    assert_eq!(granted, each_once, "each was granted to one process");
    for number in 0..RACES {
        let name = format!("race {number}");
        let execution = subject.find_identity(&identity(&name)).await.expect("it is there");
        check_history(&execution, &subject.history(execution.row).await);
        assert_eq!(execution.state.entries, 2, "a claim and an end");
    }
}

/// Claims every identity of the race and ends those that were granted.
async fn race(store: &Arc<dyn Store>, number: u8) -> Vec<usize> {
    let mut granted = Vec::new();
    for race in 0..RACES {
        let event = claimed_by(number, number);
        let claim = claim(&format!("race {race}"), event);
        match store.claim(claim).await.expect("the claim is answered") {
            Claimed::Granted(execution) => {
                let end = super::subject::change(&execution, succeeded("1", None));
                let end = store.record(end).await.expect("the end is answered");
                assert!(matches!(end, Recorded::Done(_)), "{end:?}");
                granted.push(race);
            }
            Claimed::Existing(execution) => assert_ne!(execution.state.attempts, 0),
        }
    }
    granted
}
