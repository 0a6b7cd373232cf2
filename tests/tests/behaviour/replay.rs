//! Called again: the recorded answer, and nothing else.

use serde::{Deserialize, Serialize};

use super::harness::*;

on_both_stores![
    a_hundred_calls_in_a_row_take_effect_once,
    a_replay_is_byte_identical_and_flagged,
    a_replay_survives_a_restart_and_a_year,
    every_kind_of_success_is_replayed_as_one,
    hostile_text_comes_back_as_it_was,
    a_failure_is_replayed_until_its_time_is_over,
    the_typed_error_comes_back_from_a_replay,
    another_request_under_a_used_key_is_refused_on_every_path,
    a_failure_is_no_prison_for_another_request,
    a_call_that_was_refused_before_its_claim_leaves_nothing,
    a_round_has_its_own_downstream_key,
];

// R22
async fn a_hundred_calls_in_a_row_take_effect_once(bench: Bench) {
    let app = bench.start().await;
    for times in [1, 2, 100] {
        let id = format!("{times}");
        let mut values = Vec::new();
        for at in 0..times {
            let receipt = app.execute(once(id.clone(), "n".into())).receipt().await.unwrap();
            let how = if at == 0 { How::Executed } else { How::Replayed };
            assert_eq!(receipt.how, how, "call {at} of {times}");
            values.push(receipt.value);
        }
        values.dedup();
        assert_eq!(values.len(), 1, "all answers are equal");
    }
    assert_eq!(bench.world.effects(), 3);
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Rich {
    text: String,
    number: f64,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    missing: Option<u8>,
}

#[action(key(id))]
async fn rich(world: &World, id: u64) -> Result<Rich> {
    let text = world.act(&id.to_string()).await?;
    Ok(Rich { text, number: 0.1 + 0.2, missing: None })
}

// R19, R29, I9
async fn a_replay_is_byte_identical_and_flagged(bench: Bench) {
    let app = bench.start_with(rich).await;
    let first = app.execute(rich(1)).receipt().await.unwrap();
    // From the cache, from this store, and from another handle on the store.
    let other = bench.start_with(rich).await;
    for app in [&app, &other, &app] {
        let again = app.execute(rich(1)).receipt().await.unwrap();
        assert_eq!((first.how, again.how), (How::Executed, How::Replayed));
        assert_eq!(again.json, first.json);
        assert_eq!(again.value, first.value);
        assert_eq!((again.ended, again.attempts), (first.ended, 1));
    }
    assert_eq!(words(&app, first.execution).await, ["claimed", "succeeded"]);
    assert_eq!(bench.world.effects(), 1);
}

// R24, C101
async fn a_replay_survives_a_restart_and_a_year(bench: Bench) {
    let app = bench.start().await;
    let first = app.execute(once("1".into(), "n".into())).await.unwrap();
    app.drain("1s").await.unwrap();
    if bench.is_memory() {
        bench.clock().advance(Duration::from_secs(366 * 86_400));
    }
    let app = bench.start().await;
    let again = app.execute(once("1".into(), "n".into())).receipt().await.unwrap();
    assert_eq!((again.how, again.value), (How::Replayed, first));
    assert_eq!(bench.world.effects(), 1);
}

/// An action of each return type; all count as one effect.
macro_rules! returning {
    ($($name:ident: $type:ty = $value:expr;)*) => {
        $(#[action(key(id))]
        async fn $name(world: &World, id: u64) -> Result<$type> {
            world.act(&id.to_string()).await?;
            Ok($value)
        })*

        // C86, R14
        async fn every_kind_of_success_is_replayed_as_one(bench: Bench) {
            let app = bench.start_with(($($name,)*)).await;
            $(
                let first = app.execute($name(1)).receipt().await.unwrap();
                let again = app.execute($name(1)).receipt().await.unwrap();
                assert_eq!((first.how, again.how), (How::Executed, How::Replayed));
                assert_eq!(first.value, $value, stringify!($name));
                assert_eq!(again.value, $value, stringify!($name));
                assert_eq!(again.json, first.json);
            )*
        }
    };
}

returning! {
    unit: () = ();
    none: Option<u8> = None;
    no: bool = false;
    zero: u64 = 0;
    most: u64 = u64::MAX;
    empty: String = String::new();
    nothing: Vec<u8> = Vec::<u8>::new();
    nested: Result<Option<u8>, String> = Err("no".to_owned());
}

#[action(key(text))]
async fn echo(world: &World, text: String) -> Result<String> {
    world.act("echo").await?;
    Ok(text)
}

// C91, F51
async fn hostile_text_comes_back_as_it_was(bench: Bench) {
    let app = bench.start_with(echo).await;
    let texts =
        ["a\u{0}b", "\u{feff}bom", "\u{1b}[31mred\r\n", "__proto__", "\u{10ffff}\u{2028}", "\"\\"];
    for text in texts {
        for how in [How::Executed, How::Replayed] {
            let receipt = app.execute(echo(text.into())).receipt().await.unwrap();
            assert_eq!((receipt.how, receipt.value.as_str()), (how, text));
        }
        let found = app.find("echo", "text", text).await.unwrap();
        assert_eq!(found.len(), 1, "{text:?}");
    }
}

#[action(key(id), keep_failed = "1h")]
async fn fails_for_an_hour(world: &World, id: String) -> Result<String> {
    world.act(&id).await
}

// S3.3, C82, C83
async fn a_failure_is_replayed_until_its_time_is_over(bench: Bench) {
    let app = bench.start_with(fails_for_an_hour).await;
    bench.world.script([Step::Fails(Some(FailureClass::Permanent))]);
    let first = app.execute(fails_for_an_hour("1".into())).await.unwrap_err();
    assert_eq!((first.kind(), first.effect()), (ErrorKind::Failed, Effect::None));
    assert!(!first.retryable() && !first.is_replayed(), "{first:?}");
    let again = app.execute(fails_for_an_hour("1".into())).await.unwrap_err();
    assert!(again.is_replayed());
    assert_eq!((again.kind(), again.message()), (first.kind(), first.message()));
    assert_eq!(again.execution(), first.execution());
    assert_eq!((bench.world.bodies(), bench.world.effects()), (1, 0));
    if bench.is_memory() {
        bench.clock().advance(Duration::from_secs(3599));
        assert!(app.execute(fails_for_an_hour("1".into())).await.unwrap_err().is_replayed());
        bench.clock().advance(Duration::from_secs(1));
        let receipt = app.execute(fails_for_an_hour("1".into())).receipt().await.unwrap();
        assert_eq!((receipt.how, receipt.attempts), (How::Executed, 2));
        let execution = app.get(receipt.execution).await.unwrap().unwrap();
        assert_eq!(execution.state.round, 2);
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Declined {
    TooPoor { missing: u64 },
}

impl std::fmt::Display for Declined {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("declined")
    }
}

impl Classify for Declined {
    fn classify(&self) -> Option<FailureClass> {
        Some(FailureClass::Permanent)
    }
}

#[action(key(id))]
async fn charge(world: &World, id: u64) -> Result<u64, Declined> {
    let _ = world.act(&id.to_string()).await.is_ok();
    Err(Declined::TooPoor { missing: id })
}

// D3.4, R17
async fn the_typed_error_comes_back_from_a_replay(bench: Bench) {
    let app = bench.start_with(charge).await;
    let other = bench.start_with(charge).await;
    for (app, replayed) in [(&app, false), (&app, true), (&other, true)] {
        let error = app.execute(charge(3)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Failed);
        assert_eq!(error.is_replayed(), replayed);
        assert_eq!(error.downcast::<Declined>(), Some(Declined::TooPoor { missing: 3 }));
        assert_eq!(error.downcast::<String>(), None);
    }
    assert_eq!(bench.world.effects(), 1);
}

// S3.2, C16, C37, C38, C40, F48
async fn another_request_under_a_used_key_is_refused_on_every_path(bench: Bench) {
    let app = bench.start().await;
    let call = |note: &str| once("1".into(), note.into());
    bench.world.script([Step::Hangs]);
    let first = tokio::spawn({
        let (app, call) = (app.clone(), call("a"));
        async move { app.execute(call).await }
    });
    bench.world.until_bodies(1).await;
    let check = |error: Error| {
        assert_eq!((error.kind(), error.code()), (ErrorKind::KeyReused, "key_reused"));
        assert!(error.message().contains("`note`"), "names the parameter: {error}");
        assert!(!error.to_string().contains("secret"), "never its value: {error}");
        assert!(!error.retryable());
    };
    // While it runs here: the flight. Seen from another process: the store.
    check(app.execute(call("secret")).await.unwrap_err());
    let other = bench.start().await;
    check(other.execute(call("secret")).await.unwrap_err());
    bench.world.release();
    let value = first.await.unwrap().unwrap();
    // Once it is done: the cache here, the store there.
    check(app.execute(call("secret")).await.unwrap_err());
    check(other.execute(call("secret")).await.unwrap_err());
    check(app.submit(call("secret")).await.unwrap_err());
    let lookup = app.lookup(call("secret")).await.unwrap();
    assert_eq!(lookup.would, Would::Refuse(ErrorKind::KeyReused));
    assert_eq!(other.execute(call("a")).await.unwrap(), value, "the first one is unharmed");
    assert_eq!(bench.world.effects(), 1);
}

// S3.2
async fn a_failure_is_no_prison_for_another_request(bench: Bench) {
    let app = bench.start().await;
    bench.world.script([
        Step::Fails(Some(FailureClass::Permanent)),
        Step::Fails(Some(FailureClass::Repair)),
    ]);
    let error = app.execute(once("1".into(), "a".into())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Failed);
    let error = app.execute(once("1".into(), "b".into())).await.unwrap_err();
    assert_eq!((error.kind(), error.is_replayed()), (ErrorKind::Parked, false));
    let receipt = app.execute(once("1".into(), "c".into())).receipt().await.unwrap();
    assert_eq!(receipt.how, How::Executed);
    let history = app.history(receipt.execution).await.unwrap();
    let rounds: Vec<_> = history.iter().map(|entry| (entry.round, entry.other_request)).collect();
    assert_eq!(rounds, [(1, false), (1, false), (2, true), (2, false), (3, true), (3, false)]);
    let error = app.execute(once("1".into(), "a".into())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::KeyReused, "over a success it is another request");
}

// C83, S9
async fn a_call_that_was_refused_before_its_claim_leaves_nothing(bench: Bench) {
    let app = bench.start().await;
    let wrong = serde_json::json!({"id": "1", "note": 5});
    let error = app.execute_named("once", wrong).await.unwrap_err();
    assert_eq!((error.kind(), error.execution()), (ErrorKind::InvalidParams, None));
    let lookup = app.lookup(once("1".into(), "n".into())).await.unwrap();
    assert!(lookup.execution.is_none());
    let right = serde_json::json!({"id": "1", "note": "n"});
    app.execute_named("once", right).await.unwrap();
    assert_eq!(bench.world.effects(), 1);
}

// S6, S3.3, C97: a new round has a new downstream key; attempts of one round share it.
async fn a_round_has_its_own_downstream_key(bench: Bench) {
    let app = bench.start().await;
    bench.world.script([
        Step::Fails(Some(FailureClass::Transient)),
        Step::Fails(None),
        Step::Ok,
        Step::Fails(Some(FailureClass::Repair)),
        Step::Ok,
    ]);
    let call = |id: &str| repeatable(id.into(), "n".into());
    bench.run(app.execute(call("1"))).await.unwrap();
    assert_eq!(app.execute(call("2")).await.unwrap_err().kind(), ErrorKind::Parked);
    app.execute(call("2")).await.unwrap();
    let keys = bench.world.downstream();
    assert!(keys[0] == keys[1] && keys[1] == keys[2], "one round, one key: {keys:?}");
    assert_ne!(keys[3], keys[4], "round 2");
    assert_ne!(keys[0], keys[3], "another execution");
}
