//! What is tried again, when, and for how long.

use std::io;

use anyhow::Context as _;

use super::harness::*;

on_both_stores![
    a_transient_failure_heals_and_nothing_else_happens,
    a_permanent_failure_stops_at_once,
    what_needs_repair_parks_at_once,
    attempts_are_bounded_in_one_place_and_a_call_begins_a_new_round,
    the_class_of_known_errors_decides,
    a_classifier_of_the_users_own_decides,
];

// R3, R6, R18, R2
async fn a_transient_failure_heals_and_nothing_else_happens(bench: Bench) {
    let app = bench.start().await;
    for failures in [1, 2] {
        bench.world.script(vec![Step::Fails(Some(FailureClass::Transient)); failures]);
        let before = bench.world.effects();
        let call = once(failures.to_string(), "n".into());
        let receipt = bench.run(app.execute(call).receipt()).await.unwrap();
        assert_eq!(receipt.attempts as usize, failures + 1);
        assert_eq!((receipt.how, bench.world.effects()), (How::Executed, before + 1));
        let mut expected = Vec::new();
        for _ in 0..failures {
            expected.extend(["claimed", "retry"]);
        }
        expected.extend(["claimed", "succeeded"]);
        assert_eq!(words(&app, receipt.execution).await, expected);
    }
}

// R25
async fn a_permanent_failure_stops_at_once(bench: Bench) {
    let app = bench.start().await;
    bench.world.always(Step::Fails(Some(FailureClass::Permanent)));
    let calls = [
        app.execute(once("1".into(), "n".into())),
        app.execute(repeatable("1".into(), "n".into())),
    ];
    for call in calls {
        let error = call.await.unwrap_err();
        assert_eq!((error.kind(), error.effect()), (ErrorKind::Failed, Effect::None));
        assert_eq!((error.attempts(), error.retryable()), (1, false));
        assert_eq!(words(&app, error.execution().unwrap()).await, ["claimed", "failed"]);
    }
    assert_eq!(bench.world.bodies(), 2);
}

// S5: a credential is repaired, not remembered.
async fn what_needs_repair_parks_at_once(bench: Bench) {
    let app = bench.start().await;
    bench.world.script([Step::Fails(Some(FailureClass::Repair))]);
    let error = app.execute(once("1".into(), "n".into())).await.unwrap_err();
    assert_eq!((error.kind(), error.effect()), (ErrorKind::Parked, Effect::None));
    assert!(!error.retryable(), "a person comes first");
    let id = error.execution().unwrap();
    assert!(error.advice().unwrap().contains(&format!("retry(\"{id}\")")), "{error}");
    assert_eq!(words(&app, id).await, ["claimed", "parked"]);
    assert_eq!(app.execute(once("1".into(), "n".into())).await.unwrap(), "1/1");
}

#[action(key(id), once, retry(attempts = 3, max = "5ms"))]
async fn thrice(world: &World, id: String) -> Result<String> {
    world.act(&id).await
}

// C103, C80, S2
async fn attempts_are_bounded_in_one_place_and_a_call_begins_a_new_round(bench: Bench) {
    let app = bench.start_with(thrice).await;
    bench.world.always(Step::Fails(Some(FailureClass::Transient)));
    let error = bench.run(app.execute(thrice("1".into()))).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Parked, 3));
    assert!(!error.is_replayed());
    assert_eq!(bench.world.bodies(), 3, "exactly three, one place counts");
    let error = bench.run(app.execute(thrice("1".into()))).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Parked, 6));
    assert_eq!(bench.world.bodies(), 6, "a new round has its own attempts");
    let execution = app.get(error.execution().unwrap()).await.unwrap().unwrap();
    assert_eq!(execution.state.round, 2);
    bench.world.always(Step::Ok);
    let receipt = bench.run(app.execute(thrice("1".into())).receipt()).await.unwrap();
    assert_eq!((receipt.attempts, bench.world.effects()), (7, 1));
}

/// Fails as a client of a provider does, by the name of what went wrong.
fn provider(fault: &str) -> anyhow::Result<()> {
    let io = |kind: io::ErrorKind| Err(io::Error::new(kind, "scripted").into());
    match fault {
        "refused" => io(io::ErrorKind::ConnectionRefused),
        "no route" => io(io::ErrorKind::HostUnreachable),
        "reset" => io(io::ErrorKind::ConnectionReset),
        "timeout" => io(io::ErrorKind::TimedOut),
        "cut" => io(io::ErrorKind::UnexpectedEof),
        "unreadable" => serde_json::from_str::<u8>("<html>").map(drop).map_err(Into::into),
        "unknown" => Err(anyhow::anyhow!("something else")),
        _ => Ok(()),
    }
}

#[action(key(fault), once, retry(attempts = 2, max = "1ms"))]
async fn call_provider(world: &World, fault: String) -> Result<()> {
    world.act(&fault).await?;
    Ok(provider(&fault).context("while calling")?)
}

// R25, S5: from before anything was sent, hence transient; from after, hence in doubt.
async fn the_class_of_known_errors_decides(bench: Bench) {
    let app = bench.start_with(call_provider).await;
    for (fault, kind, attempts) in [
        ("refused", ErrorKind::Parked, 2),
        ("no route", ErrorKind::Parked, 2),
        ("reset", ErrorKind::InDoubt, 1),
        ("timeout", ErrorKind::InDoubt, 1),
        ("cut", ErrorKind::InDoubt, 1),
        ("unreadable", ErrorKind::InDoubt, 1),
        ("unknown", ErrorKind::InDoubt, 1),
    ] {
        let error = bench.run(app.execute(call_provider(fault.into()))).await.unwrap_err();
        assert_eq!((error.kind(), error.attempts()), (kind, attempts), "{fault}");
    }
}

#[derive(Debug)]
struct HttpError(u16);

impl std::fmt::Display for HttpError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "status {}", self.0)
    }
}

impl std::error::Error for HttpError {}

#[action(key(status), once, retry(attempts = 2, max = "1ms"))]
async fn over_http(world: &World, status: u16) -> Result<()> {
    world.act("http").await?;
    Err(anyhow::Error::new(HttpError(status)).context("deep").context("deeper"))?
}

// R25, S5: a user's classifier is shown the whole source chain.
async fn a_classifier_of_the_users_own_decides(bench: Bench) {
    let app = bench
        .builder()
        .classifier(Arc::new(|error| {
            let HttpError(status) = error.downcast_ref()?;
            FailureClass::of_status(*status, false)
        }))
        .only(over_http)
        .start()
        .await
        .unwrap();
    for (status, kind, attempts) in [
        (400, ErrorKind::Failed, 1),
        (401, ErrorKind::Parked, 1),
        (403, ErrorKind::Parked, 1),
        (407, ErrorKind::Parked, 1),
        (408, ErrorKind::InDoubt, 1),
        (409, ErrorKind::InDoubt, 1),
        (422, ErrorKind::Failed, 1),
        (425, ErrorKind::InDoubt, 1),
        (429, ErrorKind::Parked, 2),
        (500, ErrorKind::InDoubt, 1),
        (502, ErrorKind::InDoubt, 1),
        (503, ErrorKind::InDoubt, 1),
        (504, ErrorKind::InDoubt, 1),
    ] {
        let error = bench.run(app.execute(over_http(status))).await.unwrap_err();
        assert_eq!((error.kind(), error.attempts()), (kind, attempts), "{status}");
    }
}

/// The instants at which attempts were claimed.
async fn claims(app: &Runtime, id: do_runtime::key::Key) -> Vec<Timestamp> {
    let entries = app.history(id).await.unwrap();
    entries.iter().filter(|entry| entry.event == "claimed").map(|entry| entry.at).collect()
}

// R26, R42, C100: days pass in an instant.
#[tokio::test]
async fn gaps_grow_to_their_bound_and_are_no_hot_loop() {
    let bench = Bench::memory();
    // A renewal every few seconds of a day would take most of the test's time.
    let builder = bench.builder().lease(Duration::from_secs(3600));
    let app = builder.only(once).start().await.unwrap();
    bench.world.always(Step::Fails(Some(FailureClass::Transient)));
    let call = once("1".into(), "n".into());
    let error = bench.run(app.execute(call).wait("30h")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Parked, "24 h are used up");
    let claims = claims(&app, error.execution().unwrap()).await;
    let spent = claims.last().unwrap().since(claims[0]);
    assert!(spent <= Duration::from_secs(24 * 3600), "{spent:?}");
    assert!(spent >= Duration::from_secs(23 * 3600), "{spent:?}");
    let gaps: Vec<_> = claims.windows(2).map(|pair| pair[1].since(pair[0])).collect();
    for (at, gap) in gaps.iter().enumerate() {
        let doubled = Duration::from_millis(200) * (1 << at.min(20));
        // Whoever looks wakes up a little after the due time.
        let most = doubled.min(Duration::from_secs(600)) + Duration::from_secs(1);
        assert!(*gap <= most, "gap {at} is {gap:?}, at most {most:?}");
    }
    // Full jitter: five minutes on average.
    assert!((150..1000).contains(&gaps.len()), "{} attempts in a day", gaps.len());
    assert!(gaps[20..].iter().any(|gap| *gap > Duration::from_secs(400)));
    assert!(gaps[20..].iter().any(|gap| *gap < Duration::from_secs(200)));
}

#[action(key(id), once, retry(within = "5d", max = "1h"))]
async fn patient(world: &World, id: String) -> Result<String> {
    world.act(&id).await
}

// R42, R1
#[tokio::test]
async fn an_outage_of_three_days_heals() {
    let bench = Bench::memory();
    let app = bench.start_with(patient).await;
    bench.world.always(Step::Fails(Some(FailureClass::Transient)));
    let call = tokio::spawn(app.execute(patient("1".into())).wait("10d").receipt());
    let began = bench.clock().now();
    while bench.clock().now().since(began) < Duration::from_secs(3 * 86_400) {
        bench.run(tokio::task::yield_now()).await;
        bench.clock().advance(Duration::from_secs(60));
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
    }
    bench.world.always(Step::Ok);
    let receipt = bench.run(call).await.unwrap().unwrap();
    assert_eq!((receipt.how, bench.world.effects()), (How::Executed, 1));
    assert!(receipt.attempts > 50, "{}", receipt.attempts);
}

// R26, S5: the due time is stored, visible, and survives a restart.
#[tokio::test]
async fn a_restart_does_not_reset_the_schedule() {
    let bench = Bench::memory();
    let app = bench.start_with(asks_for_an_hour).await;
    let error = app.execute(asks_for_an_hour("1".into())).wait("0s").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InProgress);
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
    let error = app.execute(asks_for_an_hour("1".into())).wait("0s").await.unwrap_err();
    let due = error.due().expect("the due time is told");
    assert!(error.message().contains(&due.to_string()), "{error}");
    assert_eq!(error.effect(), Effect::None, "a known end without effect");
    assert_eq!(due.since(ManualClock::START), Duration::from_secs(3600), "as the provider asked");
    app.drain("1s").await.unwrap();
    bench.clock().advance(Duration::from_secs(1800));
    let app = bench.start_with(asks_for_an_hour).await;
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
    assert_eq!(bench.world.bodies(), 1, "not before it is due");
    let execution = app.get(error.execution().unwrap()).await.unwrap().unwrap();
    assert_eq!(execution.state.due, Some(due));
    // Nobody calls: the rescuer goes on with it.
    bench.run(bench.world.until_bodies(2)).await;
    let late = bench.clock().now().since(due);
    assert!(late < Duration::from_secs(60), "{late:?}");
}

#[action(key(id), once)]
async fn asks_for_an_hour(world: &World, id: String) -> Result<String> {
    if world.bodies() > 0 {
        return world.act(&id).await;
    }
    world.act(&id).await?;
    Err(Failure::new("busy").transient().retry_after(Duration::from_secs(3600)))
}

#[action(key(id), once, retry(within = "30m"))]
async fn asks_for_too_much(world: &World, id: String) -> Result<String> {
    world.act(&id).await?;
    Err(Failure::new("busy").transient().retry_after(Duration::from_secs(3600)))
}

// S5: a gap that the window does not hold is not waited for.
#[tokio::test]
async fn what_is_due_after_the_window_parks() {
    let bench = Bench::memory();
    let app = bench.start_with(asks_for_too_much).await;
    let error = app.execute(asks_for_too_much("1".into())).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Parked, 1));
}

// S3.7, S5: a call joins what waits and never runs it early; `retry` does.
#[tokio::test]
async fn what_waits_is_not_run_early_by_a_call() {
    let bench = Bench::memory();
    let app = bench.start_with(asks_for_an_hour).await;
    let first = bench.run(app.execute(asks_for_an_hour("1".into())).wait("1s")).await.unwrap_err();
    assert_eq!(first.kind(), ErrorKind::InProgress);
    let lookup = app.lookup(asks_for_an_hour("1".into())).await.unwrap();
    assert_eq!(lookup.would, Would::Join);
    let second = bench.run(app.execute(asks_for_an_hour("1".into())).wait("1s")).await.unwrap_err();
    assert_eq!((second.kind(), second.due()), (ErrorKind::InProgress, first.due()));
    assert_eq!(bench.world.bodies(), 1);
    app.retry(first.execution().unwrap()).because("the provider is back").await.unwrap();
    let receipt = bench.run(app.execute(asks_for_an_hour("1".into())).receipt()).await.unwrap();
    assert_eq!(receipt.attempts, 2);
    assert!(receipt.ended.since(ManualClock::START) < Duration::from_secs(60));
}
