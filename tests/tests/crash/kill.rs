//! Kill −9 at every point that a run passes, then run again.

use std::collections::{BTreeMap, BTreeSet};

use super::invariants::Left;
use super::world::{Ended, Work, World};

/// What happens at each point of a run: it is killed there, run again, and looked at. Each of these
/// ways must have been seen at least once (I15).
fn kill_everywhere(class: &str, waiters: usize, wanted: &[&str]) {
    let work = Work { class, id: "k", waiters };
    let unharmed = World::new().run(work, None);
    assert!(!unharmed.answers.is_empty(), "{}", unharmed.stderr);
    let points = counted(&unharmed);
    assert!(points.contains_key("post_claim"), "{points:?}");
    let mut kills = 0;
    let mut seen = BTreeSet::new();
    for (point, hits) in points {
        // Later passes of the loops are like the first ones.
        for nth in 1..=hits.min(6) {
            let fault = format!("{point}:{nth}=kill");
            kills += u32::from(kill_at(work, &fault, &mut seen));
        }
    }
    assert!(kills > 5, "only {kills} runs were killed");
    for way in wanted {
        assert!(seen.contains(way), "I15: {way} was never seen, only {seen:?}");
    }
}

fn counted(ended: &Ended) -> BTreeMap<&str, usize> {
    let mut points = BTreeMap::new();
    for point in &ended.passed {
        *points.entry(point.as_str()).or_default() += 1;
    }
    points
}

/// Whether the run came to that point, and was killed there.
fn kill_at(work: Work<'_>, fault: &str, seen: &mut BTreeSet<&'static str>) -> bool {
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
    let left = Left::of(&world, work, answers);
    left.check();
    seen.extend(left.ways());
    first.killed
}

#[test]
fn once_is_never_repeated() {
    kill_everywhere("once", 1, &["in doubt", "died", "replayed", "the first attempt"]);
}

#[test]
fn repeatable_is_repeated_until_its_end_is_known() {
    kill_everywhere("repeatable", 1, &["died", "repeated", "replayed", "the second attempt"]);
}

#[test]
fn check_takes_over_what_it_finds() {
    kill_everywhere("check", 1, &["died", "found", "replayed", "the second attempt"]);
}

#[test]
fn a_transaction_is_there_with_its_record_or_not_at_all() {
    kill_everywhere("transaction", 1, &["died", "replayed", "the second attempt"]);
}

#[test]
fn a_transaction_that_also_acts_outside_is_never_repeated() {
    kill_everywhere("mixed", 1, &["in doubt", "died", "replayed"]);
}

#[test]
fn waiters_of_a_killed_process_get_one_answer_from_the_next() {
    kill_everywhere("once", 64, &["in doubt", "died", "replayed"]);
}

// I12: what kills its process five times in a row is not started a sixth time.
#[test]
fn poison_ends_in_doubt() {
    let world = World::new();
    let work = Work { class: "repeatable", id: "k", waiters: 1 };
    for _ in 0..5 {
        assert!(world.run(work, Some("after_effect:1=kill")).killed);
    }
    let sixth = world.run(work, Some("after_effect:1=kill"));
    assert!(!sixth.killed, "nothing was started");
    let left = Left::of(&world, work, sixth.answers);
    assert_eq!(left.begun.len(), 5, "{:?}", left.begun);
    assert!(left.ways().any(|way| way == "in doubt"));
    left.check();
}
