//! Leases: who is alive, for how long, and what stops with them.

use super::harness::*;

/// A process that cannot renew its lease, and one that watches.
async fn silent(bench: &Bench) -> (Runtime, Faulty) {
    let (builder, faulty) = bench.faulty();
    let app = builder.only((once, repeatable, checked)).start().await.unwrap();
    faulty.break_down(Point::Heartbeat, Fault::Down);
    (app, faulty)
}

// S4: the body of `once` goes on when its lease is over; its take-over says in doubt, its end
// settles it.
#[tokio::test]
async fn a_lease_that_runs_out_is_no_end_of_a_once_body() {
    let bench = Bench::memory();
    let (one, _faulty) = silent(&bench).await;
    let two = bench.start().await;
    bench.world.script([Step::Hangs]);
    let call = || once("1".into(), "n".into());
    let task = tokio::spawn(one.execute(call()).wait("1h").receipt());
    bench.world.until_bodies(1).await;
    let error = bench.run(two.execute(call()).wait("10m")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InDoubt);
    let id = error.execution().unwrap();
    assert_eq!(words(&two, id).await, ["claimed", "lease_over"], "not known to be dead");
    let waited = bench.clock().now().since(ManualClock::START);
    assert!(waited >= Duration::from_secs(15), "a lease: {waited:?}");
    bench.world.release();
    let receipt = bench.run(task).await.unwrap().unwrap();
    assert_eq!((receipt.how, bench.world.effects()), (How::Executed, 1));
    assert_eq!(words(&two, id).await, ["claimed", "lease_over", "succeeded"]);
}

// S4: classes whose take-over runs again stop at the lease's end.
#[tokio::test]
async fn a_body_that_would_be_repeated_stops_with_its_lease() {
    let bench = Bench::memory();
    let (one, _faulty) = silent(&bench).await;
    bench.world.script([Step::Hangs]);
    let call = || repeatable("1".into(), "n".into());
    let task = tokio::spawn(one.execute(call()).wait("1m").receipt());
    bench.world.until_bodies(1).await;
    bench.run(bench.world.until_still()).await;
    let stopped = bench.clock().now().since(ManualClock::START);
    assert!(stopped <= Duration::from_secs(20), "{stopped:?}");
    // Another process goes on; never are two bodies under way.
    let two = bench.start().await;
    let receipt = bench.run(two.execute(call()).receipt()).await.unwrap();
    assert_eq!(receipt.value, "1/1");
    assert_eq!(bench.run(task).await.unwrap().unwrap().json, receipt.json);
}

// S4.12: while the state is running an outcome whose token still matches is accepted.
#[tokio::test]
async fn an_outcome_is_accepted_however_late() {
    let bench = Bench::memory();
    let (one, _faulty) = silent(&bench).await;
    bench.world.script([Step::Hangs]);
    let task = tokio::spawn(one.execute(once("1".into(), "n".into())).wait("2d").receipt());
    bench.world.until_bodies(1).await;
    bench.clock().advance(Duration::from_secs(600));
    bench.world.release();
    let receipt = bench.run(task).await.unwrap().unwrap();
    assert_eq!(receipt.how, How::Executed);
    assert_eq!(words(&one, receipt.execution).await, ["claimed", "succeeded"]);
}

// C67, C68, F41: never taken over while the lease is renewed, however long the body runs.
#[tokio::test]
async fn a_long_body_is_left_alone() {
    let bench = Bench::memory();
    let (one, two) = (bench.start().await, bench.start().await);
    bench.world.script([Step::Hangs]);
    let call = || repeatable("1".into(), "n".into());
    let task = tokio::spawn(one.execute(call()).wait("1h").receipt());
    bench.world.until_bodies(1).await;
    let error = bench.run(two.execute(call()).wait("6m")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InProgress);
    assert_eq!((bench.world.bodies(), error.attempts()), (1, 1));
    bench.world.release();
    assert_eq!(bench.run(task).await.unwrap().unwrap().how, How::Executed);
}

// F36: a wall clock that jumps makes nobody dead.
#[tokio::test]
async fn a_clock_that_jumps_makes_nobody_dead() {
    let bench = Bench::memory();
    let (one, two) = (bench.start().await, bench.start().await);
    bench.world.script([Step::Hangs]);
    let call = || repeatable("1".into(), "n".into());
    let task = tokio::spawn(one.execute(call()).wait("1h").receipt());
    bench.world.until_bodies(1).await;
    for by_ms in [3_600_000, -7_200_000] {
        bench.clock().jump(by_ms);
        let error = bench.run(two.execute(call()).wait("14s")).await.unwrap_err();
        assert_eq!((error.kind(), bench.world.bodies()), (ErrorKind::InProgress, 1));
    }
    bench.world.release();
    let receipt = bench.run(task).await.unwrap().unwrap();
    let entries = two.history(receipt.execution).await.unwrap();
    assert!(entries.windows(2).all(|pair| pair[0].at <= pair[1].at), "the trail is in order");
}

// S5: after a lease that merely ran out, doubt stays; a failure is then no failure.
#[tokio::test]
async fn a_check_after_a_lease_that_ran_out_clears_no_doubt() {
    for known in [true, false] {
        let bench = Bench::memory();
        let (one, _faulty) = silent(&bench).await;
        let call = || checked("1".into(), "n".into());
        bench.world.script([Step::Hangs, Step::Fails(Some(FailureClass::Permanent))]);
        let task = tokio::spawn(one.execute(call()).wait("0s").into_future());
        bench.world.until_bodies(1).await;
        drop(task);
        let id = one.lookup(call()).await.unwrap().key;
        let two = if known {
            bench.store().kill(instance_of(&one, id).await);
            bench.start().await
        } else {
            // It sees no renewal for a lease; the other one stops by itself, but who knows.
            let two = bench.start().await;
            bench.clock().advance(Duration::from_secs(15));
            two
        };
        let error = bench.run(two.execute(call()).wait("1h")).await.unwrap_err();
        let words = words(&two, id).await;
        if known {
            assert_eq!(
                (error.kind(), words.last().unwrap().as_str()),
                (ErrorKind::Failed, "failed")
            );
            assert!(words.contains(&"not_there".to_owned()), "{words:?}");
        } else if words.contains(&"lease_over".to_owned()) {
            assert_eq!(error.kind(), ErrorKind::InDoubt, "{words:?}");
            assert!(!words.contains(&"not_there".to_owned()), "{words:?}");
        }
        assert_eq!(bench.world.bodies(), 2, "the body may start: {words:?}");
    }
}

// S4.6, F41: a body that blocks its thread is not taken over: the lease has a thread of its own.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_that_blocks_its_thread_keeps_its_lease() {
    let bench = Bench::sqlite();
    let lease = Duration::from_millis(300);
    let one = bench.builder().lease(lease).only(blocks).start().await.unwrap();
    let two = bench.builder().lease(lease).only(blocks).start().await.unwrap();
    let (release, released) = std::sync::mpsc::channel::<()>();
    *BLOCKED.lock().unwrap() = Some(released);
    let task = tokio::spawn(one.execute(blocks("1".into())).receipt());
    bench.world.until_bodies(1).await;
    let error = two.execute(blocks("1".into())).wait("1200ms").await.unwrap_err();
    assert_eq!((error.kind(), bench.world.bodies()), (ErrorKind::InProgress, 1));
    release.send(()).unwrap();
    let receipt = task.await.unwrap().unwrap();
    assert_eq!((receipt.how, receipt.attempts), (How::Executed, 1));
}

static BLOCKED: std::sync::Mutex<Option<std::sync::mpsc::Receiver<()>>> =
    std::sync::Mutex::new(None);

#[action(key(id), repeatable)]
async fn blocks(world: &World, id: String) -> Result<String> {
    let value = world.act(&id).await?;
    if let Some(released) = BLOCKED.lock().unwrap().take() {
        released.recv().unwrap();
    }
    Ok(value)
}
