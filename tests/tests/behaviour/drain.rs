//! The end of a runtime: no new work, what runs may end, the rest is stopped and recorded.

use super::harness::*;

on_both_stores![
    a_drain_waits_for_what_runs_and_takes_no_new_work,
    a_drain_stops_what_does_not_end_and_records_it,
    a_runtime_that_is_dropped_lets_its_bodies_end,
    a_drain_is_safe_to_repeat,
];

// S4.16, F11, C95
async fn a_drain_waits_for_what_runs_and_takes_no_new_work(bench: Bench) {
    let app = bench.start().await;
    app.execute(once("done".into(), "n".into())).await.unwrap();
    bench.world.script([Step::Hangs]);
    let task = tokio::spawn(app.execute(once("1".into(), "n".into())).receipt());
    bench.world.until_bodies(2).await;
    let drain = tokio::spawn({
        let app = app.clone();
        async move { app.drain("10m").await }
    });
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
    let error = app.execute(once("2".into(), "n".into())).await.unwrap_err();
    assert_eq!((error.kind(), error.effect()), (ErrorKind::Draining, Effect::None));
    assert!(error.retryable());
    let error = app.submit(once("3".into(), "n".into())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Draining);
    assert_eq!(app.execute(once("done".into(), "n".into())).await.unwrap(), "done/1");
    bench.world.release();
    assert_eq!(task.await.unwrap().unwrap().how, How::Executed);
    drain.await.unwrap().unwrap();
    let error = app.execute(once("4".into(), "n".into())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Draining, "also when the store is closed");
    assert_eq!(bench.world.bodies(), 2);
}

// S4.16, C58, F11
async fn a_drain_stops_what_does_not_end_and_records_it(bench: Bench) {
    let app = bench.start().await;
    bench.world.script([Step::Hangs, Step::Hangs]);
    let calls = || (once("1".into(), "n".into()), repeatable("2".into(), "n".into()));
    let first = tokio::spawn(app.execute(calls().0).into_future());
    bench.world.until_bodies(1).await;
    let second = tokio::spawn(app.execute(calls().1).wait("0s").into_future());
    bench.world.until_bodies(2).await;
    let error = bench.run(second).await.unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InProgress);
    bench.run(app.drain("20ms")).await.unwrap();
    bench.world.until_still().await;
    let error = bench.run(first).await.unwrap().unwrap_err();
    assert_eq!((error.kind(), error.effect()), (ErrorKind::InDoubt, Effect::Unknown));
    assert!(error.message().contains("drain"), "{error}");
    // The next start goes on at once, where that is safe.
    let app = bench.start().await;
    let receipt = bench.run(app.execute(calls().1).receipt()).await.unwrap();
    let expected = ["claimed", "unknown", "claimed", "succeeded"];
    assert_eq!(words(&app, receipt.execution).await, expected);
    assert_eq!(app.execute(calls().0).await.unwrap_err().kind(), ErrorKind::InDoubt);
}

// F45
async fn a_runtime_that_is_dropped_lets_its_bodies_end(bench: Bench) {
    let app = bench.start().await;
    bench.world.script(vec![Step::Hangs; 20]);
    for at in 0..20 {
        let call = once(at.to_string(), "n".into());
        drop(tokio::spawn(app.execute(call).wait("0s").into_future()));
        bench.run(bench.world.until_bodies(at + 1)).await;
    }
    drop(app);
    for _ in 0..20 {
        bench.world.release();
    }
    bench.world.until_still().await;
    let app = bench.start().await;
    for at in 0..20 {
        let call = once(at.to_string(), "n".into());
        let receipt = bench.run(app.execute(call).receipt()).await.unwrap();
        assert_ne!(receipt.how, How::Executed, "call {at}");
    }
    assert_eq!((bench.world.bodies(), bench.world.effects()), (20, 20));
}

// S7
async fn a_drain_is_safe_to_repeat(bench: Bench) {
    let app = bench.start().await;
    app.drain("1s").await.unwrap();
    app.drain("1s").await.unwrap();
    let error = app.drain("soon").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidParams);
}
