//! What an error tells, and answers that no longer fit the code.

use serde::{Deserialize, Serialize};

use super::harness::*;

on_both_stores![
    an_error_tells_what_a_caller_acts_on,
    an_authors_code_is_the_errors_code,
    a_result_that_the_code_cannot_read_is_no_retry,
    parameters_that_the_code_cannot_read_park,
    a_lost_reply_is_answered_by_the_next_call,
    a_charge_is_guarded_by_its_transaction,
    an_error_shows_no_value,
];

// R17, R48
async fn an_error_tells_what_a_caller_acts_on(bench: Bench) {
    use FailureClass::{Permanent, Repair};
    let app = bench.start().await;
    let cases: [(Step, ErrorKind, Effect, bool, bool); 4] = [
        (Step::Fails(Some(Permanent)), ErrorKind::Failed, Effect::None, false, false),
        (Step::Fails(Some(Repair)), ErrorKind::Parked, Effect::None, false, true),
        (Step::Fails(None), ErrorKind::InDoubt, Effect::Unknown, false, true),
        (Step::Hangs, ErrorKind::InProgress, Effect::Unknown, true, false),
    ];
    for (at, (step, kind, effect, retryable, person)) in cases.into_iter().enumerate() {
        bench.world.script([step]);
        let call = || app.execute(once(at.to_string(), "n".into()));
        if kind == ErrorKind::InProgress {
            drop(tokio::spawn(call().into_future()));
            bench.world.until_bodies(at + 1).await;
        }
        let wait = if kind == ErrorKind::InProgress { "50ms" } else { "30s" };
        let error = bench.run(call().wait(wait)).await.unwrap_err();
        assert_eq!((error.kind(), error.code()), (kind, kind.code()));
        assert_eq!((error.effect(), error.retryable()), (effect, retryable), "{error:?}");
        assert_eq!(error.attempts(), 1, "{error:?}");
        let id = error.execution().expect("its execution").to_string();
        assert!(error.to_string().contains(&id), "{error}");
        assert!(error.message().contains("`once`"), "{error}");
        assert_eq!(error.advice().is_some(), person, "a person must act: {error}");
    }
}

#[action(key(id), once)]
async fn declines(world: &World, id: u64) -> Result<()> {
    world.act(&id.to_string()).await?;
    Err(Failure::new("declined").permanent().code("card_declined").status(402))
}

// R17
async fn an_authors_code_is_the_errors_code(bench: Bench) {
    let app = bench.start_with(declines).await;
    for replayed in [false, true] {
        let error = app.execute(declines(1)).await.unwrap_err();
        assert_eq!((error.code(), error.kind()), ("card_declined", ErrorKind::Failed));
        assert_eq!(error.failure().unwrap().status, Some(402));
        assert_eq!(error.is_replayed(), replayed);
    }
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Named {
    name: String,
}

#[action(key(id), name = "makes")]
async fn makes_a_text(world: &World, id: u64) -> Result<String> {
    world.act(&id.to_string()).await
}

#[action(key(id), name = "makes")]
async fn makes_a_struct(world: &World, id: u64) -> Result<Named> {
    Ok(Named { name: world.act(&id.to_string()).await? })
}

// S5.32, C89
async fn a_result_that_the_code_cannot_read_is_no_retry(bench: Bench) {
    let old = bench.start_with(makes_a_text).await;
    let first = old.execute(makes_a_text(1)).receipt().await.unwrap();
    let new = bench.start_with(makes_a_struct).await;
    for _ in 0..2 {
        let error = new.execute(makes_a_struct(1)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::IncompatibleResult);
        assert_eq!((error.effect(), error.retryable()), (Effect::Applied, false));
        assert!(error.message().contains("Named"), "names the type: {error}");
    }
    let params = serde_json::json!({"id": 1});
    let named = new.execute_named("makes", params).receipt().await.unwrap();
    assert_eq!((named.json, named.how), (first.json, How::Replayed), "by name the stored bytes");
    assert_eq!(bench.world.bodies(), 1);
}

#[action(key(id), name = "changes", once)]
async fn takes_a_text(world: &World, id: u64, amount: String) -> Result<String> {
    drop(amount);
    world.act(&id.to_string()).await
}

#[action(key(id), name = "changes", once)]
async fn takes_a_number(world: &World, id: u64, amount: u64, _new: u64) -> Result<String> {
    let _ = amount;
    world.act(&id.to_string()).await
}

// S5.33
async fn parameters_that_the_code_cannot_read_park(bench: Bench) {
    let front = bench.builder().only(takes_a_text).connect().await.unwrap();
    let handle = front.submit(takes_a_text(1, "ten".into())).await.unwrap();
    let new = bench.start_with(takes_a_number).await;
    let error = bench.run(handle.wait()).await.unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::Parked, "incompatible_params"));
    assert_eq!((error.effect(), bench.world.bodies()), (Effect::None, 0));
    assert!(!error.message().contains("ten"), "no value: {error}");
    let execution = new.get(handle.execution()).await.unwrap().unwrap();
    assert!(!execution.state.doubt);
    new.drain("1s").await.unwrap();
    // The code that can read them goes on.
    let old = bench.start_with(takes_a_text).await;
    old.retry(handle.execution()).because("rolled back the release").await.unwrap();
    let value = bench.run(old.execute(takes_a_text(1, "ten".into()))).await.unwrap();
    assert_eq!(value, "1/1");
    let expected = ["submitted", "claimed", "parked", "retried", "claimed", "succeeded"];
    assert_eq!(words(&old, handle.execution()).await, expected);
}

// R18, F06: the caller's wait was over, or its reply was lost; it asks again.
async fn a_lost_reply_is_answered_by_the_next_call(bench: Bench) {
    let app = bench.start().await;
    bench.world.script([Step::AppliesThenHangs]);
    let call = || once("1".into(), "n".into());
    let error = bench.run(app.execute(call()).wait("10ms")).await.unwrap_err();
    assert!(error.retryable(), "{error:?}");
    bench.world.release();
    for _ in 0..3 {
        let receipt = bench.run(app.execute(call()).receipt()).await.unwrap();
        assert_eq!(receipt.value, "1/1");
        assert_ne!(receipt.how, How::Executed);
    }
    assert_eq!(bench.world.effects(), 1);
}

#[action(key(transaction_id), once)]
async fn charge_card(
    world: &World,
    transaction_id: String,
    card: String,
    cents: u64,
) -> Result<String> {
    drop((card, cents));
    world.act(&transaction_id).await
}

// R32
async fn a_charge_is_guarded_by_its_transaction(bench: Bench) {
    let app = bench.start_with(charge_card).await;
    let charge = |id: &str, cents| charge_card(id.into(), "4242".into(), cents);
    app.execute(charge("tx-1", 500)).await.unwrap();
    app.execute(charge("tx-1", 500)).await.unwrap();
    let error = app.execute(charge("tx-1", 900)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::KeyReused);
    assert!(error.message().contains("`cents`") && !error.message().contains("`card`"), "{error}");
    assert_eq!(bench.world.effects(), 1);
    app.execute(charge("tx-2", 500)).await.unwrap();
    assert_eq!(bench.world.effects(), 2);
}

// R17: no parameter's value in an error, a Debug or a call.
async fn an_error_shows_no_value(bench: Bench) {
    use FailureClass::{Permanent, Repair};
    let app = bench.start_with(charge_card).await;
    let call = charge_card("tx-secret".into(), "card-secret".into(), 500);
    bench.world.script([
        Step::Fails(Some(Permanent)),
        Step::Fails(Some(Repair)),
        Step::Fails(None),
    ]);
    let mut shown = format!("{call:?} {app:?}");
    for cents in 1..4 {
        let call = charge_card("tx-secret".into(), "card-secret".into(), cents);
        let error = app.execute(call).await.unwrap_err();
        shown += &format!("{error} {error:?}");
    }
    let other = charge_card("tx-secret".into(), "another-secret".into(), 4);
    let error = app.execute(other).await.unwrap_err();
    shown += &format!("{error} {error:?}");
    assert!(!shown.contains("secret"), "{shown}");
}
