//! How long answers are kept, and what stays of them.

use super::harness::*;

#[action(key(id), once, keep = "2h")]
async fn kept(world: &World, id: String) -> Result<String> {
    world.act(&id).await
}

#[action(key(id), once, keep = "1ms", keep_failed = "1ms")]
async fn kept_briefly(world: &World, id: String) -> Result<String> {
    world.act(&id).await
}

fn expired(error: &Error) {
    assert_eq!((error.kind(), error.code()), (ErrorKind::Expired, "expired"));
    assert_eq!((error.effect(), error.retryable()), (Effect::Applied, false));
}

// S8, S3.1, C98: it counts from the end; repeats do not lengthen it; nothing runs again.
#[tokio::test]
async fn a_success_answers_for_its_time_and_leaves_a_tombstone() {
    let bench = Bench::memory();
    let mut app = bench.start_with(kept).await;
    let first = app.execute(kept("1".into())).receipt().await.unwrap();
    for _ in 0..11 {
        bench.clock().advance(Duration::from_secs(600));
        let again = app.execute(kept("1".into())).receipt().await.unwrap();
        assert_eq!((again.how, &again.json), (How::Replayed, &first.json));
        app.drain("0s").await.unwrap();
        app = bench.start_with(kept).await;
    }
    // One below, at: from the cache too.
    app.execute(kept("1".into())).await.unwrap();
    bench.clock().advance(Duration::from_secs(600) - Duration::from_millis(1));
    app.execute(kept("1".into())).await.unwrap();
    bench.clock().advance(Duration::from_millis(1));
    expired(&app.execute(kept("1".into())).await.unwrap_err());
    // Before the pruner came and after it: the same answer.
    let call = app.execute_named("kept", serde_json::json!({"id": "1"}));
    expired(&bench.run(call).await.unwrap_err());
    while app.get(first.execution).await.unwrap().unwrap().state.status != Status::Expired {
        bench.clock().advance_to_next();
        for _ in 0..50 {
            tokio::task::yield_now().await;
        }
    }
    expired(&app.execute(kept("1".into())).await.unwrap_err());
    expired(&app.submit(kept("1".into())).await.unwrap_err());
    let lookup = app.lookup(kept("1".into())).await.unwrap();
    assert_eq!(lookup.would, Would::Refuse(ErrorKind::Expired));
    let tombstone = lookup.execution.unwrap();
    assert_eq!((&tombstone.state.value, &tombstone.request.params), (&None, &None));
    assert_eq!(words(&app, first.execution).await, ["claimed", "succeeded", "expired"]);
    let error = app.retry(first.execution).because("x").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotAllowed);
    assert_eq!(bench.world.bodies(), 1);
}

// S8: the same on SQLite, by the machine's time.
#[tokio::test]
async fn a_success_expires_on_sqlite() {
    let bench = Bench::sqlite();
    let app = bench.start_with(kept_briefly).await;
    let id = app.execute(kept_briefly("1".into())).receipt().await.unwrap().execution;
    let error = loop {
        match app.execute(kept_briefly("1".into())).await {
            Ok(_) => tokio::task::yield_now().await,
            Err(error) => break error,
        }
    };
    expired(&error);
    // A start prunes at once.
    let other = bench.start_with(kept_briefly).await;
    while other.get(id).await.unwrap().unwrap().state.status != Status::Expired {
        tokio::task::yield_now().await;
    }
    expired(&other.execute(kept_briefly("1".into())).await.unwrap_err());
    assert_eq!(bench.world.bodies(), 1);
}

#[action(key(id), once, keep_failed = "1h")]
async fn forgotten_failure(world: &World, id: String) -> Result<String> {
    world.act(&id).await
}

// S8: a Failed never becomes a tombstone; parameters and text go, the round stays.
#[tokio::test]
async fn a_failure_loses_its_text_and_keeps_its_round() {
    let bench = Bench::memory();
    let app = bench.start_with(forgotten_failure).await;
    bench.world.script([Step::Fails(Some(FailureClass::Permanent))]);
    let error = app.execute(forgotten_failure("1".into())).await.unwrap_err();
    let id = error.execution().unwrap();
    while app.get(id).await.unwrap().unwrap().request.params.is_some() {
        bench.clock().advance_to_next();
        for _ in 0..50 {
            tokio::task::yield_now().await;
        }
    }
    let kept = bench.clock().now().since(ManualClock::START);
    assert!(kept >= Duration::from_secs(3600) && kept < Duration::from_secs(3700), "{kept:?}");
    let execution = app.get(id).await.unwrap().unwrap();
    assert_eq!((execution.state.status, execution.state.round), (Status::Failed, 1));
    assert_eq!(execution.state.failure.as_ref().unwrap().message, "");
    assert_eq!(words(&app, id).await, ["claimed", "failed", "pruned"]);
    app.execute(forgotten_failure("1".into())).await.unwrap();
    assert_eq!(app.get(id).await.unwrap().unwrap().state.round, 2);
}

// S8: what is not final is never touched, and a success without `keep` answers for ever.
#[tokio::test]
async fn what_is_not_final_is_never_pruned() {
    let bench = Bench::memory();
    let builder = bench.builder().lease(Duration::from_secs(86_400));
    let app = builder.only((once, repeatable)).start().await.unwrap();
    use FailureClass::Repair;
    bench.world.script([Step::Ok, Step::Fails(None), Step::Fails(Some(Repair))]);
    let mut ids = Vec::new();
    for id in ["done", "doubt", "parked"] {
        let call = app.execute(once(id.into(), "n".into())).receipt();
        ids.push(call.await.map_or_else(|error| error.execution().unwrap(), |r| r.execution));
    }
    let later = app.submit(once("later".into(), "n".into())).after("1000d").await.unwrap();
    ids.push(later.execution());
    for _ in 0..400 {
        bench.clock().advance(Duration::from_secs(86_400));
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
    }
    let expected = [Status::Succeeded, Status::InDoubt, Status::Parked, Status::Waiting];
    for (id, status) in ids.into_iter().zip(expected) {
        let execution = app.get(id).await.unwrap().unwrap();
        assert_eq!(execution.state.status, status);
        assert!(execution.request.params.is_some());
    }
    assert_eq!(app.execute(once("done".into(), "n".into())).await.unwrap(), "done/1");
}
