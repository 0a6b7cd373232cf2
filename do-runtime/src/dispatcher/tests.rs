//! The two decision functions, row by row.

use std::sync::Arc;
use std::time::Duration;

use super::Cache;
use super::decision::{Decision, Liveness, View, decide};
use super::verdict::{End, verdict};
use crate::clock::Timestamp;
use crate::failure::{FailureClass, FailureRecord};
use crate::key::{Fingerprint, FingerprintPart, Key, KeyFields};
use crate::policy::{Class, Policy, Retry};
use crate::record::{
    Claim, Due, Event, Execution, Identity, InstanceId, Request, Resolved, RowId, Status, Token,
    Value,
};

const NOW: Timestamp = Timestamp::from_unix_ms(1_000_000);
const MINE: Token = Token::from_bytes([7; 16]);
const OTHER: Token = Token::from_bytes([8; 16]);

fn part(value: &str) -> FingerprintPart {
    FingerprintPart::of_key_part("note", value).unwrap()
}

fn claimed(class: Class, token: Token) -> Event {
    Event::Claimed(Claim::new(token, InstanceId::from_bytes([1; 16]), class))
}

fn failure(class: FailureClass) -> FailureRecord {
    FailureRecord::new("no").of_class(class)
}

/// An execution after these events, all at `NOW`; its note is `a`.
fn execution(class: Class, events: &[Event]) -> Execution {
    let fields = KeyFields::caller("k").unwrap();
    let identity = Identity::new("s", "a", Key::derived("s", "a", 1, &fields));
    let request =
        Request::new(1, fields, Fingerprint::new([0; 16], &[part("a")]), Some(b"{}"[..].into()));
    let first = claimed(class, OTHER);
    let begun = Execution::begin(RowId(1), identity, request, &first, NOW).unwrap();
    events.iter().fold(begun, |execution, event| execution.apply(event, None, NOW).unwrap())
}

fn succeeded(keep: Option<Duration>) -> Event {
    Event::Succeeded { value: Value::Json(b"1"[..].into()), found: false, keep }
}

fn failed() -> Event {
    let keep = Duration::from_secs(60);
    Event::Failed { failure: failure(FailureClass::Permanent), keep }
}

fn parked() -> Event {
    Event::Parked { failure: failure(FailureClass::Repair), ran: true }
}

fn doubted(permanent: bool) -> Event {
    Event::Doubted { failure: failure(FailureClass::InDoubt), permanent, ran: true }
}

fn retry_in(gap: Duration) -> Event {
    Event::RetryLater { failure: None, unknown: false, gap }
}

#[test]
#[expect(clippy::type_complexity, reason = "the rows of a table")]
fn what_an_existing_record_answers() {
    let minute = Duration::from_secs(60);
    let died = Event::Died { known: true };
    let reused = || Decision::KeyReused(vec!["note".to_owned()]);
    let once = Class::Once;
    let new_round = Decision::Claim { new_round: true };
    let goes_on = Decision::Claim { new_round: false };
    // events, seconds later, class today, same request, answer
    let rows: Vec<(&str, Vec<Event>, u64, Class, bool, Decision)> = vec![
        ("expired", vec![succeeded(None), Event::Expired], 0, once, true, Decision::Expired),
        ("1 before 2", vec![succeeded(None), Event::Expired], 0, once, false, Decision::Expired),
        ("its time is over", vec![succeeded(Some(minute))], 60, once, true, Decision::Expired),
        ("just in time", vec![succeeded(Some(minute))], 59, once, true, Decision::Replay),
        ("success", vec![succeeded(None)], 9, once, true, Decision::Replay),
        ("success, other", vec![succeeded(None)], 9, once, false, reused()),
        ("running, other", vec![], 0, once, false, reused()),
        ("waiting, other", vec![retry_in(minute)], 0, once, false, reused()),
        ("in doubt, other", vec![doubted(false)], 0, once, false, reused()),
        ("failed", vec![failed()], 59, once, true, Decision::Replay),
        ("failed, over", vec![failed()], 60, once, true, new_round.clone()),
        ("failed, pruned", vec![failed(), Event::Pruned], 0, once, true, new_round.clone()),
        ("failed, other", vec![failed()], 0, once, false, new_round.clone()),
        ("parked", vec![parked()], 0, once, true, new_round.clone()),
        ("parked, other", vec![parked()], 0, once, false, new_round),
        ("in doubt, once", vec![doubted(false)], 0, once, true, Decision::InDoubt),
        ("poison", vec![died.clone()], 0, once, true, Decision::InDoubt),
        ("repeatable", vec![doubted(false)], 0, Class::Repeatable, true, goes_on.clone()),
        ("check", vec![doubted(false)], 0, Class::Check, true, goes_on.clone()),
        ("permanent", vec![doubted(true)], 0, Class::Repeatable, true, Decision::InDoubt),
        ("not due", vec![retry_in(minute)], 59, once, true, Decision::Join),
        ("due", vec![retry_in(minute)], 60, once, true, goes_on),
        ("running", vec![], 0, once, true, Decision::Join),
    ];
    for (name, events, later, class, same, expected) in rows {
        let execution = execution(class, &events);
        let parts = [part(if same { "a" } else { "b" })];
        let now = NOW.plus(Duration::from_secs(later));
        let view = View { parts: Some(&parts), class, now, mine: Some(MINE) };
        assert_eq!(decide(&execution, &view, |_| Liveness::Alive), expected, "{name}");
    }
}

#[test]
fn a_running_record_by_who_holds_it() {
    let execution = execution(Class::Once, &[]);
    let view = |mine| View { parts: None, class: Class::Once, now: NOW, mine };
    let decide = |mine, liveness| decide(&execution, &view(mine), |_| liveness);
    assert_eq!(decide(Some(OTHER), Liveness::Dead), Decision::GoOn, "my claim, whoever is dead");
    assert_eq!(decide(Some(MINE), Liveness::Alive), Decision::Join);
    assert_eq!(decide(None, Liveness::LeaseOver), Decision::TakeOver { known: false });
    assert_eq!(decide(None, Liveness::Dead), Decision::TakeOver { known: true });
}

#[test]
fn a_parameter_that_one_side_does_not_know_refuses_nobody() {
    let execution = execution(Class::Once, &[succeeded(None)]);
    let added = [part("a"), FingerprintPart::of_key_part("new", "x").unwrap()];
    for parts in [&added[..], &[]] {
        let view = View { parts: Some(parts), class: Class::Once, now: NOW, mine: None };
        assert_eq!(decide(&execution, &view, |_| Liveness::Alive), Decision::Replay);
    }
}

/// What an end is recorded as: the word, and the gap's window where there is one.
#[test]
#[expect(clippy::type_complexity, reason = "the rows of a table")]
fn what_an_end_means() {
    use FailureClass::{InDoubt, Permanent, Repair, Transient};
    const ALL: [Class; 4] = [Class::Transaction, Class::Repeatable, Class::Check, Class::Once];
    let err = |class: Option<FailureClass>| {
        let record = FailureRecord::new("no");
        End::Err(match class {
            Some(class) => record.of_class(class),
            None => record,
        })
    };
    let unknown = || End::Unknown(FailureRecord::new("lost"));
    let ok = || End::Ok(Value::Json(b"1"[..].into()));
    // end; the words for transaction, repeatable, check, once; with doubt; used up; both
    #[rustfmt::skip]
    let rows: Vec<(&str, End, [&str; 4], [&str; 4], [&str; 4], [&str; 4])> = vec![
        ("ok", ok(), ["succeeded"; 4], ["succeeded"; 4], ["succeeded"; 4], ["succeeded"; 4]),
        ("permanent", err(Some(Permanent)), ["failed"; 4], ["in_doubt"; 4], ["failed"; 4], ["in_doubt"; 4]),
        ("repair", err(Some(Repair)), ["parked"; 4], ["in_doubt"; 4], ["parked"; 4], ["in_doubt"; 4]),
        ("transient", err(Some(Transient)), ["retry"; 4], ["retry"; 4], ["parked"; 4], ["in_doubt"; 4]),
        ("no class", err(None), ["retry", "unknown", "unknown", "in_doubt"], ["retry", "unknown", "unknown", "in_doubt"],
            ["parked", "in_doubt", "in_doubt", "in_doubt"], ["in_doubt"; 4]),
        ("in doubt", err(Some(InDoubt)), ["retry", "unknown", "unknown", "in_doubt"], ["retry", "unknown", "unknown", "in_doubt"],
            ["parked", "in_doubt", "in_doubt", "in_doubt"], ["in_doubt"; 4]),
        ("unknown", unknown(), ["retry", "unknown", "unknown", "in_doubt"], ["retry", "unknown", "unknown", "in_doubt"],
            ["parked", "in_doubt", "in_doubt", "in_doubt"], ["in_doubt"; 4]),
        ("check err", End::CheckErr(failure(Transient)), ["ask_later"; 4], ["ask_later"; 4], ["parked"; 4], ["in_doubt"; 4]),
        ("not run", End::NotRun(failure(Repair)), ["parked"; 4], ["in_doubt"; 4], ["parked"; 4], ["in_doubt"; 4]),
        ("found", End::Found(Value::Json(b"1"[..].into())), ["found"; 4], ["found"; 4], ["found"; 4], ["found"; 4]),
    ];
    for (name, end, plain, doubt, used_up, both) in rows {
        for (at, class) in ALL.into_iter().enumerate() {
            for (words, doubtful, attempts) in
                [(plain, false, 9), (doubt, true, 9), (used_up, false, 1), (both, true, 1)]
            {
                let mut state = execution(class, &[]).state;
                state.doubt = doubtful;
                let policy = Policy::new(class).retry(Retry::DEFAULT.attempts(attempts));
                let event = verdict(end.clone(), &policy, &state, NOW, 0.5);
                assert_eq!(
                    event.word(),
                    words[at],
                    "{name} of {class:?}, doubt {doubtful}, {attempts} attempts"
                );
                let from_a_check = matches!(end, End::Found(_) | End::CheckErr(_));
                let taken = state.apply(&event, NOW).is_ok();
                assert!(taken || (from_a_check && class != Class::Check), "{name} of {class:?}");
            }
        }
    }
}

#[test]
fn gaps_grow_stay_within_bounds_and_honour_the_other_side() {
    let policy = Policy::new(Class::Repeatable);
    let gap_after = |attempt: u32, fraction: f64, asked: Option<Duration>| {
        let mut state = execution(Class::Repeatable, &[]).state;
        state.round_attempts = attempt;
        let mut record = failure(FailureClass::Transient);
        record.retry_after = asked;
        match verdict(End::Err(record), &policy, &state, NOW, fraction) {
            Event::RetryLater { gap, .. } => gap,
            other => panic!("{other:?}"),
        }
    };
    for (attempt, ms) in [(1, 200), (2, 400), (3, 800), (12, 409_600), (13, 600_000), (99, 600_000)]
    {
        let most = Duration::from_millis(ms);
        let near = gap_after(attempt, 0.999_999, None);
        assert!(near <= most && near >= most.mul_f64(0.99), "attempt {attempt}: {near:?}");
        assert_eq!(gap_after(attempt, 0.5, None), most / 2);
        assert_eq!(gap_after(attempt, 0.0, None), Duration::ZERO);
    }
    let asked = Duration::from_secs(90);
    assert_eq!(gap_after(1, 0.5, Some(asked)), asked);
}

#[test]
fn the_window_counts_from_the_rounds_first_attempt() {
    let policy = Policy::new(Class::Once).retry(Retry::DEFAULT.within(Duration::from_secs(10)));
    let state = execution(Class::Once, &[]).state;
    let word = |later: u64| {
        let now = NOW.plus(Duration::from_secs(later));
        let end = End::Err(failure(FailureClass::Transient));
        verdict(end, &policy, &state, now, 0.0).word()
    };
    assert_eq!(word(10), "retry");
    assert_eq!(word(11), "parked");
}

#[test]
fn a_resolution_lets_the_next_call_run() {
    let resolved = Event::Resolved(Resolved::NotDone);
    let execution = execution(Class::Once, &[doubted(false), resolved]);
    assert_eq!(execution.state.status, Status::Waiting);
    assert_eq!(execution.state.round, 2);
    let submitted = Event::Submitted { class: Class::Once, due: Due::After(Duration::ZERO) };
    assert!(execution.state.apply(&submitted, NOW).is_err(), "it waits already");
    let view = View { parts: None, class: Class::Once, now: NOW, mine: None };
    let decision = decide(&execution, &view, |_| Liveness::Alive);
    assert_eq!(decision, Decision::Claim { new_round: false });
}

#[test]
fn what_is_large_is_not_cached() {
    for (params, value, cached) in [(2, 2, true), (60_000, 5_000, true), (60_000, 6_000, false)] {
        let value = Value::Json(vec![b' '; value].into());
        let success = Event::Succeeded { value, found: false, keep: None };
        let mut success = execution(Class::Once, &[success]);
        success.request.params = Some(vec![b' '; params].into());
        let cache = Cache::new(1);
        cache.saw(0, Duration::ZERO);
        cache.keep(&Arc::new(success.clone()));
        let hit = cache.success(&success.identity.key, Duration::ZERO);
        assert_eq!(hit.is_some(), cached, "{params}");
    }
}

#[test]
fn the_cache_answers_only_under_an_epoch_that_was_seen_lately() {
    let at = Duration::from_millis;
    let success = Arc::new(execution(Class::Once, &[succeeded(None)]));
    let cache = Cache::new(9);
    let hit = |now| cache.success(&success.identity.key, now).is_some();
    cache.keep(&success);
    assert!(!hit(at(0)), "no epoch was seen");
    cache.saw(7, at(0));
    cache.keep(&success);
    assert!(hit(at(1000)));
    assert!(!hit(at(1001)), "seen too long ago");
    cache.saw(7, at(1001));
    assert!(hit(at(1001)), "the same epoch");
    cache.saw(8, at(1002));
    assert!(!hit(at(1002)), "an operator did something");
}
