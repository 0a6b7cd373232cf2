//! What holds after any run of events, allowed or not.

use proptest::prelude::*;

use super::*;
use crate::record::Status;

fn class() -> impl Strategy<Value = Class> {
    prop::sample::select(CLASSES.to_vec())
}

fn event() -> impl Strategy<Value = Event> {
    let ends = (class(), any::<bool>(), any::<bool>(), any::<prop::sample::Index>());
    ends.prop_map(|(class, yes, ran, index)| {
        let mut events = one_of_each(class);
        events.extend([
            ask_later(yes),
            claimed(class, 1),
            claimed(class, 2),
            claimed(class, 3),
            died(),
            died(),
            Event::Parked { failure: failure("x"), ran },
            Event::Doubted { failure: failure("x"), permanent: yes, ran },
            Event::Succeeded { value: value(), found: yes, keep: None },
        ]);
        index.get(&events).clone()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_run_keeps_the_rules(
        class in class(),
        submit in any::<bool>(),
        events in prop::collection::vec(event(), 1..60),
    ) {
        let first = if submit { submitted(class) } else { claimed(class, 1) };
        let mut state = State::begin(&first, at(0)).expect("a first event");
        check_state(&state);
        for (event, minute) in events.iter().zip(1..) {
            let Ok(next) = state.apply(event, at(minute)) else { continue };
            prop_assert_eq!(&state.apply(event, at(minute)), &Ok(next.clone()), "it is pure");
            check_state(&next);
            check_step(&state, event, &next);
            state = next;
        }
    }
}

/// What holds in each state.
fn check_state(state: &State) {
    let status = state.status;
    assert_eq!(state.due.is_some(), status == Status::Waiting, "{status}");
    assert_eq!(state.cause.is_some(), status == Status::Waiting, "{status}");
    assert_eq!(state.value.is_some(), status == Status::Succeeded, "{status}");
    assert!(state.round >= 1 && state.round_attempts <= state.attempts);
    match status {
        Status::Running => {
            assert!(state.token.is_some() && state.instance.is_some());
            assert!(state.round_began.is_some() && state.round_attempts >= 1);
        }
        Status::InDoubt => assert!(state.doubt),
        Status::Waiting => assert!(state.deaths < State::POISON),
        Status::Failed | Status::Parked | Status::Succeeded | Status::Expired => {
            assert!(!state.doubt, "{status} while there is doubt");
        }
    }
    if !matches!(status, Status::Succeeded | Status::Failed) {
        assert_eq!(state.keep_until, None, "{status}");
    }
    if matches!(status, Status::Running | Status::Waiting) {
        assert_eq!(state.ended, None, "{status}");
    } else {
        assert!(state.ended.is_some(), "{status}");
    }
    let stored = serde_json::to_string(state).expect("a state can be stored");
    let again: State = serde_json::from_str(&stored).expect("a state can be read");
    assert_eq!(again, State { value: None, ..state.clone() });
}

/// What holds of each step.
fn check_step(before: &State, event: &Event, after: &State) {
    let word = event.word();
    assert_eq!(after.entries, before.entries + 1, "{word}");
    if before.doubt && !after.doubt {
        let settles =
            matches!(event, Event::Succeeded { .. } | Event::Resolved(_) | Event::NotThere);
        assert!(settles, "{word} cleared the doubt");
    }
    assert!(after.round == before.round || after.round == before.round + 1, "{word}");
    if after.round > before.round {
        assert!(!after.doubt, "{word} began a round in doubt");
        let known = matches!(before.status, Status::Failed | Status::Parked);
        assert!(known || matches!(event, Event::Resolved(Resolved::NotDone)), "{word}");
        assert_eq!(after.attempts - before.attempts, after.round_attempts, "a fresh window");
    }
    let claims = u32::from(matches!(event, Event::Claimed(_)));
    assert_eq!(after.attempts, before.attempts + claims, "{word}");
    assert!(after.token == before.token || claims == 1, "{word} changed the token");
    let dies = matches!(event, Event::Died { .. });
    assert!(after.deaths == 0 || after.deaths == before.deaths + u32::from(dies), "{word}");
    if dies {
        let runs_again = after.status == Status::Waiting;
        assert!(!(runs_again && before.class == Class::Once), "once never runs again by itself");
        assert!(!(runs_again && after.deaths >= State::POISON), "poison runs again");
        assert!(runs_again || after.status == Status::InDoubt);
    }
    let moved = before.status != after.status;
    let final_before = matches!(before.status, Status::Succeeded | Status::Expired);
    assert!(!(final_before && moved) || after.status == Status::Expired, "success is final");
}
