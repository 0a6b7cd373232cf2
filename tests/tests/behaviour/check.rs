//! Asking the world before an effect.

use super::harness::*;

on_both_stores![
    the_world_is_asked_before_the_effect,
    an_effect_that_is_there_is_taken_over,
    a_check_that_cannot_tell_makes_no_effect,
    a_check_that_panics_makes_no_effect,
];

// R28
async fn the_world_is_asked_before_the_effect(bench: Bench) {
    let app = bench.start().await;
    let receipt = app.execute(checked("1".into(), "n".into())).receipt().await.unwrap();
    assert_eq!(bench.world.log(), ["check", "body", "effect"]);
    assert_eq!(words(&app, receipt.execution).await, ["claimed", "succeeded"], "believed at once");
    app.execute(checked("1".into(), "n".into())).await.unwrap();
    assert_eq!(bench.world.log().len(), 3, "a replay asks nobody");
}

// R34
async fn an_effect_that_is_there_is_taken_over(bench: Bench) {
    let app = bench.start().await;
    bench.world.answers([Found::There]);
    let receipt = app.execute(checked("1".into(), "n".into())).receipt().await.unwrap();
    assert_eq!((receipt.value.as_str(), receipt.how), ("1/found", How::Executed));
    assert_eq!((bench.world.bodies(), bench.world.effects()), (0, 0));
    assert_eq!(words(&app, receipt.execution).await, ["claimed", "found"]);
    let again = app.execute(checked("1".into(), "n".into())).receipt().await.unwrap();
    assert_eq!((again.how, again.json), (How::Replayed, receipt.json));
}

// S5
async fn a_check_that_cannot_tell_makes_no_effect(bench: Bench) {
    let app = bench.start().await;
    let unclear = [None, Some(FailureClass::Permanent), Some(FailureClass::InDoubt)];
    bench.world.answers(unclear.map(Found::Unclear));
    let receipt = bench.run(app.execute(checked("1".into(), "n".into())).receipt()).await.unwrap();
    assert_eq!((bench.world.checks(), bench.world.bodies()), (4, 1));
    let execution = app.get(receipt.execution).await.unwrap().unwrap();
    assert!(!execution.state.doubt, "doubt is as it was: none");
    let asked = ["claimed", "ask_later"];
    let expected = [&asked[..], &asked, &asked, &["claimed", "succeeded"]].concat();
    assert_eq!(words(&app, receipt.execution).await, expected);
}

// F43, S5
async fn a_check_that_panics_makes_no_effect(bench: Bench) {
    let app = bench.start().await;
    bench.world.answers([Found::Panics]);
    let receipt = bench.run(app.execute(checked("1".into(), "n".into())).receipt()).await.unwrap();
    assert_eq!((bench.world.checks(), bench.world.bodies()), (2, 1));
    assert_eq!(receipt.how, How::Executed);
}

// S5: with doubt, *not there* is believed once the last body has been still for `settle`.
#[tokio::test]
async fn not_there_is_believed_when_it_has_settled() {
    let bench = Bench::memory();
    let app = bench.start().await;
    bench.world.script([Step::Fails(None)]);
    let call = app.execute(checked("1".into(), "n".into())).wait("5m").receipt();
    let receipt = bench.run(call).await.unwrap();
    let id = receipt.execution;
    let expected =
        ["claimed", "unknown", "claimed", "ask_later", "claimed", "not_there", "succeeded"];
    assert_eq!(words(&app, id).await, expected);
    let entries = app.history(id).await.unwrap();
    let settled = entries[5].at.since(entries[1].at);
    assert!(settled >= Duration::from_secs(60) && settled < Duration::from_secs(90), "{settled:?}");
    assert_eq!(bench.world.bodies(), 2);
    assert_eq!(bench.world.log(), ["check", "body", "check", "check", "body", "effect"]);
}

// F54: the provider applies after our time-out; the next question finds it.
#[tokio::test]
async fn a_late_effect_is_found_and_not_repeated() {
    let bench = Bench::memory();
    let app = bench.start().await;
    bench.world.script([Step::AppliesThenFails(None)]);
    bench.world.answers([Found::NotThere, Found::NotThere]);
    let call = app.execute(checked("1".into(), "n".into())).wait("5m").receipt();
    let receipt = bench.run(call).await.unwrap();
    assert_eq!((receipt.value.as_str(), receipt.how), ("1/found", How::Executed));
    assert_eq!((bench.world.bodies(), bench.world.effects()), (1, 1));
    let expected = ["claimed", "unknown", "claimed", "ask_later", "claimed", "found"];
    assert_eq!(words(&app, receipt.execution).await, expected);
}

#[action(key(id), check(find_slowly, settle = "1h"), retry(within = "10m", attempts = 2))]
async fn settles_slowly(world: &World, id: String) -> Result<String> {
    world.act(&id).await
}

async fn find_slowly(world: &World, id: String) -> Result<Option<String>> {
    world.find(&id).await
}

// S5: waiting for a check is no attempt and outlasts the retry window.
#[tokio::test]
async fn waiting_for_a_check_outlasts_the_window() {
    let bench = Bench::memory();
    let app = bench.start_with(settles_slowly).await;
    bench.world.script([Step::Fails(None)]);
    let call = app.execute(settles_slowly("1".into()));
    let error = bench.run(call.wait("5m")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InProgress);
    let id = error.execution().unwrap();
    let execution = app.get(id).await.unwrap().unwrap();
    assert_eq!(execution.state.cause, Some(Cause::Check));
    assert_eq!((execution.state.status, execution.state.doubt), (Status::Waiting, true));
    assert_eq!(execution.state.round_attempts, 1, "no attempt");
    let receipt = bench.run(app.execute(settles_slowly("1".into())).wait("2h").receipt()).await;
    assert_eq!((receipt.unwrap().value.as_str(), bench.world.bodies()), ("1/1", 2));
}

// S5: a check that never can tell ends as its state says: parked, or in doubt.
#[tokio::test]
async fn a_check_that_never_can_tell_ends_without_an_effect() {
    let bench = Bench::memory();
    let app = bench.start_with(settles_slowly).await;
    bench.world.answers([Found::Unclear(None), Found::Unclear(None)]);
    let error = bench.run(app.execute(settles_slowly("1".into())).wait("1h")).await.unwrap_err();
    assert_eq!((error.kind(), error.effect()), (ErrorKind::Parked, Effect::None));
    bench.world.script([Step::Fails(None)]);
    bench.world.answers([Found::NotThere, Found::Unclear(None)]);
    let error = bench.run(app.execute(settles_slowly("2".into())).wait("1h")).await.unwrap_err();
    assert_eq!((error.kind(), error.effect()), (ErrorKind::InDoubt, Effect::Unknown));
    assert_eq!(bench.world.bodies(), 1);
    // A call goes on with the same round, and asks first.
    let receipt = bench.run(app.execute(settles_slowly("2".into())).wait("2h").receipt()).await;
    assert_eq!(receipt.unwrap().value, "2/1");
    let execution = app.get(error.execution().unwrap()).await.unwrap().unwrap();
    assert_eq!(execution.state.round, 1);
}

// S5, S2: a *not there* in time clears the doubt, so that a failure may be called one.
#[tokio::test]
async fn a_settled_check_lets_a_failure_be_a_failure() {
    let bench = Bench::memory();
    let app = bench.start().await;
    let permanent = Step::Fails(Some(FailureClass::Permanent));
    bench.world.script([Step::Fails(None), permanent]);
    let error =
        bench.run(app.execute(checked("1".into(), "n".into())).wait("5m")).await.unwrap_err();
    assert_eq!((error.kind(), error.effect()), (ErrorKind::Failed, Effect::None));
    let id = error.execution().unwrap();
    let expected = ["claimed", "unknown", "claimed", "ask_later", "claimed", "not_there", "failed"];
    assert_eq!(words(&app, id).await, expected);
}

#[action(key(id), check(find_slowly, settle = "1s"), timeout = "10s")]
async fn asks_briefly(world: &World, id: String) -> Result<String> {
    world.act(&id).await
}

// S5: the time-out bounds a check too, and that is no effect.
#[tokio::test]
async fn a_check_that_hangs_is_asked_again() {
    let bench = Bench::memory();
    let app = bench.start_with(asks_briefly).await;
    bench.world.answers([Found::Hangs]);
    let receipt = bench.run(app.execute(asks_briefly("1".into())).receipt()).await.unwrap();
    assert_eq!((bench.world.checks(), bench.world.bodies()), (2, 1));
    let expected = ["claimed", "ask_later", "claimed", "succeeded"];
    assert_eq!(words(&app, receipt.execution).await, expected);
    assert!(receipt.ended.since(ManualClock::START) >= Duration::from_secs(10));
}
