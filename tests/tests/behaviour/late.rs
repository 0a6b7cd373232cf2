//! Ends that come late, after their attempt was given up.

use super::harness::*;

// S2, S4: an `Ok` with the last token and no claim since settles the doubt.
#[tokio::test]
async fn a_late_ok_settles_the_doubt() {
    let bench = Bench::memory();
    let (_zombie, id, task) = die(&bench, once("1".into(), "n".into())).await;
    let app = bench.start().await;
    let error = bench.run(app.execute(once("1".into(), "n".into()))).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InDoubt);
    bench.world.release();
    bench.world.until_still().await;
    let receipt = bench.run(app.execute(once("1".into(), "n".into())).receipt()).await.unwrap();
    assert_eq!((receipt.value.as_str(), receipt.how), ("1/1", How::Replayed));
    assert_eq!(words(&app, id).await, ["claimed", "died", "succeeded"]);
    drop(task);
}

// S4: a late `Err` is kept as the last failure and settles nothing.
#[tokio::test]
async fn a_late_error_settles_nothing() {
    let bench = Bench::memory();
    let zombie = bench.start().await;
    bench.world.script([Step::HangsThenFails(Some(FailureClass::Permanent))]);
    let task = tokio::spawn(zombie.execute(once("1".into(), "n".into())).into_future());
    bench.world.until_bodies(1).await;
    let id = zombie.lookup(once("1".into(), "n".into())).await.unwrap().key;
    bench.store().kill(instance_of(&zombie, id).await);
    let app = bench.start().await;
    bench.run(app.execute(once("1".into(), "n".into()))).await.unwrap_err();
    bench.world.release();
    let late = bench.run(task).await.unwrap().unwrap_err();
    assert_eq!((late.kind(), late.effect()), (ErrorKind::InDoubt, Effect::Unknown));
    assert_eq!(words(&app, id).await, ["claimed", "died", "late_failure"]);
    let execution = app.get(id).await.unwrap().unwrap();
    assert_eq!(execution.state.status, Status::InDoubt);
    assert_eq!(execution.state.failure.as_ref().unwrap().message, "scripted failure");
}

// S2: Failed by resolve, with no claim since.
#[tokio::test]
async fn a_late_ok_overrules_a_resolution_as_failed() {
    let bench = Bench::memory();
    let (_zombie, id, task) = die(&bench, once("1".into(), "n".into())).await;
    let app = bench.start().await;
    bench.run(app.execute(once("1".into(), "n".into()))).await.unwrap_err();
    let failed = Resolution::Failed("never arrived".into());
    app.resolve(id, failed).because("asked the provider").await.unwrap();
    bench.world.release();
    assert_eq!(bench.run(task).await.unwrap().unwrap(), "1/1");
    let expected = ["claimed", "died", "resolved_failed", "succeeded"];
    assert_eq!(words(&app, id).await, expected);
    assert_eq!(bench.run(app.execute(once("1".into(), "n".into()))).await.unwrap(), "1/1");
}

// C64, C65, F39: after another claim the zombie writes nothing, and hears what came of it.
#[tokio::test]
async fn a_zombie_never_overwrites_what_came_after_it() {
    for late in [Step::Hangs, Step::HangsThenFails(Some(FailureClass::Permanent))] {
        let bench = Bench::memory();
        let zombie = bench.start().await;
        bench.world.script([late, Step::Ok]);
        let call = || repeatable("1".into(), "n".into());
        let task = tokio::spawn(zombie.execute(call()).wait("1h").receipt());
        bench.world.until_bodies(1).await;
        let id = zombie.lookup(call()).await.unwrap().key;
        bench.store().kill(instance_of(&zombie, id).await);
        let app = bench.start().await;
        let receipt = bench.run(app.execute(call()).receipt()).await.unwrap();
        assert_eq!((receipt.value.as_str(), receipt.attempts), ("1/1", 2));
        bench.world.release();
        let heard = bench.run(task).await.unwrap().unwrap();
        assert_eq!(heard.json, receipt.json, "the second one's answer stands");
        assert_ne!(heard.how, How::Executed);
        assert_eq!(words(&app, id).await, ["claimed", "died", "claimed", "succeeded"]);
    }
}
