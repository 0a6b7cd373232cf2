//! Executing by name, with parameters as JSON.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::harness::*;

on_both_stores![
    a_call_by_name_is_the_same_execution,
    names_compare_exactly_and_the_nearest_is_told,
    wrong_parameters_are_told_by_their_path_and_leave_nothing,
    renamed_parameters_have_their_wire_names_at_the_door_only,
    a_null_result_is_a_success,
];

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    sku: String,
    amount: u32,
}

#[action(key(order))]
async fn place_order(
    world: &World,
    order: u64,
    lines: Vec<Line>,
    note: Option<String>,
) -> Result<usize> {
    drop(note);
    world.act(&order.to_string()).await?;
    Ok(lines.len())
}

// R13, R22
async fn a_call_by_name_is_the_same_execution(bench: Bench) {
    let app = bench.start_with(place_order).await;
    let lines = vec![Line { sku: "a".into(), amount: 2 }];
    let typed = app.execute(place_order(1, lines, None)).receipt().await.unwrap();
    let params = json!({"lines": [{"amount": 2, "sku": "a"}], "order": 1});
    let named = app.execute_named("place-order", params).receipt().await.unwrap();
    assert_eq!((named.how, named.execution), (How::Replayed, typed.execution));
    assert_eq!((named.value, named.json), (json!(1), typed.json));
    let error = app.execute_named("place-order", json!({"order": 1, "lines": []})).await;
    let error = error.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::KeyReused);
    assert!(error.message().contains("`lines`"), "{error}");
    assert_eq!(bench.world.effects(), 1);
}

// R15
async fn names_compare_exactly_and_the_nearest_is_told(bench: Bench) {
    let app = bench.start_with(place_order).await;
    for (name, hint) in [
        ("place_order", "`place-order`"),
        ("Place-Order", "`place-order`"),
        ("place-order ", "`place-order`"),
        ("place-ordr", "`place-order`"),
        ("zzz", "place-order"),
        ("", "place-order"),
    ] {
        let error = app.execute_named(name, json!({"order": 1, "lines": []})).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnknownAction, "{name:?}");
        assert_eq!((error.effect(), error.retryable()), (Effect::None, false));
        assert!(error.message().contains(hint), "{error}");
    }
    assert_eq!(bench.world.bodies(), 0);
}

// R16, S9
async fn wrong_parameters_are_told_by_their_path_and_leave_nothing(bench: Bench) {
    let app = bench.start_with((place_order, keyless)).await;
    let secret = "hunter2";
    for (params, path) in [
        (json!({"lines": []}), "order"),
        (json!({"order": 1}), "lines"),
        (json!({"order": secret, "lines": []}), "order"),
        (json!({"order": -1, "lines": []}), "order"),
        (json!({"order": 1.5, "lines": []}), "order"),
        (json!({"order": 1, "lines": secret}), "lines"),
        (json!({"order": 1, "lines": [{"sku": "a", "amount": 1}, {"sku": "b"}]}), "lines[1]"),
        (json!({"order": 1, "lines": [{"sku": "a", "amount": secret}]}), "lines[0].amount"),
        (json!({"order": 1, "lines": [{"sku": "a", "amount": 1, "color": secret}]}), "lines[0]"),
        (json!({"order": 1, "lines": [], "notes": secret}), "notes"),
        (json!({"order": 1, "lines": [], "note": 7}), "note"),
        (json!([1, []]), ""),
        (json!(null), ""),
        (json!(secret), ""),
    ] {
        let error = app.execute_named("place-order", &params).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidParams, "{params}: {error}");
        assert_eq!((error.effect(), error.retryable()), (Effect::None, false));
        assert!(error.message().starts_with(path), "{params}: {error}");
        assert!(!format!("{error} {error:?}").contains(secret), "no value: {error}");
        assert_eq!(error.execution(), None);
    }
    assert_eq!(bench.world.bodies(), 0);
    assert!(app.list(do_runtime::store::Filter::default()).await.unwrap().executions.is_empty());
    // What is a value to JSON is one here too.
    let params = json!({"order": 1, "lines": [], "note": null});
    assert_eq!(app.execute_named("place-order", params).await.unwrap(), json!(0));
    app.execute_named("keyless", json!({"one": 1})).await.unwrap();
}

#[action]
async fn keyless(world: &World, one: u8) -> Result<()> {
    world.act(&one.to_string()).await.map(drop)
}

#[action(key(user_id), rename_all = "camelCase")]
async fn renamed(world: &World, user_id: u64, full_name: String) -> Result<String> {
    drop(full_name);
    world.act(&user_id.to_string()).await
}

#[action(key(user_id), name = "renamed")]
async fn not_renamed(world: &World, user_id: u64, full_name: String) -> Result<String> {
    drop(full_name);
    world.act(&user_id.to_string()).await
}

// D3.3: names are translated at the door; key, fingerprint and record bear own names.
async fn renamed_parameters_have_their_wire_names_at_the_door_only(bench: Bench) {
    let new = bench.start_with(renamed).await;
    let old = bench.start_with(not_renamed).await;
    let params = json!({"userId": 1, "fullName": "Ada"});
    let first = new.execute_named("renamed", params).receipt().await.unwrap();
    let again = old.execute(not_renamed(1, "Ada".into())).receipt().await.unwrap();
    assert_eq!((again.how, again.execution), (How::Replayed, first.execution));
    let execution = new.get(first.execution).await.unwrap().unwrap();
    let stored: Value = serde_json::from_slice(execution.request.params.as_ref().unwrap()).unwrap();
    assert_eq!(stored, json!({"user_id": 1, "full_name": "Ada"}));
    let error = new.execute_named("renamed", json!({"user_id": 1, "fullName": "A"})).await;
    let error = error.unwrap_err();
    assert!(error.message().contains("`userId`"), "did you mean: {error}");
    let found = new.find("renamed", "user_id", &1_u64).await.unwrap();
    assert_eq!(found.len(), 1);
}

// R14
async fn a_null_result_is_a_success(bench: Bench) {
    let app = bench.start_with(keyless).await;
    for how in [How::Executed, How::Replayed] {
        let receipt = app.execute_named("keyless", json!({"one": 1})).receipt().await.unwrap();
        assert_eq!((receipt.value, receipt.how), (Value::Null, how));
    }
    bench.world.script([Step::Fails(Some(FailureClass::Permanent))]);
    let answer = app.execute_named("keyless", json!({"one": 2})).await;
    assert_eq!(answer.unwrap_err().kind(), ErrorKind::Failed);
}

// C91: what JSON can say and no number can hold.
#[tokio::test]
async fn numbers_that_are_too_large_are_refused_or_kept() {
    let bench = Bench::memory();
    let app = bench.start_with((place_order, keyless)).await;
    for text in [r#"{"one": 256}"#, r#"{"one": 1e400}"#, r#"{"one": -1}"#] {
        let raw: Box<serde_json::value::RawValue> = serde_json::from_str(text).unwrap();
        let error = app.execute_named("keyless", raw).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidParams, "{text}: {error}");
    }
    let raw = r#"{"one": 1, "one": 2}"#;
    let raw: Box<serde_json::value::RawValue> = serde_json::from_str(raw).unwrap();
    let error = app.execute_named("keyless", raw).await.unwrap_err();
    assert!(error.message().contains("given twice"), "{error}");
}
