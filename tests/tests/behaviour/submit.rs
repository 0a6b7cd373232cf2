//! Accepted durably, run in the background.

use std::task::{Context, Waker};

use super::harness::*;

on_both_stores![
    what_is_submitted_runs_without_a_caller,
    many_submissions_of_one_call_are_one,
    a_submission_of_what_ended_asks_the_same_list,
    what_is_connected_submits_and_another_process_runs_it,
    a_handle_waits_and_goes_on,
    verbs_that_are_dropped_are_done_or_not_done,
];

// R39
async fn what_is_submitted_runs_without_a_caller(bench: Bench) {
    let app = bench.start().await;
    let handle = app.submit(once("1".into(), "n".into())).await.unwrap();
    bench.run(bench.world.until_bodies(1)).await;
    assert_eq!(bench.run(handle.wait()).await.unwrap(), "1/1");
    let expected = ["submitted", "claimed", "succeeded"];
    assert_eq!(words(&app, handle.execution()).await, expected);
    let receipt = app.execute(once("1".into(), "n".into())).receipt().await.unwrap();
    assert_eq!((receipt.how, receipt.execution), (How::Replayed, handle.execution()));
    assert_eq!(bench.run(handle.receipt("1s")).await.unwrap().how, How::Replayed);
}

// C44
async fn many_submissions_of_one_call_are_one(bench: Bench) {
    let (one, two) = (bench.start().await, bench.start().await);
    let tasks: Vec<_> = (0..32)
        .map(|at| {
            let app = if at % 2 == 0 { one.clone() } else { two.clone() };
            tokio::spawn(async move { app.submit(once("1".into(), "n".into())).await })
        })
        .collect();
    let mut ids = Vec::new();
    for task in tasks {
        let handle = bench.run(task).await.unwrap().unwrap();
        ids.push(handle.execution());
        assert_eq!(bench.run(handle.wait()).await.unwrap(), "1/1");
    }
    ids.dedup();
    assert_eq!((ids.len(), bench.world.bodies()), (1, 1));
}

// S3.15
async fn a_submission_of_what_ended_asks_the_same_list(bench: Bench) {
    let app = bench.start().await;
    let call = |id: &str| repeatable(id.into(), "n".into());
    // Succeeded: the handle replays.
    app.execute(call("done")).await.unwrap();
    let handle = app.submit(call("done")).await.unwrap();
    assert_eq!(bench.run(handle.receipt("5s")).await.unwrap().how, How::Replayed);
    // Failed: the handle replays, another request begins a new round.
    bench.world.script([Step::Fails(Some(FailureClass::Permanent))]);
    app.execute(call("failed")).await.unwrap_err();
    let handle = app.submit(call("failed")).await.unwrap();
    let error = bench.run(handle.wait()).await.unwrap_err();
    assert_eq!((error.kind(), error.is_replayed()), (ErrorKind::Failed, true));
    let handle = app.submit(repeatable("failed".into(), "other".into())).await.unwrap();
    assert_eq!(bench.run(handle.wait()).await.unwrap(), "failed/2");
    // Parked: a new round.
    bench.world.script([Step::Fails(Some(FailureClass::Repair))]);
    app.execute(call("parked")).await.unwrap_err();
    let handle = app.submit(call("parked")).await.unwrap();
    assert_eq!(bench.run(handle.wait()).await.unwrap(), "parked/3");
    let expected = ["claimed", "parked", "submitted", "claimed", "succeeded"];
    assert_eq!(words(&app, handle.execution()).await, expected);
    // In doubt and repeatable: the same round goes on.
    bench.world.script([Step::Fails(None), Step::Fails(Some(FailureClass::Repair))]);
    let error = bench.run(app.execute(call("doubt"))).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InDoubt);
    let handle = app.submit(call("doubt")).await.unwrap();
    assert_eq!(bench.run(handle.wait()).await.unwrap(), "doubt/4");
    let execution = app.get(handle.execution()).await.unwrap().unwrap();
    assert_eq!(execution.state.round, 1);
    // Another request over what is done.
    let error = app.submit(repeatable("done".into(), "other".into())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::KeyReused);
}

// D3.2, C94
async fn what_is_connected_submits_and_another_process_runs_it(bench: Bench) {
    let front = bench.builder().only((once, repeatable, checked)).connect().await.unwrap();
    let handle = front.submit(once("1".into(), "n".into())).await.unwrap();
    let error = front.execute(once("2".into(), "n".into())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotAllowed, "it runs nothing");
    assert_eq!(bench.world.bodies(), 0);
    let back = bench.start().await;
    assert_eq!(bench.run(handle.wait()).await.unwrap(), "1/1");
    let lookup = front.lookup(once("1".into(), "n".into())).await.unwrap();
    assert_eq!(lookup.would, Would::Replay);
    drop(back);
}

// S5.10
async fn a_handle_waits_and_goes_on(bench: Bench) {
    let app = bench.start().await;
    bench.world.script([Step::Hangs]);
    let handle = app.submit(once("1".into(), "n".into())).await.unwrap();
    bench.run(bench.world.until_bodies(1)).await;
    let error = bench.run(handle.wait_for("30ms")).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.execution()),
        (ErrorKind::InProgress, Some(handle.execution()))
    );
    bench.world.release();
    let receipt = bench.run(handle.clone().receipt("20s")).await.unwrap();
    assert_eq!((receipt.how, receipt.attempts), (How::Joined, 1));
}

#[action(key(id), once, keep = "1h")]
async fn kept_an_hour(world: &World, id: String) -> Result<String> {
    world.act(&id).await
}

// C62, C74, S2, C52: what waits holds nothing and never expires.
#[tokio::test]
async fn what_waits_for_days_is_run_when_it_is_due() {
    let bench = Bench::memory();
    let builder = bench.builder().lease(Duration::from_secs(3600));
    let app = builder.only(kept_an_hour).start().await.unwrap();
    let due = Timestamp::from_unix_ms(ManualClock::START.unix_ms() + 2 * 86_400_000);
    let handles = [
        app.submit(kept_an_hour("after".into())).after("2d").await.unwrap(),
        app.submit(kept_an_hour("at".into())).at(due).await.unwrap(),
    ];
    for handle in &handles {
        let execution = app.get(handle.execution()).await.unwrap().unwrap();
        assert_eq!((execution.state.due, execution.state.instance), (Some(due), None));
    }
    let early = bench.run(app.execute(kept_an_hour("after".into())).wait("1d")).await.unwrap_err();
    assert_eq!((early.kind(), early.due()), (ErrorKind::InProgress, Some(due)));
    assert_eq!((bench.world.bodies(), early.effect()), (0, Effect::None));
    for handle in handles {
        let receipt = bench.run(handle.receipt("2d")).await.unwrap();
        let late = receipt.ended.since(due);
        assert!(receipt.ended >= due && late < Duration::from_secs(60), "{late:?}");
    }
}

// S3.7, D3.2: with a due time in the past it runs at once.
#[tokio::test]
async fn a_due_time_in_the_past_is_now() {
    let bench = Bench::memory();
    let app = bench.start().await;
    let handle = app.submit(once("1".into(), "n".into())).at(Timestamp::from_unix_ms(5)).await;
    assert_eq!(bench.run(handle.unwrap().wait_for("1s")).await.unwrap(), "1/1");
    let wrong = app.submit(once("2".into(), "n".into())).after("soon").await.unwrap_err();
    assert_eq!(wrong.kind(), ErrorKind::InvalidParams);
}

// C43: accepted when the caller's own transaction commits, and only then.
#[tokio::test]
async fn what_is_submitted_within_a_transaction_commits_with_it() {
    use sqlx::Connection as _;
    let bench = Bench::sqlite();
    let app = bench.start().await;
    let mut connection = db::open(bench.file()).await;
    let call = || once("1".into(), "n".into());

    let mut rolled_back = connection.begin().await.unwrap();
    let handle = app.submit(call()).within(&mut *rolled_back).await.unwrap();
    let error = handle.wait_for("0s").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound, "not accepted yet");
    // Somebody else asks meanwhile: it is not told that this one is there.
    let mut other = Box::pin(app.execute(call()).receipt());
    assert!(other.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    rolled_back.rollback().await.unwrap();
    let receipt = other.await.unwrap();
    assert_eq!((receipt.how, receipt.value.as_str()), (How::Executed, "1/1"));

    let mut committed = connection.begin().await.unwrap();
    let row = sqlx::query("INSERT INTO effect (id) VALUES ('with it')");
    row.execute(&mut *committed).await.unwrap();
    let handle = app.submit(once("2".into(), "n".into())).within(&mut *committed).await.unwrap();
    committed.commit().await.unwrap();
    assert_eq!(handle.wait().await.unwrap(), "2/2");
    assert_eq!(db::rows(bench.file()).await, ["with it"]);

    // One that is there is found, and another request is refused.
    let mut again = connection.begin().await.unwrap();
    let handle = app.submit(call()).within(&mut *again).await.unwrap();
    assert_eq!(handle.execution(), receipt.execution);
    let reused = once("1".into(), "other".into());
    let error = app.submit(reused).within(&mut *again).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::KeyReused);
    again.commit().await.unwrap();
    assert_eq!(handle.wait().await.unwrap(), "1/1");
    assert_eq!(bench.world.effects(), 2);
}

// D4: a store without connections says so.
#[tokio::test]
async fn the_memory_store_takes_no_submission_within_a_transaction() {
    use sqlx::Connection as _;
    let bench = Bench::memory();
    let app = bench.start().await;
    let mut connection = sqlx::SqliteConnection::connect("sqlite::memory:").await.unwrap();
    let error = app.submit(once("1".into(), "n".into())).within(&mut connection).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StoreUnavailable);
    assert!(error.message().contains("no connection"), "{error}");
}

// F44: dropped at any point, a verb is done or not done, and asking again is safe.
async fn verbs_that_are_dropped_are_done_or_not_done(bench: Bench) {
    let app = bench.start().await;
    for polls in 0..12 {
        let call = || once(polls.to_string(), "n".into());
        let _ = dropped_after(polls, app.submit(call())).await.is_some();
        let handle = app.submit(call()).await.unwrap();
        let _ = dropped_after(polls, handle.wait()).await.is_some();
        bench.run(handle.wait()).await.unwrap();
        assert_eq!(words(&app, handle.execution()).await, ["submitted", "claimed", "succeeded"]);

        let id = format!("doubt {polls}");
        bench.world.script([Step::Fails(None)]);
        let key = app.execute(once(id.clone(), "n".into())).await.unwrap_err().execution().unwrap();
        let resolve = || app.resolve(key, Resolution::succeeded("x").unwrap()).because("y");
        let _ = dropped_after(polls, resolve()).await.is_some();
        resolve().await.unwrap();
        assert_eq!(words(&app, key).await, ["claimed", "in_doubt", "resolved_succeeded"]);
    }
    assert_eq!((bench.world.bodies(), bench.world.effects()), (24, 12));
}
