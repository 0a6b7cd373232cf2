//! Faults that users of other systems reported, where no other file has them; those that need a
//! part which is not built yet wait here, ignored, with the reason.
//!
//! Elsewhere: C17 and C29 are compile tests; C22 and C76 are in the stores' conformance suite; C25
//! and C26 are the key vectors and the package `serde-features`.

use do_runtime::prelude::*;
use serde::{Deserialize, Serialize};

use super::harness::*;

on_both_stores![
    two_fields_make_one_key_and_are_missing_each_for_itself,
    two_ids_that_differ_deep_inside_are_two,
    a_field_more_or_less_is_another_key_in_either_order,
    one_word_in_two_groups_is_two_actions,
    large_numbers_are_exact,
];

#[action(key(tenant, user))]
async fn invite(world: &World, tenant: Option<String>, user: Option<String>) -> Result<String> {
    drop((tenant, user));
    world.act("invite").await
}

// C10
async fn two_fields_make_one_key_and_are_missing_each_for_itself(bench: Bench) {
    let app = bench.start_with(invite).await;
    let text = |text: &str| Some(text.to_owned());
    for call in [invite(text("a"), text("b")), invite(text("a"), None), invite(None, text("a"))] {
        let first = app.execute(call.clone()).receipt().await.unwrap();
        let again = app.execute(call).receipt().await.unwrap();
        assert_eq!((first.how, again.how), (How::Executed, How::Replayed));
    }
    let error = app.execute(invite(None, None)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidKey);
    assert_eq!(bench.world.effects(), 3);
}

#[derive(Debug, Clone, Serialize, Deserialize, KeyPart)]
struct Row {
    pk: Id,
}

#[derive(Debug, Clone, Serialize, Deserialize, KeyPart)]
struct Id {
    id: String,
}

#[action(key(row))]
async fn insert(world: &World, row: Row) -> Result<String> {
    world.act(&row.pk.id).await
}

// C13
async fn two_ids_that_differ_deep_inside_are_two(bench: Bench) {
    let app = bench.start_with(insert).await;
    for id in ["A", "B", ""] {
        let call = insert(Row { pk: Id { id: id.into() } });
        assert_eq!(app.execute(call).receipt().await.unwrap().how, How::Executed, "{id:?}");
    }
    assert_eq!(bench.world.effects(), 3);
}

// C14: equality, never containment.
async fn a_field_more_or_less_is_another_key_in_either_order(bench: Bench) {
    let app = bench.start_with(invite).await;
    let more = |tenant: &str| invite(Some(tenant.into()), Some("x".into()));
    let less = |tenant: &str| invite(Some(tenant.into()), None);
    for call in [more("1"), less("1"), less("2"), more("2")] {
        assert_eq!(app.execute(call).receipt().await.unwrap().how, How::Executed);
    }
    assert_eq!(bench.world.effects(), 4);
}

#[action(key = caller, name = "billing.run")]
async fn run_billing(world: &World) -> Result<String> {
    world.act("billing").await
}

#[action(key = caller, name = "reports.run")]
async fn run_reports(world: &World) -> Result<String> {
    world.act("reports").await
}

// C19, C34: and a caller's key belongs to one call.
async fn one_word_in_two_groups_is_two_actions(bench: Bench) {
    let app = bench.start_with((run_billing, run_reports)).await;
    let billing = app.execute(run_billing().keyed("monday")).receipt().await.unwrap();
    let reports = app.execute(run_reports().keyed("monday")).receipt().await.unwrap();
    assert_eq!((billing.how, reports.how), (How::Executed, How::Executed));
    assert_ne!(billing.execution, reports.execution);
    let next = app.execute(run_billing().keyed("tuesday")).receipt().await.unwrap();
    assert_eq!((next.how, bench.world.effects()), (How::Executed, 3));
}

#[action(key(id))]
async fn charge(world: &World, id: u64, cents: i128) -> Result<String> {
    let _ = cents;
    world.act(&id.to_string()).await
}

// C23
async fn large_numbers_are_exact(bench: Bench) {
    let app = bench.start_with(charge).await;
    for id in [9_007_199_254_740_992, 9_007_199_254_740_993, u64::MAX, u64::MAX - 1] {
        let receipt = app.execute(charge(id, 1 << 53)).receipt().await.unwrap();
        assert_eq!(receipt.how, How::Executed, "{id}");
        let error = app.execute(charge(id, (1 << 53) + 1)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::KeyReused, "also outside the key");
    }
}

/// A report that waits for a part of its own.
macro_rules! waiting {
    ($($test:ident, $reason:literal;)*) => {
        $(#[test]
        #[ignore = $reason]
        fn $test() {})*
    };
}

waiting! {
    c47_a_client_tries_again_while_in_progress, "no client over HTTP yet";
    c49_an_id_is_made_once_at_the_edge, "no server yet";
    c61_a_suspended_run_is_resumed_by_its_owner, "no workflows yet";
    c71_a_worker_keeps_its_claim_over_a_restart_of_the_server, "no remote workers yet";
    c73_a_connection_that_dies_is_no_lost_claim, "no PostgreSQL store yet";
    c77_a_fenced_client_stops, "no remote workers yet";
    c79_a_cache_that_evicts_is_no_record, "no Redis store is planned";
    c85_status_and_headers_replay_equal, "no server yet";
    c88_steps_that_are_swapped_find_their_own_records, "no workflows yet";
    c112_a_replay_is_in_the_trail_with_its_principal, "no access entries yet";
    c113_a_replay_is_authorised_like_a_new_call, "no server yet";
}
