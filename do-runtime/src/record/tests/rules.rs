//! The rules that need a story, each with its own.

use super::*;
use crate::key::{Fingerprint, Key, KeyFields};
use crate::record::{Cause, Execution, Identity, Request, ResolvedAs, RowId, Status};
use Class::{Check, Once, Repeatable, Transaction};

/// Applies these events a minute apart from minute 100 on.
fn then(state: &State, events: &[Event]) -> State {
    events.iter().zip(100..).fold(state.clone(), |state, (event, minute)| {
        state.apply(event, at(minute)).unwrap_or_else(|refused| panic!("{refused}"))
    })
}

fn step(state: &State, event: &Event) -> State {
    then(state, std::slice::from_ref(event))
}

fn running(class: Class) -> State {
    after(&[claimed(class, 1)])
}

#[test]
fn five_deaths_in_a_row_are_poison() {
    for class in [Transaction, Repeatable, Check] {
        for end in [died(), lease_over()] {
            let mut state = running(class);
            for death in 1..State::POISON {
                state = step(&state, &end);
                assert_eq!((state.status, state.deaths), (Status::Waiting, death), "{class:?}");
                assert_eq!(state.cause, Some(Cause::TakeOver));
                state = then(&state, &[claimed(class, 2)]);
            }
            state = step(&state, &end);
            assert_eq!(state.status, Status::InDoubt, "{class:?}");
            assert!(!state.may_continue_in_doubt(class), "no call starts it again");
            assert!(state.failure.is_some(), "it says why");
            let round = state.round;
            state = then(&state, &[Event::Retried]);
            assert_eq!((state.status, state.deaths, state.round), (Status::Waiting, 0, round));
            assert_eq!((state.round_began, state.round_attempts), (None, 0), "a fresh window");
            state = then(&state, &[claimed(class, 3), end.clone()]);
            assert_eq!((state.status, state.deaths), (Status::Waiting, 1), "a fresh count");
        }
    }
}

#[test]
fn once_is_in_doubt_after_its_first_death() {
    for end in [died(), lease_over()] {
        let state = then(&running(Once), &[end]);
        assert_eq!((state.status, state.deaths), (Status::InDoubt, 1));
        assert!(state.doubt);
        assert!(state.apply(&Event::Retried, at(200)).is_err());
        assert!(state.apply(&claimed(Once, 2), at(200)).is_err());
    }
}

#[test]
fn only_an_end_other_than_death_resets_the_count() {
    let two_deaths =
        after(&[claimed(Check, 1), died(), claimed(Check, 2), lease_over(), claimed(Check, 3)]);
    assert_eq!(two_deaths.deaths, 2);
    for (event, deaths) in [
        (Event::Released, 2),
        (ask_later(false), 2),
        (ask_later(true), 2),
        (Event::Doubted { failure: failure("x"), permanent: false, ran: false }, 2),
        (died(), 3),
        (doubted(false), 0),
        (retry(false), 0),
        (retry(true), 0),
        (succeeded(), 0),
    ] {
        assert_eq!(step(&two_deaths, &event).deaths, deaths, "{}", event.word());
    }
    let waiting = then(&two_deaths, &[Event::Released]);
    assert_eq!(then(&waiting, &[Event::Retried]).deaths, 0);
    assert_eq!(then(&waiting, &[claimed(Check, 4)]).deaths, 2, "a claim is no end");
    let of_transaction = after(&[claimed(Transaction, 1), died(), claimed(Transaction, 2)]);
    let not_run = Event::Parked { failure: failure("unreadable"), ran: false };
    assert_eq!(step(&of_transaction, &not_run).deaths, 1);
    assert_eq!(then(&of_transaction, &[parked()]).deaths, 0);
    assert_eq!(then(&of_transaction, &[failed()]).deaths, 0);
    let new_round = then(&of_transaction, &[not_run, claimed(Transaction, 3)]);
    assert_eq!((new_round.round, new_round.deaths), (2, 1), "the count survives a new round");
    let in_doubt = then(&running(Once), &[died()]);
    assert_eq!(then(&in_doubt, &[Event::Resolved(Resolved::NotDone)]).deaths, 0);
}

#[test]
fn a_transaction_that_died_rolled_back() {
    let state = then(&running(Transaction), &[died()]);
    assert!(!state.doubt);
    let state = then(&state, &[claimed(Transaction, 2), failed()]);
    assert_eq!(state.status, Status::Failed, "its failures stay failures");
    for class in [Repeatable, Check] {
        let state = then(&running(class), &[died(), claimed(class, 2)]);
        assert!(state.doubt, "{class:?}");
        assert!(state.apply(&failed(), at(200)).is_err());
    }
}

#[test]
fn only_what_may_be_repeated_is_repeated_after_an_unknown_end() {
    for (class, allowed) in [(Transaction, false), (Repeatable, true), (Check, true), (Once, false)]
    {
        assert_eq!(running(class).apply(&retry(true), at(9)).is_ok(), allowed, "{class:?}");
        assert!(running(class).apply(&retry(false), at(9)).is_ok(), "{class:?}");
    }
}

#[test]
fn an_error_does_not_clear_doubt() {
    for class in [Repeatable, Check] {
        let doubt = then(&running(class), &[retry(true), claimed(class, 2)]);
        for event in [retry(false), doubted(true), doubted(false), Event::Released, died()] {
            assert!(step(&doubt, &event).doubt, "{}", event.word());
        }
        assert!(!then(&doubt, &[succeeded()]).doubt);
    }
}

#[test]
fn a_call_continues_the_same_round_in_doubt_unless_the_end_was_a_reason_to_stop() {
    let doubt = then(&running(Repeatable), &[retry(true), claimed(Repeatable, 2)]);
    let used_up = then(&doubt, &[doubted(false)]);
    assert!(used_up.may_continue_in_doubt(Repeatable) && used_up.may_continue_in_doubt(Check));
    assert!(!used_up.may_continue_in_doubt(Once) && !used_up.may_continue_in_doubt(Transaction));
    let again = then(&used_up, &[claimed(Repeatable, 3)]);
    assert_eq!((again.round, again.round_attempts), (1, 1));
    assert_eq!(again.round_began, Some(at(100)), "a fresh window");
    assert!(again.doubt);
    let permanent = then(&doubt, &[doubted(true)]);
    assert!(!permanent.may_continue_in_doubt(Repeatable));
    let retried = then(&permanent, &[Event::Retried]);
    assert_eq!((retried.status, retried.round, retried.doubt), (Status::Waiting, 1, true));
    // What once was in doubt follows the class of today's code.
    let once = then(&running(Once), &[doubted(false)]);
    assert!(once.apply(&claimed(Repeatable, 2), at(200)).is_ok());
    assert!(used_up.apply(&claimed(Once, 3), at(200)).is_err());
}

#[test]
fn not_there_is_believed_only_after_an_end_that_is_known() {
    for (end, believed) in [(retry(true), true), (died(), true), (lease_over(), false)] {
        let doubt = then(&running(Check), &[end.clone(), claimed(Check, 2)]);
        assert_eq!(doubt.apply(&Event::NotThere, at(200)).is_ok(), believed, "{}", end.word());
    }
    // Neither a failed check nor one that was asked too early is the end of a body.
    for event in [ask_later(true), ask_later(false), Event::Released] {
        let events = [lease_over(), claimed(Check, 2), event, claimed(Check, 3)];
        let doubt = then(&running(Check), &events);
        assert!(doubt.apply(&Event::NotThere, at(200)).is_err());
    }
    assert!(running(Check).apply(&Event::NotThere, at(9)).is_err(), "there is nothing to clear");
    let doubt = then(&running(Check), &[retry(true), claimed(Check, 2)]);
    let cleared = then(&doubt, &[Event::NotThere]);
    assert_eq!((cleared.status, cleared.doubt), (Status::Running, false));
    assert_eq!(cleared.token, doubt.token, "the attempt goes on");
    assert_eq!(then(&cleared, &[failed()]).status, Status::Failed);
}

#[test]
fn a_late_success_settles_what_nobody_claimed_since() {
    let late = |events: &[Event]| after(events).apply(&succeeded(), at(200));
    for class in CLASSES {
        let first = claimed(class, 1);
        assert!(late(&[first.clone(), lease_over()]).is_ok(), "{class:?}");
        assert!(late(&[first.clone(), doubted(false)]).is_ok(), "{class:?}");
        assert!(late(&[first.clone(), doubted(false), resolved_failed()]).is_ok());
        let not_done = Event::Resolved(Resolved::NotDone);
        assert!(late(&[first.clone(), doubted(false), not_done]).is_ok());
        assert!(late(&[first.clone(), failed()]).is_err(), "{class:?}");
        assert!(late(&[first.clone(), parked()]).is_err(), "{class:?}");
        assert!(late(&[first.clone(), succeeded()]).is_err(), "success is final");
        let retried = [first, doubted(false), resolved_failed(), Event::Retried];
        assert!(late(&retried).is_ok(), "nobody claimed it yet");
    }
    assert!(late(&[submitted(Once)]).is_err(), "nobody ever claimed it");
    // A new round that failed by itself is not failed by resolve.
    let again = [claimed(Once, 1), doubted(false), resolved_failed(), claimed(Once, 2), failed()];
    assert!(late(&again).is_err());
    let done = late(&[claimed(Once, 1), doubted(false), resolved_failed()]).expect("allowed");
    assert_eq!((done.status, done.resolution), (Status::Succeeded, None), "nobody's word");
    assert_eq!((done.failure, done.keep_until), (None, Some(at(201))));
    let found = Event::Succeeded { value: value(), found: true, keep: None };
    let in_doubt = after(&[claimed(Check, 1), doubted(false)]);
    assert!(in_doubt.apply(&found, at(200)).is_err(), "a check comes with its own claim");
}

#[test]
fn a_late_failure_settles_nothing() {
    let late = Event::LateFailure { failure: failure("late") };
    for end in [doubted(false), lease_over()] {
        let before = then(&running(Repeatable), &[end]);
        let state = step(&before, &late);
        let entries = before.entries + 1;
        assert_eq!(state, State { entries, failure: Some(failure("late")), ..before });
    }
    let by_hand = after(&[claimed(Once, 1), doubted(false), resolved_failed()]);
    assert!(by_hand.apply(&late, at(200)).is_err(), "what answers does not change");
}

#[test]
fn a_new_round_begins_only_after_a_known_end() {
    for end in [failed(), parked()] {
        let ended = then(&running(Once), &[end]);
        for event in [claimed(Once, 2), submitted(Once), Event::Retried] {
            assert_eq!(then(&ended, &[event]).round, 2);
        }
        let claimed = then(&ended, &[claimed(Once, 2)]);
        assert_eq!((claimed.attempts, claimed.round_attempts), (2, 1));
        assert_eq!(claimed.round_began, Some(at(100)));
        assert_eq!((claimed.ended, claimed.keep_until), (None, None));
        let retried = then(&ended, &[Event::Retried]);
        assert_eq!((retried.due, retried.round_began), (Some(at(100)), None));
    }
    let waiting = then(&running(Repeatable), &[retry(true)]);
    let retried = then(&waiting, &[Event::Retried]);
    assert_eq!((retried.round, retried.round_attempts), (1, 1), "due now, the same window");
    assert_eq!(retried.due, Some(at(100)));
    let not_done = [doubted(false), Event::Resolved(Resolved::NotDone)];
    assert_eq!(then(&running(Once), &not_done).round, 2);
}

#[test]
fn attempts_count_claims_and_the_window_only_bodies_and_failed_checks() {
    let waiting = after(&[submitted(Check)]);
    for (event, in_window, began) in [
        (Event::Released, 0, None),
        (ask_later(false), 0, None),
        (ask_later(true), 1, Some(at(100))),
        (retry(false), 1, Some(at(100))),
        (died(), 1, Some(at(100))),
    ] {
        let state = then(&waiting, &[claimed(Check, 1), event.clone()]);
        assert_eq!(state.attempts, 1, "{}", event.word());
        assert_eq!((state.round_attempts, state.round_began), (in_window, began));
        let again = then(&state, &[claimed(Check, 2)]);
        assert_eq!((again.attempts, again.round_attempts), (2, in_window + 1));
    }
    let state = then(&waiting, &[claimed(Check, 1), retry(true), claimed(Check, 2)]);
    let state = then(&state, &[ask_later(false)]);
    assert_eq!((state.round_attempts, state.round_began), (1, Some(at(100))), "it began before");
}

#[test]
fn the_last_failure_is_kept() {
    let silent = Event::RetryLater { failure: None, unknown: true, gap: MINUTE };
    let state = then(&running(Repeatable), &[retry(true), claimed(Repeatable, 2), silent]);
    assert_eq!(state.failure, Some(failure("try again")), "there was no later one");
    let state = then(&running(Check), &[retry(true), claimed(Check, 2), ask_later(false)]);
    assert_eq!(state.failure, Some(failure("try again")));
}

#[test]
fn a_resolution_is_told_until_another_end() {
    let in_doubt = then(&running(Repeatable), &[doubted(false)]);
    let not_done = then(&in_doubt, &[Event::Resolved(Resolved::NotDone)]);
    assert_eq!(not_done.resolution, Some(ResolvedAs::NotDone));
    let claimed = then(&not_done, &[claimed(Repeatable, 2)]);
    assert_eq!(claimed.resolution, Some(ResolvedAs::NotDone), "asking again is a no-op");
    for end in [doubted(false), failed(), parked(), succeeded()] {
        assert_eq!(step(&claimed, &end).resolution, None, "{}", end.word());
    }
}

#[test]
fn a_pruned_failure_answers_nobody() {
    let failed = then(&running(Once), &[failed()]);
    assert!(!failed.is_over(at(100)) && failed.is_over(at(101)));
    let pruned = then(&failed, &[Event::Pruned]);
    assert!(pruned.is_over(at(100)), "whatever the clock says");
    assert!(pruned.failure.as_ref().is_some_and(|failure| failure.message != "no such user"));
    let kept = Event::Succeeded { value: value(), found: false, keep: None };
    assert!(!then(&running(Once), &[kept]).is_over(at(1_000_000)));
}

fn execution(state: State, params: Option<&[u8]>) -> Execution {
    let fields = KeyFields::caller("order 1").expect("a caller's key");
    let identity = Identity::new("acme", "charge", Key::derived("acme", "charge", 1, &fields));
    let request = Request::new(1, fields, Fingerprint::new([0; 16], &[]), params.map(Into::into));
    Execution { row: RowId(1), identity, request, created: at(0), changed: at(0), state }
}

#[test]
fn a_retry_needs_the_parameters() {
    let failed = then(&running(Once), &[failed()]);
    let failed = execution(failed, Some(b"{}"));
    assert!(failed.apply(&Event::Retried, None, at(200)).is_ok());
    for event in [Event::Pruned, Event::Forgotten] {
        let without = failed.apply(&event, None, at(200)).expect("allowed");
        assert_eq!(without.request.params, None);
        assert!(without.apply(&Event::Retried, None, at(201)).is_err());
    }
    let pruned = failed.apply(&Event::Pruned, None, at(200)).expect("allowed");
    let again = pruned.apply(&claimed(Once, 2), Some(&failed.request), at(201)).expect("allowed");
    assert_eq!(again.request, failed.request, "a call brings them again");
}

#[test]
fn what_is_forgotten_leaves_a_tombstone() {
    for end in [succeeded(), failed()] {
        let ended = execution(then(&running(Once), &[end]), Some(b"{}"));
        let tombstone = ended.apply(&Event::Forgotten, None, at(200)).expect("allowed");
        assert_eq!(tombstone.state.status, Status::Expired);
        assert_eq!(tombstone.state.value, None);
        assert_eq!(tombstone.state.keep_until, None);
        assert_eq!(tombstone.state.ended, ended.state.ended);
        assert_eq!(tombstone.request.fields, ended.request.fields);
        for event in one_of_each(Once) {
            assert!(tombstone.apply(&event, None, at(201)).is_err(), "nothing runs again");
        }
    }
}
