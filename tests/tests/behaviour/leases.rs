//! Processes that die or fall silent, and what comes late.

use do_runtime::key::Key;
use do_runtime::record::{Claim, Event, Token};
use do_runtime::store::{Change, Recorded, Store as _};

use super::harness::*;

/// Executes in a process of its own until the body hangs, then kills that process as far as the
/// store can tell; what it runs goes on as a zombie.
async fn die<C>(
    bench: &Bench,
    call: C,
) -> (Runtime, Key, tokio::task::JoinHandle<Result<String, Error>>)
where
    C: do_runtime::action::IntoCall,
    C::Action: do_runtime::action::Action<Return = Result<String>>,
{
    let app = bench.start().await;
    let before = bench.world.bodies();
    bench.world.script([Step::Hangs]);
    let task = tokio::spawn(app.execute(call).wait("1h").into_future());
    bench.world.until_bodies(before + 1).await;
    let running = do_runtime::store::Filter::default().status(Status::Running);
    let execution = Arc::clone(&app.list(running).await.unwrap().executions[0]);
    bench.store().kill(execution.state.instance.unwrap());
    (app, execution.identity.key, task)
}

// S4, S5: known dead; whoever sees it first records the end, once.
#[tokio::test]
async fn the_end_of_a_dead_process_is_in_doubt_for_once() {
    let bench = Bench::memory();
    let (_zombie, id, _task) = die(&bench, once("1".into(), "n".into())).await;
    let app = bench.start().await;
    let error = bench.run(app.execute(once("1".into(), "n".into()))).await.unwrap_err();
    assert_eq!((error.kind(), error.effect()), (ErrorKind::InDoubt, Effect::Unknown));
    assert_eq!(words(&app, id).await, ["claimed", "died"]);
    assert!(error.message().contains("process"), "{error}");
    assert_eq!(bench.world.bodies(), 1);
}

// D1, R24, S4: nobody calls; the rescuer goes on where repeating is safe.
#[tokio::test]
async fn the_work_of_a_dead_process_is_taken_up_by_another() {
    let bench = Bench::memory();
    let (_zombie, id, _task) = die(&bench, repeatable("1".into(), "n".into())).await;
    let app = bench.start().await;
    bench.run(bench.world.until_bodies(2)).await;
    assert_eq!(bench.run(app.execute(repeatable("1".into(), "n".into()))).await.unwrap(), "1/1");
    assert_eq!(words(&app, id).await, ["claimed", "died", "claimed", "succeeded"]);
    let keys = bench.world.downstream();
    assert_eq!(keys[0], keys[1], "every attempt and take-over of a round has the same key");
}

// F07, R23: waiters when the runner is killed.
#[tokio::test]
async fn everybody_who_waits_gets_one_answer_when_the_runner_dies() {
    let bench = Bench::memory();
    let app = bench.start().await;
    let (zombie, _, task) = die(&bench, once("1".into(), "n".into())).await;
    let waiters: Vec<_> = (0..64)
        .map(|at| {
            let app = if at % 2 == 0 { &app } else { &zombie };
            tokio::spawn(app.execute(once("1".into(), "n".into())).wait("10m").into_future())
        })
        .collect();
    for waiter in waiters {
        let error = bench.run(waiter).await.unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InDoubt);
    }
    let error = bench.run(task).await.unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InDoubt);
    assert_eq!(bench.world.bodies(), 1);
}

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

// C104, I12: five deaths in a row, whoever dies; then nothing starts by itself.
#[tokio::test]
async fn five_deaths_in_a_row_are_poison() {
    let bench = Bench::memory();
    let call = || repeatable("1".into(), "n".into());
    let mut zombies = Vec::new();
    bench.world.always(Step::Hangs);
    let mut id = None;
    for death in 1..=5 {
        let app = bench.start().await;
        if death == 1 {
            zombies.push(tokio::spawn(app.execute(call()).wait("1h").into_future()));
        }
        bench.run(bench.world.until_bodies(death)).await;
        let key = app.lookup(call()).await.unwrap().key;
        bench.store().kill(instance_of(&app, key).await);
        id = Some(key);
        std::mem::forget(app);
    }
    let id = id.unwrap();
    let app = bench.start().await;
    let error = bench.run(app.execute(call()).wait("1h")).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::InDoubt, 5));
    let expected: Vec<_> = ["claimed", "died"].into_iter().cycle().take(10).collect();
    assert_eq!(words(&app, id).await, expected);
    // Neither time nor a call starts it again.
    bench.clock().advance(Duration::from_secs(86_400));
    let error = bench.run(app.execute(call()).wait("1h")).await.unwrap_err();
    assert_eq!((error.kind(), bench.world.bodies()), (ErrorKind::InDoubt, 5));
    // Only a retry does, with a fresh count, in the same round.
    bench.world.always(Step::Ok);
    app.retry(id).because("the memory leak is fixed").await.unwrap();
    let receipt = bench.run(app.execute(call()).receipt()).await.unwrap();
    assert_eq!(receipt.attempts, 6);
    assert_eq!(app.get(id).await.unwrap().unwrap().state.round, 1);
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

#[action(key(id), repeatable)]
async fn only_there(world: &World, id: String) -> Result<String> {
    world.act(&id).await
}

// C106: what a process does not have stays for one that has it.
#[tokio::test]
async fn an_action_that_a_process_does_not_have_is_left_alone() {
    let bench = Bench::memory();
    let front = bench.builder().only(only_there).connect().await.unwrap();
    let handle = front.submit(only_there("1".into())).await.unwrap();
    let other = bench.start().await;
    let error = bench.run(handle.wait_for("10m")).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::InProgress, 0));
    let app = bench.start_with(only_there).await;
    assert_eq!(bench.run(handle.wait()).await.unwrap(), "1/1");
    drop((other, app));
}

// C70: two identities of one key; the crash of one is recovered.
#[tokio::test]
async fn one_key_of_two_actions_is_two_executions_also_after_a_crash() {
    let bench = Bench::memory();
    let (_zombie, id, _task) = die(&bench, repeatable("1".into(), "n".into())).await;
    let app = bench.start().await;
    assert_eq!(app.execute(once("1".into(), "n".into())).await.unwrap(), "1/1");
    assert_eq!(bench.run(app.execute(repeatable("1".into(), "n".into()))).await.unwrap(), "1/2");
    assert_eq!(words(&app, id).await, ["claimed", "died", "claimed", "succeeded"]);
}

// S4.14, C50: in pages; one row that cannot be taken up never stops the others.
#[tokio::test]
async fn the_rescuer_takes_up_all_that_is_due_whatever_one_row_is() {
    let bench = Bench::memory();
    let front = bench.builder().only((once, only_there)).connect().await.unwrap();
    let mut handles = Vec::new();
    for at in 0..250 {
        if at % 50 == 3 {
            front.submit(only_there(at.to_string())).await.unwrap();
        }
        let handle = front.submit(once(at.to_string(), "n".into())).await.unwrap();
        if at % 60 == 7 {
            front.submit(once(format!("more {at}"), "n".into())).await.unwrap();
        }
        handles.push(handle);
    }
    bench.world.script(vec![Step::Panics; 5]);
    let app = bench.start().await;
    let mut doubtful = 0;
    for handle in handles {
        match bench.run(handle.wait()).await {
            Ok(_) => {}
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::InDoubt);
                doubtful += 1;
            }
        }
    }
    assert!(doubtful <= 5, "{doubtful}");
    drop(app);
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

// S4.5, C68
#[tokio::test]
async fn an_instance_is_new_with_each_start() {
    let bench = Bench::memory();
    let mut seen = std::collections::BTreeSet::new();
    for at in 0..5 {
        let app = bench.start().await;
        let call = once(at.to_string(), "n".into());
        let id = app.execute(call).receipt().await.unwrap().execution;
        seen.insert(instance_of(&app, id).await);
    }
    assert_eq!(seen.len(), 5);
}

// S4.7: what bears an instance's id and is not in its memory is ended as unknown.
#[tokio::test]
async fn what_an_instance_has_lost_from_its_memory_is_ended() {
    let bench = Bench::memory();
    let app = bench.start().await;
    bench.world.script([Step::Fails(Some(FailureClass::Repair))]);
    let error = app.execute(once("1".into(), "n".into())).await.unwrap_err();
    let id = error.execution().unwrap();
    let parked = app.get(id).await.unwrap().unwrap();
    let mine = parked.state.instance.unwrap();
    let claim = Claim::new(Token::from_bytes([9; 16]), mine, parked.state.class);
    let author = app.history(id).await.unwrap()[0].author.clone();
    let change = Change::new(parked, Event::Claimed(claim), author);
    assert!(matches!(bench.store().record(change).await.unwrap(), Recorded::Done(_)));
    let error = bench.run(app.execute(once("1".into(), "n".into()))).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InDoubt);
    assert_eq!(words(&app, id).await, ["claimed", "parked", "claimed", "died"]);
}

/// A process as a runtime of its own, which can be lost as a whole.
struct Process {
    tokio: tokio::runtime::Runtime,
    app: Runtime,
}

impl Process {
    fn start(bench: &Bench) -> Self {
        let tokio = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let builder = bench.builder().lease(Duration::from_millis(600));
        let builder = builder.only((once, repeatable, transaction));
        let app = tokio.block_on(builder.start()).unwrap();
        Self { tokio, app }
    }

    fn kill(self) {
        self.tokio.shutdown_background();
        drop(self.app);
    }
}

// S4, C56, C58, F03: on SQLite a free lock means dead at once; nobody waits for a lease.
#[test]
fn a_process_that_is_gone_is_taken_over_on_sqlite() {
    let bench = Bench::sqlite();
    let first = Process::start(&bench);
    first.tokio.block_on(db::prepare(bench.file()));
    bench.world.script([Step::Hangs, Step::Hangs]);
    let calls = (once("1".into(), "n".into()), repeatable("1".into(), "n".into()));
    drop(first.tokio.spawn(first.app.execute(calls.0.clone()).into_future()));
    first.tokio.block_on(bench.world.until_bodies(1));
    drop(first.tokio.spawn(first.app.execute(calls.1.clone()).into_future()));
    first.tokio.block_on(bench.world.until_bodies(2));
    // One transaction at most holds the file's write lock.
    first.kill();
    let second = Process::start(&bench);
    second.tokio.block_on(async {
        let app = &second.app;
        let error = app.execute(calls.0).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InDoubt);
        assert_eq!(words(app, error.execution().unwrap()).await, ["claimed", "died"]);
        let receipt = app.execute(calls.1).receipt().await.unwrap();
        let expected = ["claimed", "died", "claimed", "succeeded"];
        assert_eq!(words(app, receipt.execution).await, expected);
    });
}

// S5.6: a transaction was rolled back with its process: it runs again, without doubt.
#[test]
fn a_transaction_of_a_process_that_is_gone_runs_again() {
    let bench = Bench::sqlite();
    let first = Process::start(&bench);
    first.tokio.block_on(db::prepare(bench.file()));
    bench.world.script([Step::AppliesThenHangs]);
    let call = || transaction("1".into(), bench.world.name());
    drop(first.tokio.spawn(first.app.execute(call()).into_future()));
    first.tokio.block_on(bench.world.until_bodies(1));
    first.kill();
    let second = Process::start(&bench);
    second.tokio.block_on(async {
        let receipt = second.app.execute(call()).receipt().await.unwrap();
        assert_eq!(receipt.attempts, 2);
        let expected = ["claimed", "died", "claimed", "succeeded"];
        assert_eq!(words(&second.app, receipt.execution).await, expected);
        assert_eq!(db::rows(bench.file()).await, ["1"]);
    });
}
