//! Each limit: one below, at, and one above.

use std::task::{Context, Waker};

use serde_json::Value;

use super::harness::*;

on_both_stores![parameters, key_material, depth, results, failure_text];

const MIB: usize = 1 << 20;

#[action(key(id))]
async fn takes(world: &World, id: u64, text: String) -> Result<usize> {
    world.act(&id.to_string()).await?;
    Ok(text.len())
}

// S10.1: 1 MiB as recorded.
async fn parameters(bench: Bench) {
    let app = bench.start_with(takes).await;
    let around = r#"{"id":1,"text":""}"#.len();
    for (id, over) in [(1, -1_i64), (2, 0), (3, 1)] {
        let length = usize::try_from(MIB as i64 - around as i64 + over).unwrap();
        let call = takes(id, "x".repeat(length));
        match app.execute(call).await {
            Ok(echoed) => assert!(over <= 0 && echoed == length, "{over}"),
            Err(error) => {
                assert_eq!((error.kind(), over), (ErrorKind::InvalidParams, 1), "{error}");
                assert_eq!(error.effect(), Effect::None);
                assert!(error.message().contains("1048577"), "{error}");
            }
        }
    }
    assert_eq!(bench.world.effects(), 2);
}

#[action(key(text))]
async fn keyed_by(world: &World, text: String) -> Result<()> {
    drop(text);
    world.act("key").await.map(drop)
}

// S10: 64 KiB of key material.
async fn key_material(bench: Bench) {
    let app = bench.start_with(keyed_by).await;
    let around = r#"[["text",["s",""]]]"#.len();
    for over in [-1_i64, 0, 1] {
        let length = usize::try_from(65_536 - around as i64 + over).unwrap();
        match app.execute(keyed_by("x".repeat(length))).await {
            Ok(()) => assert!(over <= 0, "{over}"),
            Err(error) => assert_eq!((error.kind(), over), (ErrorKind::InvalidKey, 1), "{error}"),
        }
    }
    assert_eq!(bench.world.effects(), 2);
}

#[action(key(id))]
async fn deep(world: &World, id: u64, value: Value) -> Result<Value> {
    world.act(&id.to_string()).await?;
    Ok(value)
}

// S10: 64 lists and objects within one another.
async fn depth(bench: Bench) {
    let app = bench.start_with(deep).await;
    for levels in [63, 64, 65] {
        let value =
            (1..levels).fold(Value::Array(Vec::new()), |inner, _| Value::Array(vec![inner]));
        match app.execute(deep(levels, value.clone())).await {
            Ok(back) => assert!(levels <= 64 && back == value),
            Err(error) => assert_eq!((error.kind(), levels), (ErrorKind::InvalidParams, 65)),
        }
        let text = format!("{}{}", "[".repeat(levels as usize), "]".repeat(levels as usize));
        let named = format!(r#"{{"id": {}, "value": {text}}}"#, levels + 100);
        let params: Value = serde_json::from_str(&named).unwrap();
        let answer = app.execute_named("deep", params).await;
        assert_eq!(answer.is_ok(), levels <= 64, "by name, {levels}");
    }
}

#[action(key(length))]
async fn returns(world: &World, length: usize) -> Result<String> {
    world.act("result").await?;
    Ok("x".repeat(length - 2))
}

// S10.2, S5.30: 1 MiB beside the record, 16 MiB apart; above it is left out, and done all the same.
async fn results(bench: Bench) {
    let app = bench.start_with(returns).await;
    let other = bench.start_with(returns).await;
    for length in [MIB - 1, MIB, MIB + 1, 16 * MIB - 1, 16 * MIB, 16 * MIB + 1] {
        let before = bench.world.effects();
        let apps = if length < 2 * MIB { vec![&app, &app, &other] } else { vec![&app, &other] };
        for (at, app) in apps.into_iter().enumerate() {
            match app.execute(returns(length)).receipt().await {
                Ok(receipt) => {
                    assert!(length <= 16 * MIB);
                    assert_eq!(receipt.json.len(), length);
                    assert_eq!(receipt.how == How::Executed, at == 0);
                }
                Err(error) => {
                    assert_eq!(
                        (error.kind(), length),
                        (ErrorKind::IncompatibleResult, 16 * MIB + 1)
                    );
                    assert_eq!((error.effect(), error.retryable()), (Effect::Applied, false));
                    assert!(error.message().contains("16777217"), "its length: {error}");
                    assert!(error.message().contains("SHA-256"), "its hash: {error}");
                    let id = error.execution().unwrap();
                    let execution = app.get(id).await.unwrap().unwrap();
                    assert_eq!(execution.state.status, Status::Succeeded);
                }
            }
        }
        assert_eq!(bench.world.effects(), before + 1, "done is done: {length}");
    }
}

#[action(key(length))]
async fn explains(world: &World, length: usize) -> Result<()> {
    world.act("failure").await?;
    Err(Failure::new("x".repeat(length)).permanent())
}

// S10: 8 KiB of failure text.
async fn failure_text(bench: Bench) {
    let app = bench.start_with(explains).await;
    for length in [8191, 8192, 8193, 100_000] {
        let error = app.execute(explains(length)).await.unwrap_err();
        assert_eq!(error.failure().unwrap().message.len(), length.min(8192));
    }
}

fn is_pending<F: Future + Unpin>(future: &mut F) -> bool {
    std::pin::Pin::new(future).poll(&mut Context::from_waker(Waker::noop())).is_pending()
}

// S10.8: 1,000 waiters of one key, 10,000 in all.
#[tokio::test]
async fn waiters() {
    let bench = Bench::memory();
    let app = bench.start().await;
    app.execute(once("done".into(), "n".into())).await.unwrap();
    bench.world.always(Step::Hangs);
    let mut waiting = Vec::new();
    let mut refused = 0;
    for key in 0..10 {
        for at in 0..1001 {
            let mut call = app.execute(once(key.to_string(), "n".into()));
            if is_pending(&mut call) {
                waiting.push(call);
            } else {
                assert_eq!(at, 1000, "only the one above");
                let error = app.execute(once(key.to_string(), "n".into())).await.unwrap_err();
                assert_eq!((error.kind(), error.effect()), (ErrorKind::Overloaded, Effect::None));
                assert!(error.retryable());
                refused += 1;
            }
        }
    }
    assert_eq!((waiting.len(), refused), (10_000, 10));
    let error = app.execute(once("another".into(), "n".into())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Overloaded, "10,000 in all");
    assert_eq!(app.execute(once("done".into(), "n".into())).await.unwrap(), "done/1", "a replay");
    // A place that is given back is taken again.
    waiting.pop();
    assert!(is_pending(&mut app.execute(once("another".into(), "n".into()))));
    assert_eq!(bench.world.effects(), 1);
}
