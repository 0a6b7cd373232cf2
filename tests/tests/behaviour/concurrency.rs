//! Many callers of one key at one time.

use std::sync::Barrier;
use std::task::{Context, Waker};

use super::harness::*;

on_both_stores![
    two_processes_at_once_take_effect_once,
    a_callers_wait_ends_while_the_body_goes_on,
    a_caller_that_is_dropped_at_any_point_stops_nothing,
    waiters_of_an_attempt_get_its_end_and_start_no_round,
    waiters_in_another_process_get_the_end_they_joined,
    nested_actions_keep_their_own_records,
    a_waiter_with_another_request_never_gets_the_others_failure,
];

/// 64 callers on threads of their own, let go at one moment.
fn storm(bench: &Bench, app: &Runtime, callers: usize) -> Vec<(String, How)> {
    let handle = tokio::runtime::Handle::current();
    let barrier = Barrier::new(callers);
    let call = once("1".into(), "n".into());
    let answers = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..callers)
            .map(|_| {
                scope.spawn(|| {
                    barrier.wait();
                    let receipt = handle.block_on(app.execute(call.clone()).receipt()).unwrap();
                    (receipt.value, receipt.how)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(bench.world.effects(), 1);
    answers
}

fn check_storm(answers: &[(String, How)]) {
    let first = &answers[0].0;
    assert!(answers.iter().all(|(value, _)| value == first), "all answers are equal");
    let executed = answers.iter().filter(|(_, how)| *how == How::Executed).count();
    assert_eq!(executed, 1, "exactly one of {} executed", answers.len());
}

// R23, C41
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sixty_four_threads_at_a_barrier_take_effect_once_in_memory() {
    for _ in 0..20 {
        let bench = Bench::memory();
        let app = bench.start().await;
        check_storm(&storm(&bench, &app, 64));
    }
}

// R23, C41
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sixty_four_threads_at_a_barrier_take_effect_once_on_sqlite() {
    for _ in 0..5 {
        let bench = Bench::sqlite();
        let app = bench.start().await;
        check_storm(&storm(&bench, &app, 64));
    }
}

// R30: many callers, retries and faults, for many users.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_storm_for_a_thousand_users_sends_each_one_mail() {
    let bench = Bench::memory();
    let app = bench.start().await;
    let tasks: Vec<_> = (0..8_000)
        .map(|at| {
            let (app, call) = (app.clone(), once((at % 1000).to_string(), "n".into()));
            tokio::spawn(async move { app.execute(call).receipt().await.unwrap() })
        })
        .collect();
    let mut executed = 0;
    for task in tasks {
        executed += usize::from(task.await.unwrap().how == How::Executed);
    }
    assert_eq!((executed, bench.world.effects()), (1000, 1000));
}

// R23, R24
async fn two_processes_at_once_take_effect_once(bench: Bench) {
    let (one, two) = (bench.start().await, bench.start().await);
    let call = || once("1".into(), "n".into());
    bench.world.script([Step::Hangs]);
    let first = tokio::spawn(one.execute(call()).receipt());
    bench.world.until_bodies(1).await;
    let second = tokio::spawn(two.execute(call()).receipt());
    bench.world.release();
    let first = first.await.unwrap().unwrap();
    let second = bench.run(second).await.unwrap().unwrap();
    assert_eq!((first.how, first.value), (How::Executed, second.value));
    assert_ne!(second.how, How::Executed);
    assert_eq!(bench.world.effects(), 1);
}

// S3.8, C46, R20
async fn a_callers_wait_ends_while_the_body_goes_on(bench: Bench) {
    let app = bench.start().await;
    bench.world.script([Step::Hangs]);
    let call = || once("1".into(), "n".into());
    let first = tokio::spawn(app.execute(call()).wait("300ms").into_future());
    bench.world.until_bodies(1).await;
    let error = bench.run(first).await.unwrap().unwrap_err();
    assert_eq!((error.kind(), error.effect()), (ErrorKind::InProgress, Effect::Unknown));
    assert!(error.retryable() && error.execution().is_some(), "{error:?}");
    let joined = bench.run(app.execute(call()).wait("0s")).await.unwrap_err();
    assert_eq!(joined.kind(), ErrorKind::InProgress);
    assert_eq!(joined.execution(), error.execution());
    bench.world.release();
    bench.world.until_still().await;
    let value = bench.run(app.execute(call())).await.unwrap();
    assert_eq!(value, "1/1");
    assert_eq!(bench.world.bodies(), 1);
}

// S3, F44, R21, C109
async fn a_caller_that_is_dropped_at_any_point_stops_nothing(bench: Bench) {
    let app = bench.start().await;
    let mut dropped = 0;
    for polls in 0.. {
        let id = polls.to_string();
        let call = || once(id.clone(), "n".into());
        let before = bench.world.effects();
        if dropped_after(polls, app.execute(call())).await.is_some() {
            assert_eq!(bench.world.effects(), before + 1);
            break;
        }
        dropped += 1;
        // The next call ends, and the effect is there once, whoever ran it.
        let value = bench.run(app.execute(call())).await.unwrap();
        assert_eq!(bench.world.effects(), before + 1, "dropped after {polls} polls");
        assert_eq!(bench.run(app.execute(call())).await.unwrap(), value);
        if polls > 2_000 {
            break;
        }
    }
    assert!(dropped > 1, "some of them were dropped on their way");
}

// S3, R23
async fn waiters_of_an_attempt_get_its_end_and_start_no_round(bench: Bench) {
    let app = bench.start().await;
    bench.world.script([Step::HangsThenFails(Some(FailureClass::Repair))]);
    let call = || once("1".into(), "n".into());
    let first = tokio::spawn(app.execute(call()).into_future());
    bench.world.until_bodies(1).await;
    let mut waiters: Vec<_> =
        (0..64).map(|_| Box::pin(app.execute(call()).into_future())).collect();
    for waiter in &mut waiters {
        assert!(waiter.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
    let waiters: Vec<_> = waiters.into_iter().map(tokio::spawn).collect();
    bench.world.release();
    let first = first.await.unwrap().unwrap_err();
    assert_eq!(first.kind(), ErrorKind::Parked);
    for waiter in waiters {
        let error = bench.run(waiter).await.unwrap().unwrap_err();
        assert_eq!((error.kind(), error.message()), (ErrorKind::Parked, first.message()));
    }
    assert_eq!(bench.world.bodies(), 1, "64 waiters start no round");
    let execution = app.get(first.execution().unwrap()).await.unwrap().unwrap();
    assert_eq!(execution.state.round, 1);
}

// S3: the same across processes.
async fn waiters_in_another_process_get_the_end_they_joined(bench: Bench) {
    for class in [FailureClass::Repair, FailureClass::Permanent] {
        let (one, two) = (bench.start().await, bench.start().await);
        let call = || once(class.as_str().into(), "n".into());
        let before = bench.world.bodies();
        bench.world.script([Step::HangsThenFails(Some(class))]);
        let first = tokio::spawn(one.execute(call()).into_future());
        bench.world.until_bodies(before + 1).await;
        let mut waiters = Vec::new();
        for _ in 0..8 {
            let mut waiter = Box::pin(two.execute(call()).into_future());
            while waiter.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready() {}
            waiters.push(waiter);
        }
        // Let them see that it runs.
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        let waiters: Vec<_> = waiters.into_iter().map(tokio::spawn).collect();
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        bench.world.release();
        let first = bench.run(first).await.unwrap().unwrap_err();
        for waiter in waiters {
            let error = bench.run(waiter).await.unwrap().unwrap_err();
            assert_eq!((error.kind(), error.message()), (first.kind(), first.message()));
        }
        assert_eq!(bench.world.bodies(), before + 1, "{class:?}");
    }
}

#[action(key(id), repeatable)]
async fn outer(world: &World, inner_app: &InnerApp, id: String) -> Result<String> {
    let app = inner_app.0.lock().await.clone().unwrap();
    let inner = app.execute(once(id.clone(), "inner".into())).await?;
    let own = world.act("outer").await?;
    Ok(format!("{own} after {inner}"))
}

#[derive(Debug, Clone, Default)]
struct InnerApp(Arc<tokio::sync::Mutex<Option<Runtime>>>);

// C7
async fn nested_actions_keep_their_own_records(bench: Bench) {
    let inner_app = InnerApp::default();
    let app = bench.builder().provide(inner_app.clone()).only((outer, once)).start().await.unwrap();
    *inner_app.0.lock().await = Some(app.clone());
    let value = bench.run(app.execute(outer("1".into()))).await.unwrap();
    assert_eq!(value, "outer/2 after 1/1");
    assert_eq!(app.execute(once("1".into(), "inner".into())).await.unwrap(), "1/1");
    assert_eq!(app.execute(outer("1".into())).await.unwrap(), value);
    assert_eq!(bench.world.effects(), 2);
}

// S3.2: a request that waits at the moment another one under its key fails runs on its own.
async fn a_waiter_with_another_request_never_gets_the_others_failure(bench: Bench) {
    let app = bench.start().await;
    for polls in 1..40 {
        let (id, spare) = (polls.to_string(), format!("spare {polls}"));
        bench.world.script([Step::Fails(Some(FailureClass::Permanent)), Step::Ok]);
        let first = tokio::spawn(app.execute(once(id.clone(), "a".into())).into_future());
        for _ in 0..polls / 4 {
            tokio::task::yield_now().await;
        }
        let second = bench.run(app.execute(once(id, "b".into())).receipt()).await;
        let first = bench.run(first).await.unwrap();
        let failed = |error: &Error| error.kind() == ErrorKind::Failed;
        let refused = |error: &Error| error.kind() == ErrorKind::KeyReused;
        match (&first, &second) {
            // One after the other: each ran on its own.
            (Err(error), Ok(receipt)) => assert!(failed(error) && receipt.how == How::Executed),
            (Ok(_), Err(error)) => assert!(failed(error)),
            // One met the other while it ran.
            (Err(one), Err(two)) => {
                assert!(failed(one) && refused(two) || refused(one) && failed(two), "{one} {two}");
                // Uses up the script.
                bench.run(app.execute(once(spare, "n".into()))).await.unwrap();
            }
            (Ok(_), Ok(_)) => panic!("{first:?} {second:?}"),
        }
    }
}

// D3.2: nothing happens before it is awaited, and a runtime and a call go where threads go.
#[tokio::test]
async fn an_execute_is_lazy_and_what_is_shared_is_send_and_sync() {
    fn is_shared<T: Clone + Send + Sync>(_: &T) {}
    fn is_sent<T: Send + 'static>(_: &T) {}
    let bench = Bench::memory();
    let app = bench.start().await;
    let call = once("1".into(), "n".into());
    is_shared(&app);
    is_shared(&call);
    let execute = app.execute(call.clone());
    is_sent(&execute);
    drop(execute);
    assert!(app.lookup(call.clone()).await.unwrap().execution.is_none());
    let error = app.execute(call).wait("5 parsecs").await.unwrap_err();
    assert_eq!((error.kind(), bench.world.bodies()), (ErrorKind::InvalidParams, 0));
}
