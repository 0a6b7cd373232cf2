//! Kill −9 at every point that a run passes, then run again.

use std::collections::BTreeMap;

use super::invariants::Left;
use super::world::{Ended, Work, World};

/// What happens at each point of a run: it is killed there, run again, and looked at.
fn kill_everywhere(class: &str, waiters: usize) {
    let work = Work { class, id: "k", waiters };
    let unharmed = World::new().run(work, None);
    assert!(!unharmed.answers.is_empty(), "{}", unharmed.stderr);
    let points = counted(&unharmed);
    assert!(points.contains_key("post_claim"), "{points:?}");
    let mut kills = 0;
    for (point, hits) in points {
        // Later passes of the loops are like the first ones.
        for nth in 1..=hits.min(6) {
            kills += u32::from(kill_at(work, &format!("{point}:{nth}=kill")));
        }
    }
    assert!(kills > 5, "only {kills} runs were killed");
}

fn counted(ended: &Ended) -> BTreeMap<&str, usize> {
    let mut points = BTreeMap::new();
    for point in &ended.passed {
        *points.entry(point.as_str()).or_default() += 1;
    }
    points
}

/// Whether the run came to that point, and was killed there.
fn kill_at(work: Work<'_>, fault: &str) -> bool {
    let world = World::new();
    let first = world.run(work, Some(fault));
    let again = world.run(work, None);
    let third = world.run(work, None);
    for ended in [&again, &third] {
        assert_eq!(ended.answers.len(), work.waiters, "{fault}: {}", ended.stderr);
    }
    let mut answers = first.answers;
    answers.extend(again.answers);
    answers.extend(third.answers);
    println!("{} {fault}: {} answers, last {:?}", work.class, answers.len(), answers.last());
    Left::of(&world, work, answers).check();
    first.killed
}

#[test]
fn once_is_never_repeated() {
    kill_everywhere("once", 1);
}

#[test]
fn repeatable_is_repeated_until_its_end_is_known() {
    kill_everywhere("repeatable", 1);
}

#[test]
fn check_takes_over_what_it_finds() {
    kill_everywhere("check", 1);
}

#[test]
fn a_transaction_is_there_with_its_record_or_not_at_all() {
    kill_everywhere("transaction", 1);
}

#[test]
fn a_transaction_that_also_acts_outside_is_never_repeated() {
    kill_everywhere("mixed", 1);
}

#[test]
fn waiters_of_a_killed_process_get_one_answer_from_the_next() {
    kill_everywhere("once", 64);
}
