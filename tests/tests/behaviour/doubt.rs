//! Ends that nobody knows: what each class makes of them, and that doubt is remembered.

use super::harness::*;

on_both_stores![
    an_unknown_end_of_once_waits_for_a_decision,
    an_unknown_end_of_repeatable_is_repeated,
    doubt_turns_a_permanent_failure_into_doubt,
    doubt_turns_used_up_attempts_into_doubt,
    doubt_turns_what_would_park_into_doubt,
    a_success_clears_the_doubt,
];

const UNKNOWN: [Step; 6] = [
    Step::Fails(None),
    Step::Fails(Some(FailureClass::InDoubt)),
    Step::AppliesThenFails(None),
    Step::AppliesThenFails(Some(FailureClass::InDoubt)),
    Step::Panics,
    Step::AppliesThenPanics,
];

// D1, S5, R20, I13
async fn an_unknown_end_of_once_waits_for_a_decision(bench: Bench) {
    let app = bench.start().await;
    for (at, step) in UNKNOWN.into_iter().enumerate() {
        bench.world.script([step]);
        let bodies = bench.world.bodies();
        let call = || once(at.to_string(), "n".into());
        let error = app.execute(call()).await.unwrap_err();
        let id = error.execution().unwrap();
        assert_eq!(
            (error.kind(), error.effect()),
            (ErrorKind::InDoubt, Effect::Unknown),
            "{step:?}"
        );
        assert!(!error.retryable(), "only a decision ends it");
        assert!(error.advice().unwrap().contains(&format!("resolve(\"{id}\"")), "{error}");
        // Neither a call, nor a submission, nor time repeats it.
        let again = bench.run(app.execute(call())).await.unwrap_err();
        assert_eq!((again.kind(), again.execution()), (ErrorKind::InDoubt, Some(id)));
        assert_eq!(app.submit(call()).await.unwrap_err().kind(), ErrorKind::InDoubt);
        if bench.is_memory() {
            bench.clock().advance(Duration::from_secs(366 * 86_400));
            bench.run(tokio::task::yield_now()).await;
        }
        let refused = app.retry(id).because("just because").await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::NotAllowed);
        assert_eq!(bench.world.bodies(), bodies + 1, "{step:?}");
        assert_eq!(words(&app, id).await, ["claimed", "in_doubt"]);
        let lookup = app.lookup(call()).await.unwrap();
        assert_eq!(lookup.would, Would::Refuse(ErrorKind::InDoubt));
    }
}

// D3.4: an error without a class prints the line to write.
#[tokio::test]
async fn an_error_without_a_class_says_how_to_state_one() {
    let bench = Bench::memory();
    let app = bench.start().await;
    bench.world.script([Step::Fails(None), Step::Fails(Some(FailureClass::InDoubt))]);
    let error = app.execute(once("1".into(), "n".into())).await.unwrap_err().to_string();
    assert!(error.contains(".permanent()") && error.contains(".transient()"), "{error}");
    let error = app.execute(once("2".into(), "n".into())).await.unwrap_err().to_string();
    assert!(!error.contains(".permanent()"), "it was stated: {error}");
}

// D1, S5
async fn an_unknown_end_of_repeatable_is_repeated(bench: Bench) {
    let app = bench.start().await;
    for (at, step) in UNKNOWN.into_iter().enumerate() {
        bench.world.script([step]);
        let call = repeatable(at.to_string(), "n".into());
        let receipt = bench.run(app.execute(call).receipt()).await.unwrap();
        assert_eq!((receipt.how, receipt.attempts), (How::Executed, 2), "{step:?}");
        let expected = ["claimed", "unknown", "claimed", "succeeded"];
        assert_eq!(words(&app, receipt.execution).await, expected, "{step:?}");
        let keys = bench.world.downstream();
        assert_eq!(keys[keys.len() - 1], keys[keys.len() - 2], "the key to hand on is stable");
    }
}

// S2, S3.6
async fn doubt_turns_a_permanent_failure_into_doubt(bench: Bench) {
    let app = bench.start().await;
    let permanent = Step::Fails(Some(FailureClass::Permanent));
    bench.world.script([Step::AppliesThenFails(None), permanent]);
    let call = || repeatable("1".into(), "n".into());
    let error = bench.run(app.execute(call())).await.unwrap_err();
    assert_eq!((error.kind(), error.effect()), (ErrorKind::InDoubt, Effect::Unknown));
    let id = error.execution().unwrap();
    assert_eq!(words(&app, id).await, ["claimed", "unknown", "claimed", "in_doubt"]);
    let class = error.failure().unwrap().class;
    assert_eq!(class, Some(FailureClass::Permanent), "it holds the last failure");
    // A call does not go on after a permanent failure; an operator may, in the same round.
    let again = bench.run(app.execute(call())).await.unwrap_err();
    assert_eq!((again.kind(), bench.world.bodies()), (ErrorKind::InDoubt, 2));
    app.retry(id).because("the card was replaced").await.unwrap();
    bench.run(app.execute(call())).await.unwrap();
    let execution = app.get(id).await.unwrap().unwrap();
    assert_eq!((execution.state.round, execution.state.doubt), (1, false));
    let keys = bench.world.downstream();
    assert!(keys.iter().all(|key| *key == keys[0]), "the round never rises while there is doubt");
}

#[action(key(id), repeatable, retry(attempts = 2, max = "2ms"))]
async fn twice(world: &World, attempt: &Attempt, id: String) -> Result<String> {
    world.act_with(&id, attempt).await
}

// S2, S3.6: the same round goes on, with a fresh window.
async fn doubt_turns_used_up_attempts_into_doubt(bench: Bench) {
    let app = bench.start_with(twice).await;
    let transient = Step::Fails(Some(FailureClass::Transient));
    bench.world.script([Step::Fails(None), transient, transient]);
    let error = bench.run(app.execute(twice("1".into()))).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::InDoubt, 2));
    let lookup = app.lookup(twice("1".into())).await.unwrap();
    assert_eq!(lookup.would, Would::GoOn);
    let receipt = bench.run(app.execute(twice("1".into())).receipt()).await.unwrap();
    assert_eq!((receipt.how, receipt.attempts), (How::Executed, 4));
    let execution = app.get(receipt.execution).await.unwrap().unwrap();
    assert_eq!(execution.state.round, 1);
    let keys = bench.world.downstream();
    assert!(keys.iter().all(|key| *key == keys[0]), "{keys:?}");
}

// S2
async fn doubt_turns_what_would_park_into_doubt(bench: Bench) {
    let app = bench.start().await;
    bench.world.script([Step::Fails(None), Step::Fails(Some(FailureClass::Repair))]);
    let error = bench.run(app.execute(repeatable("1".into(), "n".into()))).await.unwrap_err();
    assert_eq!((error.kind(), error.effect()), (ErrorKind::InDoubt, Effect::Unknown));
    assert_eq!(error.failure().unwrap().class, Some(FailureClass::Repair));
}

// S2
async fn a_success_clears_the_doubt(bench: Bench) {
    let app = bench.start().await;
    bench.world.script([Step::Fails(None), Step::Fails(Some(FailureClass::Transient)), Step::Ok]);
    let call = repeatable("1".into(), "n".into());
    let receipt = bench.run(app.execute(call).receipt()).await.unwrap();
    let execution = app.get(receipt.execution).await.unwrap().unwrap();
    assert_eq!((execution.state.status, execution.state.doubt), (Status::Succeeded, false));
    let expected = ["claimed", "unknown", "claimed", "retry", "claimed", "succeeded"];
    assert_eq!(words(&app, receipt.execution).await, expected, "an `Err` clears no doubt");
}

#[action(key(id), once, timeout = "10s")]
async fn brief_once(world: &World, id: String) -> Result<String> {
    world.act(&id).await
}

#[action(key(id), repeatable, timeout = "10s")]
async fn brief_repeatable(world: &World, id: String) -> Result<String> {
    world.act(&id).await
}

// R20, F46: a time-out does not read as "did not".
#[tokio::test]
async fn a_time_out_is_an_unknown_end() {
    let bench = Bench::memory();
    let app = bench.start_with((brief_once, brief_repeatable)).await;
    bench.world.script([Step::AppliesThenHangs]);
    let error = bench.run(app.execute(brief_once("1".into()))).await.unwrap_err();
    assert_eq!((error.kind(), error.effect()), (ErrorKind::InDoubt, Effect::Unknown));
    assert!(error.message().contains("time-out of 10s"), "{error}");
    assert!(bench.clock().now().since(ManualClock::START) >= Duration::from_secs(10));
    bench.world.until_still().await;

    bench.world.script([Step::AppliesThenHangs, Step::Hangs, Step::Ok]);
    let call = app.execute(brief_repeatable("1".into())).wait("5m").receipt();
    let receipt = bench.run(call).await.unwrap();
    assert_eq!((receipt.attempts, receipt.how), (3, How::Executed));
}

// S5: the next attempt never starts in a process before the last body's task has ended.
#[tokio::test]
async fn a_body_is_gone_before_the_next_one_starts() {
    let bench = Bench::memory();
    let app = bench.start_with(alone).await;
    bench.world.script([Step::Hangs, Step::Hangs, Step::Hangs]);
    let call = app.execute(alone("1".into())).wait("5m").receipt();
    let receipt = bench.run(call).await.unwrap();
    assert_eq!(receipt.attempts, 4);
}

#[action(key(id), repeatable, timeout = "10s")]
async fn alone(world: &World, id: String) -> Result<String> {
    static RUNNING: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    struct Gone;
    impl Drop for Gone {
        fn drop(&mut self) {
            RUNNING.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
        }
    }
    let others = RUNNING.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
    let _gone = Gone;
    if others > 0 {
        return Err(Failure::new("two at once").permanent());
    }
    world.act(&id).await
}

// R21, C104: attempts are counted when they are claimed; whatever happens, the last state says so.
#[tokio::test]
async fn a_random_outage_ends_with_one_effect_each() {
    let bench = Bench::memory();
    let app = bench.start().await;
    let steps = [
        Step::Fails(Some(FailureClass::Transient)),
        Step::Ok,
        Step::Fails(Some(FailureClass::Transient)),
        Step::Fails(Some(FailureClass::Repair)),
        Step::Ok,
        Step::Ok,
    ];
    // R1: known failures in any order, many calls; each that says it is done is done once.
    bench.world.script(steps.into_iter().cycle().take(600));
    let mut done = 0;
    for round in 0..5 {
        for at in 0..100 {
            let call = once(format!("{at}"), "n".into());
            match bench.run(app.execute(call).receipt()).await {
                Ok(receipt) if receipt.how == How::Executed => done += 1,
                Ok(receipt) => assert!(round > 0 && receipt.how == How::Replayed),
                Err(error) => assert_eq!(error.effect(), Effect::None, "{error}"),
            }
            assert_eq!(bench.world.effects(), done);
        }
    }
    assert_eq!(done, 100);
}

#[action(key(id), once, name = "reclassified")]
async fn once_then(world: &World, id: String) -> Result<String> {
    world.act(&id).await
}

#[action(key(id), repeatable, name = "reclassified")]
async fn repeatable_now(world: &World, id: String) -> Result<String> {
    world.act(&id).await
}

// S3.6: the author of today's code says whether repeating is safe.
#[tokio::test]
async fn a_release_that_makes_an_action_repeatable_lets_a_call_go_on() {
    let bench = Bench::memory();
    let old = bench.start_with(once_then).await;
    bench.world.script([Step::AppliesThenFails(None)]);
    let error = old.execute(once_then("1".into())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InDoubt);
    let new = bench.start_with(repeatable_now).await;
    assert_eq!(bench.run(new.execute(repeatable_now("1".into()))).await.unwrap(), "1/2");
    // And the other way round: it is not repeated.
    bench.world.script([Step::Fails(None), Step::Fails(Some(FailureClass::Repair))]);
    let error = bench.run(new.execute(repeatable_now("2".into()))).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InDoubt);
    let error = bench.run(old.execute(once_then("2".into()))).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InDoubt);
    assert_eq!(bench.world.bodies(), 4);
}
