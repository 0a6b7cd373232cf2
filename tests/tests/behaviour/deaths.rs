//! Processes that die, and who goes on with what they left.

use do_runtime::record::{Claim, Event, Token};
use do_runtime::store::{Change, Recorded, Store as _};

use super::harness::*;

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
