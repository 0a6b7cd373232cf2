//! The same properties for an action of every class, and random outages.

use std::collections::HashMap;

use do_runtime::action::{Action, Call};

use super::harness::*;

/// The same for each class: in a row, at once, over a restart, over two processes, with another
/// request.
async fn check<A>(bench: Bench, call: impl Fn(&str) -> Call<A>, other: Call<A>)
where
    A: Action<Return = Result<String>>,
{
    let app = bench.start().await;
    // R22
    let first = bench.run(app.execute(call("1")).receipt()).await.unwrap();
    assert_eq!(first.how, How::Executed);
    for _ in 0..10 {
        let again = app.execute(call("1")).receipt().await.unwrap();
        assert_eq!((again.how, &again.json), (How::Replayed, &first.json));
    }
    assert_eq!(bench.world.bodies(), 1);
    // R23
    let tasks: Vec<_> = (0..16).map(|_| tokio::spawn(app.execute(call("2")).receipt())).collect();
    let mut executed = 0;
    for task in tasks {
        executed += usize::from(bench.run(task).await.unwrap().unwrap().how == How::Executed);
    }
    assert_eq!((executed, bench.world.bodies()), (1, 2));
    // R3, R6
    bench.world.script([Step::Fails(Some(FailureClass::Transient))]);
    let healed = bench.run(app.execute(call("3")).receipt()).await.unwrap();
    assert_eq!((healed.attempts, bench.world.bodies()), (2, 4));
    // R25
    bench.world.script([Step::Fails(Some(FailureClass::Permanent))]);
    let failed = bench.run(app.execute(call("4"))).await.unwrap_err();
    assert_eq!((failed.kind(), failed.effect()), (ErrorKind::Failed, Effect::None));
    // R32
    let error = app.execute(other).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::KeyReused);
    // R24
    let two = bench.start().await;
    assert_eq!(two.execute(call("1")).await.unwrap(), first.value);
    app.drain("5s").await.unwrap();
    two.drain("5s").await.unwrap();
    let app = bench.start().await;
    assert_eq!(app.execute(call("1")).await.unwrap(), first.value);
    let again = app.execute(call("4")).await.unwrap_err();
    assert!(again.is_replayed());
    assert_eq!(bench.world.bodies(), 5);
}

async fn of_once(bench: Bench) {
    check(bench, |id| once(id.into(), "n".into()), once("1".into(), "other".into())).await;
}

async fn of_repeatable(bench: Bench) {
    check(bench, |id| repeatable(id.into(), "n".into()), repeatable("1".into(), "x".into())).await;
}

async fn of_check(bench: Bench) {
    check(bench, |id| checked(id.into(), "n".into()), checked("1".into(), "x".into())).await;
}

on_both_stores![of_once, of_repeatable, of_check, every_state_has_one_row_and_one_answer];

// R31
#[tokio::test]
async fn of_transaction() {
    let bench = Bench::sqlite();
    let world = bench.world.name();
    let other = transaction("1".into(), World::new().name());
    check(bench, |id| transaction(id.into(), world.clone()), other).await;
}

#[action(key(id), once, keep = "1ms")]
async fn expires(world: &World, id: String, note: String) -> Result<String> {
    drop(note);
    world.act(&id).await
}

// C53: dedup that is limited to some states lets duplicates slip in during the others.
async fn every_state_has_one_row_and_one_answer(bench: Bench) {
    use FailureClass::{Permanent, Repair};
    let one = bench.start_with((once, expires)).await;
    let two = bench.start_with((once, expires)).await;
    let call = |id: &str| once(id.into(), "n".into());
    one.submit(call("waiting")).after("1h").await.unwrap();
    one.execute(call("succeeded")).await.unwrap();
    bench.world.script([
        Step::Fails(Some(Permanent)),
        Step::Fails(Some(Repair)),
        Step::Fails(None),
        Step::Ok,
        Step::Hangs,
    ]);
    for id in ["failed", "parked", "in_doubt"] {
        one.execute(call(id)).await.unwrap_err();
    }
    let expired = one.execute(expires("expired".into(), "n".into())).receipt().await.unwrap();
    if bench.is_memory() {
        bench.clock().advance(Duration::from_millis(1));
    }
    let running = tokio::spawn(one.execute(call("running")).into_future());
    bench.world.until_bodies(6).await;
    let bodies = bench.world.bodies();
    // From another process: the state's answer, and no second row.
    for (id, answer) in [
        ("waiting", Err(ErrorKind::InProgress)),
        ("running", Err(ErrorKind::InProgress)),
        ("succeeded", Ok("succeeded/1")),
        ("failed", Err(ErrorKind::Failed)),
        ("in_doubt", Err(ErrorKind::InDoubt)),
    ] {
        let wait = if answer == Err(ErrorKind::InProgress) { "50ms" } else { "30s" };
        let told = bench.run(two.execute(call(id)).wait(wait)).await;
        assert_eq!(told.as_deref().map_err(Error::kind), answer, "{id}");
    }
    let told = loop {
        match two.execute(expires("expired".into(), "n".into())).await {
            Ok(_) => tokio::task::yield_now().await,
            Err(error) => break error,
        }
    };
    assert_eq!((told.kind(), told.execution()), (ErrorKind::Expired, Some(expired.execution)));
    assert_eq!(bench.world.bodies(), bodies, "nothing ran");
    assert_eq!(bench.run(two.execute(call("parked"))).await.unwrap(), "parked/3");
    let all = two.list(do_runtime::store::Filter::default()).await.unwrap().executions;
    assert_eq!(all.len(), 7, "one row each");
    bench.world.release();
    bench.run(running).await.unwrap().unwrap();
}

// R1, R20, R30, I9, I13: random outages, for every class; what is told is true.
#[tokio::test]
async fn what_is_told_is_true_under_random_outages() {
    for seed in 0..40 {
        let bench = Bench::memory();
        let app = bench.start().await;
        let mut dice = Dice(seed);
        bench.world.script((0..200).map(|_| dice.step()).collect::<Vec<_>>());
        let mut values = HashMap::new();
        for _ in 0..60 {
            let (class, number) = (dice.throw(3), dice.throw(5));
            let id = format!("{class}-{number}");
            let answer = bench.run(async {
                match class {
                    0 => app.execute(once(id.clone(), "n".into())).wait("1h").await,
                    1 => app.execute(repeatable(id.clone(), "n".into())).wait("1h").await,
                    _ => app.execute(checked(id.clone(), "n".into())).wait("1h").await,
                }
            });
            let answer = answer.await;
            let effects = bench.world.effects_of(&id);
            match &answer {
                Ok(value) => {
                    assert!(effects >= 1, "seed {seed}, {id}: done without an effect");
                    let first = values.entry(id.clone()).or_insert_with(|| value.clone());
                    assert_eq!(first, value, "seed {seed}, {id}: all answers are equal");
                }
                Err(error) => {
                    assert!(!values.contains_key(&id), "seed {seed}, {id}: {error}");
                    if error.effect() == Effect::None {
                        assert_eq!(effects, 0, "seed {seed}, {id}: {error}");
                    }
                }
            }
            if class != 1 {
                assert!(effects <= 1, "seed {seed}, {id}: {effects} effects, {answer:?}");
            }
        }
        // I5, I8: nothing stays in progress, and every trail is whole.
        for execution in app.list(do_runtime::store::Filter::default()).await.unwrap().executions {
            let id = execution.identity.key;
            assert_ne!(execution.state.status, Status::Running, "seed {seed}");
            words(&app, id).await;
        }
    }
}
