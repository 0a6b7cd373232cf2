//! Which calls are one execution: scope, action, key; and what tells a repeat from another request.

use serde_json::{Value, json};

use super::harness::*;

on_both_stores![
    two_actions_of_the_same_parameters_both_run,
    two_tenants_of_the_same_key_both_run,
    another_template_is_another_mail,
    parts_of_a_key_never_run_into_each_other,
    zero_false_and_empty_are_values,
    absent_and_none_are_the_same,
    a_named_expression_stands_for_its_parameter,
    an_ignored_parameter_may_differ_and_the_first_one_counts,
    a_body_that_changes_its_input_changes_no_key,
    a_function_that_moves_keeps_its_keys,
    a_new_key_version_is_a_new_identity,
    a_release_that_adds_or_drops_a_parameter_refuses_nobody,
    the_order_of_members_of_a_json_parameter_is_no_difference,
    the_callers_key_is_another_domain,
];

// C1
async fn two_actions_of_the_same_parameters_both_run(bench: Bench) {
    let app = bench.start().await;
    let first = app.execute(once("1".into(), "n".into())).receipt().await.unwrap();
    let second = app.execute(repeatable("1".into(), "n".into())).receipt().await.unwrap();
    assert_eq!((first.how, second.how), (How::Executed, How::Executed));
    assert_ne!(first.execution, second.execution);
    assert_eq!(bench.world.effects(), 2);
}

// S1, C31, C32
async fn two_tenants_of_the_same_key_both_run(bench: Bench) {
    let app = bench.start().await;
    let acme = app.scope("acme");
    let own = app.execute(once("1".into(), "mine".into())).receipt().await.unwrap();
    let theirs = acme.execute(once("1".into(), "theirs".into())).receipt().await.unwrap();
    assert_eq!(theirs.how, How::Executed, "neither a replay nor key_reused");
    assert_ne!(own.execution, theirs.execution);
    assert!(app.get(theirs.execution).await.unwrap().is_none(), "another tenant's is not found");
    assert!(acme.get(own.execution).await.unwrap().is_none());
    let error = acme.history(own.execution).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    let error = acme.resolve(own.execution, Resolution::NotDone).because("x").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert_eq!(bench.world.effects(), 2);
}

#[action(key(user, template), once)]
async fn mail(world: &World, user: String, template: String) -> Result<String> {
    world.act(&format!("{user}{template}")).await
}

// R27
async fn another_template_is_another_mail(bench: Bench) {
    let app = bench.start_with(mail).await;
    let welcome = app.execute(mail("u".into(), "welcome".into())).await.unwrap();
    let goodbye = app.execute(mail("u".into(), "goodbye".into())).await.unwrap();
    assert_ne!(welcome, goodbye);
    assert_eq!(app.execute(mail("u".into(), "welcome".into())).await.unwrap(), welcome);
    assert_eq!(bench.world.effects(), 2);
}

// R27, C20
async fn parts_of_a_key_never_run_into_each_other(bench: Bench) {
    let app = bench.start_with(mail).await;
    for (user, template) in [("ab", "c"), ("a", "bc"), ("abc", ""), ("", "abc"), ("a|b", "c")] {
        let receipt = app.execute(mail(user.into(), template.into())).receipt().await.unwrap();
        assert_eq!(receipt.how, How::Executed, "{user:?} {template:?}");
    }
    for (tenant, template) in [("a:b", "c"), ("a", "b:c")] {
        let app = app.scope(tenant);
        let receipt = app.execute(mail("u".into(), template.into())).receipt().await.unwrap();
        assert_eq!(receipt.how, How::Executed, "{tenant:?} {template:?}");
    }
}

#[action(key(number, flag, text))]
async fn values(
    world: &World,
    number: Option<u64>,
    flag: Option<bool>,
    text: Option<String>,
) -> Result<String> {
    drop((number, flag, text));
    world.act("values").await
}

// S1, C11, C35
async fn zero_false_and_empty_are_values(bench: Bench) {
    let app = bench.start_with(values).await;
    let calls = [
        values(Some(0), None, None),
        values(None, Some(false), None),
        values(None, None, Some(String::new())),
        values(Some(0), Some(false), Some(String::new())),
    ];
    for (at, call) in calls.into_iter().enumerate() {
        let receipt = app.execute(call.clone()).receipt().await.unwrap();
        assert_eq!(receipt.how, How::Executed, "call {at}");
        assert_eq!(app.execute(call).receipt().await.unwrap().how, How::Replayed, "call {at}");
    }
    let error = app.execute(values(None, None, None)).await.unwrap_err();
    assert_eq!((error.kind(), error.effect()), (ErrorKind::InvalidKey, Effect::None));
    assert_eq!(bench.world.effects(), 4);
}

// S1
async fn absent_and_none_are_the_same(bench: Bench) {
    let app = bench.start_with(values).await;
    app.execute(values(Some(7), None, None)).await.unwrap();
    for params in [json!({"number": 7}), json!({"number": 7, "flag": null, "text": null})] {
        let receipt = app.execute_named("values", params).receipt().await.unwrap();
        assert_eq!(receipt.how, How::Replayed);
    }
}

#[action(key(email = email.trim().to_lowercase()))]
async fn sign_up(world: &World, email: String) -> Result<String> {
    world.act(&email).await
}

// S1
async fn a_named_expression_stands_for_its_parameter(bench: Bench) {
    let app = bench.start_with(sign_up).await;
    let first = app.execute(sign_up("ada@example.com".into())).await.unwrap();
    let again = app.execute(sign_up(" Ada@Example.COM ".into())).await.unwrap();
    assert_eq!(first, again, "a replay, not key_reused");
    assert_eq!(bench.world.effects(), 1);
}

#[action(key(id), ignore(trace_id))]
async fn traced(world: &World, id: u64, amount: u64, trace_id: String) -> Result<String> {
    world.act(&format!("{id} {amount} {trace_id}")).await
}

// S1.6
async fn an_ignored_parameter_may_differ_and_the_first_one_counts(bench: Bench) {
    let app = bench.start_with(traced).await;
    let first = app.execute(traced(1, 5, "a".into())).await.unwrap();
    assert_eq!(app.execute(traced(1, 5, "b".into())).await.unwrap(), first);
    let error = app.execute(traced(1, 6, "a".into())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::KeyReused);
    assert!(error.message().contains("amount") && !error.message().contains("trace_id"), "{error}");
    assert_eq!(bench.world.effects(), 1);
}

#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Order {
    id: u64,
    normalized: bool,
}

#[action(key(order.id))]
async fn place(world: &World, mut order: Order) -> Result<bool> {
    order.normalized = true;
    order.id += 1;
    world.act("order").await?;
    Ok(order.normalized)
}

// S1, C8
async fn a_body_that_changes_its_input_changes_no_key(bench: Bench) {
    let app = bench.start_with(place).await;
    let order = Order { id: 1, normalized: false };
    let first = app.execute(place(order.clone())).receipt().await.unwrap();
    let again = app.execute(place(order)).receipt().await.unwrap();
    assert_eq!((first.execution, again.how), (again.execution, How::Replayed));
    assert!(again.value);
    assert_eq!(bench.world.effects(), 1);
}

mod before {
    use super::super::harness::*;

    #[action(key(id, kind), name = "billing.charge")]
    pub(super) async fn charge(world: &World, kind: String, id: u32) -> Result<String> {
        drop(kind);
        world.act(&id.to_string()).await
    }
}

mod after {
    use super::super::harness::*;

    /// Moved, renamed, its parameters in another order, one of them wider.
    #[action(key(kind, id), name = "billing.charge")]
    pub(super) async fn take_money(world: &World, id: u64, kind: String) -> Result<String> {
        drop(kind);
        world.act(&id.to_string()).await
    }
}

// S1, C5
async fn a_function_that_moves_keeps_its_keys(bench: Bench) {
    let old = bench.start_with(before::charge).await;
    let first = old.execute(before::charge("card".into(), 1)).receipt().await.unwrap();
    old.drain("1s").await.unwrap();
    let new = bench.start_with(after::take_money).await;
    let again = new.execute(after::take_money(1, "card".into())).receipt().await.unwrap();
    assert_eq!((again.how, again.value), (How::Replayed, first.value));
    assert_eq!(bench.world.effects(), 1);
}

#[action(key(id), name = "versioned")]
async fn version_one(world: &World, id: u64) -> Result<String> {
    world.act(&id.to_string()).await
}

#[action(key(id), name = "versioned", key_version = 2)]
async fn version_two(world: &World, id: u64) -> Result<String> {
    world.act(&id.to_string()).await
}

// S1
async fn a_new_key_version_is_a_new_identity(bench: Bench) {
    let old = bench.start_with(version_one).await;
    let new = bench.start_with(version_two).await;
    let first = old.execute(version_one(1)).receipt().await.unwrap();
    let second = new.execute(version_two(1)).receipt().await.unwrap();
    assert_ne!(first.execution, second.execution);
    assert_eq!(bench.world.effects(), 2);
}

#[action(key(id), name = "grows")]
async fn without(world: &World, id: u64, amount: u64) -> Result<String> {
    let _ = amount;
    world.act(&id.to_string()).await
}

#[action(key(id), name = "grows")]
async fn with(world: &World, id: u64, amount: u64, note: Option<String>) -> Result<String> {
    drop((amount, note));
    world.act(&id.to_string()).await
}

// S1
async fn a_release_that_adds_or_drops_a_parameter_refuses_nobody(bench: Bench) {
    let old = bench.start_with(without).await;
    let new = bench.start_with(with).await;
    old.execute(without(1, 10)).await.unwrap();
    new.execute(with(2, 10, Some("x".into()))).await.unwrap();
    let receipt = new.execute(with(1, 10, Some("y".into()))).receipt().await.unwrap();
    assert_eq!(receipt.how, How::Replayed, "a parameter was added");
    let receipt = old.execute(without(2, 10)).receipt().await.unwrap();
    assert_eq!(receipt.how, How::Replayed, "a parameter was dropped");
    let error = new.execute(with(1, 11, None)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::KeyReused, "what both know is compared");
    assert!(error.message().contains("`amount`"), "{error}");
}

#[action(key(id))]
async fn with_json(world: &World, id: u64, body: Value) -> Result<String> {
    drop(body);
    world.act(&id.to_string()).await
}

// C2, R22
async fn the_order_of_members_of_a_json_parameter_is_no_difference(bench: Bench) {
    let app = bench.start_with(with_json).await;
    let parse = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    app.execute(with_json(1, parse(r#"{"a":1,"b":[2,{"c":3,"d":4}]}"#))).await.unwrap();
    let other = parse(r#"{ "b": [2, {"d": 4, "c": 3}], "a": 1 }"#);
    assert_eq!(app.execute(with_json(1, other)).receipt().await.unwrap().how, How::Replayed);
    let error = app.execute(with_json(1, parse(r#"{"a":1}"#))).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::KeyReused);
}

#[action(key = caller)]
async fn by_caller(world: &World, amount: u64) -> Result<String> {
    world.act(&amount.to_string()).await
}

// S1, C28
async fn the_callers_key_is_another_domain(bench: Bench) {
    let app = bench.start_with((by_caller, mail)).await;
    let first = app.execute(by_caller(5).keyed("k-1")).receipt().await.unwrap();
    let again = app.execute(by_caller(5).keyed("k-1")).receipt().await.unwrap();
    let other = app.execute(by_caller(5).keyed("k-2")).receipt().await.unwrap();
    assert_eq!((again.how, other.how), (How::Replayed, How::Executed));
    assert_eq!(first.value, again.value);
    let error = app.execute(by_caller(6).keyed("k-1")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::KeyReused);
    let most = "k".repeat(255);
    app.execute(by_caller(5).keyed(&most)).await.unwrap();
    let before = bench.world.effects();
    for refused in ["", " ", "\t", "a\nb", "\u{0}", &format!("{most}k")] {
        let error = app.execute(by_caller(5).keyed(refused)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidKey, "{refused:?}");
        assert_eq!(error.effect(), Effect::None);
    }
    let named = app.execute_named("by-caller", json!({"amount": 5})).keyed("k-1").receipt();
    assert_eq!(named.await.unwrap().how, How::Replayed);
    let error = app.execute_named("by-caller", json!({"amount": 5})).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidKey, "no key came");
    let params = json!({"user": "u", "template": "t"});
    let error = app.execute_named("mail", params).keyed("k-1").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidKey, "the action makes its own");
    assert_eq!(bench.world.effects(), before);
}
