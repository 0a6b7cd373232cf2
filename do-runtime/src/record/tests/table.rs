//! Every state with every event: what comes out, or that it is refused.

use std::collections::BTreeSet;

use super::*;
use crate::record::{NotAllowed, Status};

/// A column for each situation, a row for each event. `.` is refused; otherwise the status after:
/// `R`unning, `W`aiting, `S`ucceeded, `F`ailed, `P`arked, in `D`oubt, `E`xpired.
///
/// Running: `a` of a transaction, `b` of repeatable, `c` with doubt, `d` of check, `e` with doubt
/// after a known end, `f` with doubt after a lease that ran out, `g` of once. Waiting: `h` never
/// claimed, `i` taken over. `j` succeeded. Failed: `k` by itself, `l` by resolve, `m` pruned.
/// `n` parked. In doubt: `o` of repeatable, `p` of check after a permanent failure, `q` of
/// repeatable by poison, `r` of a transaction by poison, `s` of once. `t` expired.
const TABLE: &str = "
                   a b c d e f g | h i | j | k l m | n | o p q r s | t
submitted          . . . . . . . | . . | . | W W W | W | W . . . . | .
claimed            . . . . . . . | R R | . | R R R | R | R . . . . | .
not_there          . . . . R . . | . . | . | . . . | . | . . . . . | .
succeeded          S S S S S S S | . S | . | . S . | . | S S S S S | .
found              . . . S S S . | . . | . | . . . | . | . . . . . | .
failed             F F . F . . F | . . | . | . . . | . | . . . . . | .
retry              W W W W W W W | . . | . | . . . | . | . . . . . | .
unknown            . W W W W W . | . . | . | . . . | . | . . . . . | .
ask_later          . . . W W W . | . . | . | . . . | . | . . . . . | .
released           W W W W W W W | . . | . | . . . | . | . . . . . | .
parked             P P . P . . P | . . | . | . . . | . | . . . . . | .
in_doubt           D D D D D D D | . . | . | . . . | . | . . . . . | .
late_failure       . . . . . . . | . W | . | . . . | . | D D D D D | .
died               W W W W W W D | . . | . | . . . | . | . . . . . | .
lease_over         W W W W W W D | . . | . | . . . | . | . . . . . | .
resolved_succeeded . . . . . . . | . . | . | . . . | . | S S S S S | .
resolved_failed    . . . . . . . | . . | . | . . . | . | F F F F F | .
resolved_not_done  . . . . . . . | . . | . | . . . | . | W W W W W | .
retried            . . . . . . . | W W | . | W W W | W | W W W W . | .
expired            . . . . . . . | . . | E | . . . | . | . . . . . | .
pruned             . . . . . . . | . . | . | F F F | . | . . . . . | .
forgotten          . . . . . . . | . . | E | E E E | . | . . . . . | .
";

/// The situations of the table's columns, and their classes.
fn columns() -> Vec<(Class, State)> {
    use Class::{Check, Once, Repeatable, Transaction};
    let poison = |class| {
        let mut events = vec![claimed(class, 1)];
        for token in 2..=5 {
            events.extend([died(), claimed(class, token)]);
        }
        events.push(died());
        after(&events)
    };
    let doubt = |class, end| after(&[claimed(class, 1), end, claimed(class, 2)]);
    let by_hand = [claimed(Repeatable, 1), doubted(false), resolved_failed()];
    vec![
        (Transaction, after(&[claimed(Transaction, 1)])),
        (Repeatable, after(&[claimed(Repeatable, 1)])),
        (Repeatable, doubt(Repeatable, retry(true))),
        (Check, after(&[claimed(Check, 1)])),
        (Check, doubt(Check, retry(true))),
        (Check, doubt(Check, lease_over())),
        (Once, after(&[claimed(Once, 1)])),
        (Repeatable, after(&[submitted(Repeatable)])),
        (Repeatable, after(&[claimed(Repeatable, 1), died()])),
        (Once, after(&[claimed(Once, 1), succeeded()])),
        (Once, after(&[claimed(Once, 1), failed()])),
        (Repeatable, after(&by_hand)),
        (Once, after(&[claimed(Once, 1), failed(), Event::Pruned])),
        (Once, after(&[claimed(Once, 1), parked()])),
        (Repeatable, after(&[claimed(Repeatable, 1), doubted(false)])),
        (Check, after(&[claimed(Check, 1), retry(true), claimed(Check, 2), doubted(true)])),
        (Repeatable, poison(Repeatable)),
        (Transaction, poison(Transaction)),
        (Once, after(&[claimed(Once, 1), doubted(false)])),
        (Once, after(&[claimed(Once, 1), succeeded(), Event::Expired])),
    ]
}

const fn letter(status: Status) -> &'static str {
    match status {
        Status::Running => "R",
        Status::Waiting => "W",
        Status::Succeeded => "S",
        Status::Failed => "F",
        Status::Parked => "P",
        Status::InDoubt => "D",
        Status::Expired => "E",
    }
}

#[test]
fn every_pair_of_state_and_event() {
    let columns = columns();
    let mut rows = BTreeSet::new();
    for line in TABLE.lines().skip(2) {
        let mut cells = line.split_whitespace().filter(|cell| *cell != "|");
        let word = cells.next().expect("an event's word");
        let cells: Vec<&str> = cells.collect();
        assert_eq!(cells.len(), columns.len(), "cells of {word}");
        rows.insert(word);
        for ((column, (class, state)), cell) in ('a'..).zip(&columns).zip(cells) {
            let event = one_of_each(*class)
                .into_iter()
                .find(|event| event.word() == word)
                .unwrap_or_else(|| panic!("no event of the word {word}"));
            let place = format!("{word} in column {column}, {}", state.status);
            match state.apply(&event, at(100)) {
                Ok(next) => {
                    assert_eq!(letter(next.status), cell, "{place}");
                    assert_eq!(next.entries, state.entries + 1, "{place}");
                }
                Err(refused) => {
                    assert_eq!(cell, ".", "{place}");
                    let expected = NotAllowed { status: Some(state.status), event: event.word() };
                    assert_eq!(refused, expected);
                }
            }
        }
    }
    let words: BTreeSet<&str> = one_of_each(Class::Check).iter().map(Event::word).collect();
    assert_eq!(rows, words, "a row for each event");
    let statuses: Vec<Status> = columns.iter().map(|(_, state)| state.status).collect();
    for status in Status::ALL {
        assert!(statuses.contains(&status), "a column for {status}");
    }
}

#[test]
fn only_a_claim_or_a_submission_begins() {
    for class in CLASSES {
        for event in one_of_each(class) {
            match (State::begin(&event, at(0)), &event) {
                (Ok(state), Event::Claimed(claim)) => {
                    assert_eq!(state.status, Status::Running);
                    assert_eq!(state.token, Some(claim.token));
                    assert_eq!((state.attempts, state.round_attempts), (1, 1));
                    assert_eq!(state.round_began, Some(at(0)));
                }
                (Ok(state), Event::Submitted { .. }) => {
                    assert_eq!(state.status, Status::Waiting);
                    assert_eq!(state.due, Some(at(1)));
                    assert_eq!((state.attempts, state.round_attempts), (0, 0));
                    assert_eq!((state.round_began, state.token), (None, None));
                }
                (begun, _) => {
                    let refused = NotAllowed { status: None, event: event.word() };
                    assert_eq!(begun, Err(refused));
                }
            }
        }
    }
}

#[test]
fn each_word_is_its_own() {
    let events = one_of_each(Class::Check);
    let words: BTreeSet<&str> = events.iter().map(Event::word).collect();
    assert_eq!(words.len(), events.len());
}
