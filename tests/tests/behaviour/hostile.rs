//! What goes wrong between two steps: a store that fails between two attempts, a process that
//! sleeps between its claim and its body, a class that changes between two releases.

use do_runtime::clock::SystemClock;
use do_runtime::store::sqlite::Sqlite;
use do_runtime::testing::{FaultyStore, Gate, Method, StoreFault};
use sqlx::{Connection as _, SqliteConnection};

use super::harness::*;

on_both_stores![
    what_is_under_way_is_not_called_unstarted,
    a_handle_outlasts_a_store_that_is_away,
    a_closed_store_tells_its_waiters_at_once,
];

// S4, S5: an attempt ended unknown and the claim of the next one fails. Nobody is told that
// nothing was started, or that there is no effect.
async fn what_is_under_way_is_not_called_unstarted(bench: Bench) {
    let (builder, faulty) = bench.faulty();
    let app = builder.only((once, repeatable)).start().await.unwrap();
    bench.world.script([Step::AppliesThenPanics]);
    // The end of the first attempt is written, and nothing after it.
    faulty.fail_after(Point::Record, 1, Fault::Down, usize::MAX);
    let call = || repeatable("1".into(), "n".into());
    let error = bench.run(app.execute(call()).wait("2s")).await.unwrap_err();
    assert_eq!((error.kind(), error.effect()), (ErrorKind::InProgress, Effect::Unknown), "{error}");
    assert!(error.retryable());
    faulty.repair(Point::Record);
    assert_eq!(bench.run(app.execute(call())).await.unwrap(), "1/2");
    assert_eq!(bench.world.bodies(), 2);
}

// S4: what was accepted is not unstarted because the store cannot be read just now.
async fn a_handle_outlasts_a_store_that_is_away(bench: Bench) {
    let (builder, faulty) = bench.faulty();
    let app = builder.only((once, repeatable)).start().await.unwrap();
    let handle = app.submit(once("1".into(), "n".into())).await.unwrap();
    faulty.fail(Point::Get, Fault::Down, 3);
    assert_eq!(bench.run(handle.wait_for("10m")).await.unwrap(), "1/1");
    faulty.break_down(Point::Get, Fault::Down);
    let error = bench.run(handle.wait_for("300ms")).await.unwrap_err();
    assert_eq!((error.kind(), error.effect()), (ErrorKind::InProgress, Effect::Unknown));
}

// S4.16: whoever waits for the next attempt hears at once that this process makes none.
async fn a_closed_store_tells_its_waiters_at_once(bench: Bench) {
    let app = bench.start().await;
    bench.world.always(Step::AppliesThenPanics);
    let call = || repeatable("1".into(), "n".into());
    let waiter = tokio::spawn(app.execute(call()).wait("1d").into_future());
    bench.run(bench.world.until_bodies(3)).await;
    let began = bench.is_memory().then(|| bench.clock().now());
    bench.run(app.drain("10s")).await.unwrap();
    let error = bench.run(waiter).await.unwrap().unwrap_err();
    assert_eq!((error.kind(), error.effect()), (ErrorKind::InProgress, Effect::Unknown), "{error}");
    if let Some(began) = began {
        let waited = bench.clock().now().since(began);
        assert!(waited < Duration::from_secs(3600), "{waited:?}");
    }
}

// S4, C55: whoever cannot renew its lease begins nothing; others may take it over at any moment.
#[tokio::test]
async fn an_instance_without_a_lease_begins_nothing() {
    let bench = Bench::memory();
    let (builder, faulty) = bench.faulty();
    let app = builder.only((once, repeatable)).start().await.unwrap();
    faulty.break_down(Point::Heartbeat, Fault::Down);
    bench.clock().advance(Duration::from_secs(16));
    let error = app.execute(once("1".into(), "n".into())).await.unwrap_err();
    assert_eq!((error.kind(), error.effect()), (ErrorKind::StoreUnavailable, Effect::None));
    assert!(app.lookup(once("1".into(), "n".into())).await.unwrap().execution.is_none());
    // It renews by itself before it claims.
    faulty.repair(Point::Heartbeat);
    assert_eq!(app.execute(once("1".into(), "n".into())).await.unwrap(), "1/1");
}

// F39, S4: it sleeps between its claim and its body for longer than a lease; meanwhile somebody
// decided that nothing was done, and another process did it.
#[tokio::test]
async fn a_process_that_slept_through_its_lease_begins_no_body() {
    for renews_first in [false, true] {
        let bench = Bench::memory();
        let store = FaultyStore::new(Arc::new(bench.store().reopen()));
        let zombie = Runtime::with_store(store.clone())
            .clock(bench.clock().clone())
            .provide(bench.world.clone())
            .only((once, repeatable))
            .start()
            .await
            .unwrap();
        let app = bench.start().await;
        let gate = Gate::new();
        store.fail(Method::Claim, 1, StoreFault::HeldAfter(gate.clone()));
        let away = StoreFault::Before(do_runtime::store::StoreError::Busy("asleep".into()));
        store.always_of(Method::Heartbeat, Some(away));
        let call = || once("1".into(), "n".into());
        let task = tokio::spawn(zombie.execute(call()).wait("1h").into_future());
        gate.reached_by(1).await;
        let error = bench.run(app.execute(call()).wait("10m")).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InDoubt);
        let id = error.execution().unwrap();
        app.resolve(id, Resolution::NotDone).because("the log is empty").await.unwrap();
        let value = bench.run(app.execute(call())).await.unwrap();
        if renews_first {
            store.always_of(Method::Heartbeat, None);
            let beats = store.calls(Method::Heartbeat);
            bench
                .run(async {
                    while store.calls(Method::Heartbeat) < beats + 2 {
                        tokio::task::yield_now().await;
                    }
                })
                .await;
        }
        gate.open();
        assert_eq!(bench.run(task).await.unwrap().unwrap(), value, "{renews_first}");
        assert_eq!((bench.world.bodies(), bench.world.effects()), (1, 1), "{renews_first}");
    }
}

#[action(key(id), repeatable, name = "moved")]
async fn moved_outside(world: &World, id: String, name: String) -> Result<String> {
    drop(name);
    world.act(&id).await
}

#[action(key(id), name = "moved")]
async fn moved_into_a_transaction(
    db: &mut SqliteConnection,
    id: String,
    name: String,
) -> Result<String> {
    World::named(&name).write(db, &id).await
}

// P.7: the release that calls it a transaction says nothing about what the one before it did.
#[tokio::test]
async fn doubt_from_before_a_transaction_is_not_repeated() {
    in_time(async {
        let bench = Bench::sqlite();
        db::prepare(bench.file()).await;
        let before = bench.start_with(moved_outside).await;
        bench.world.script([Step::AppliesThenHangs]);
        let name = bench.world.name();
        let waiter = before.submit(moved_outside("1".into(), name.clone())).await.unwrap();
        bench.world.until_bodies(1).await;
        before.drain("0s").await.unwrap();
        drop(waiter);
        let after = bench.start_with(moved_into_a_transaction).await;
        let call = moved_into_a_transaction("1".into(), name);
        let error = after.execute(call).await.unwrap_err();
        assert_eq!((error.kind(), error.effect()), (ErrorKind::InDoubt, Effect::Unknown));
        assert!(db::rows(bench.file()).await.is_empty());
    })
    .await;
}

#[action(key(id), retry(attempts = 1))]
async fn leaks(db: &mut SqliteConnection, id: String) -> Result<String> {
    let _id = id;
    let nested = db.begin().await?;
    std::mem::forget(nested);
    Err(Failure::new("no").permanent())
}

// S5: a connection that did not end cleanly is closed, and nobody else waits for its lock.
#[tokio::test]
async fn a_nested_transaction_that_leaks_holds_up_nobody() {
    in_time(async {
        let bench = Bench::sqlite();
        db::prepare(bench.file()).await;
        let app = bench.start_with((leaks, once, transaction)).await;
        let error = app.execute(leaks("1".into())).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Failed);
        assert_eq!(app.execute(once("1".into(), "n".into())).await.unwrap(), "1/1");
        app.execute(transaction("2".into(), bench.world.name())).await.unwrap();
        assert_eq!(db::rows(bench.file()).await, ["2"]);
    })
    .await;
}

#[action(key(id), timeout = "1m", retry(attempts = 1))]
async fn computes(db: &mut SqliteConnection, id: String) -> Result<i64> {
    let _id = id;
    let numbers = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n \
                   WHERE x < 2000000000) SELECT max(x) FROM n";
    Ok(sqlx::query_scalar(numbers).fetch_one(db).await?)
}

// S5, F56: also a statement that does not end by itself lets the lock go.
#[tokio::test]
async fn a_statement_that_runs_for_long_is_rolled_back_at_its_limit() {
    in_time(async {
        let bench = Bench::sqlite();
        let app = bench.start_with((computes, once)).await;
        let error = app.execute(computes("1".into())).wait("20s").await.unwrap_err();
        assert_eq!((error.kind(), error.effect()), (ErrorKind::Parked, Effect::None));
        assert!(error.message().contains("write lock for more than 2"), "{error}");
        assert_eq!(app.execute(once("1".into(), "n".into())).await.unwrap(), "1/1");
    })
    .await;
}

#[action(key(id), timeout = "2500ms", retry(attempts = 1))]
async fn waits_for_the_lock(
    db: &mut SqliteConnection,
    id: String,
    world: String,
) -> Result<String> {
    World::named(&world).write(db, &id).await
}

// S5: `timeout` also counts the wait for the lock.
#[tokio::test]
async fn the_wait_for_the_lock_counts() {
    in_time(async {
        let bench = Bench::sqlite();
        db::prepare(bench.file()).await;
        let address = format!("sqlite://{}", bench.file().display());
        let store = Sqlite::open(&address, Arc::new(SystemClock::new())).unwrap();
        let store = FaultyStore::new(Arc::new(store));
        let builder = Runtime::with_store(store.clone()).provide(bench.world.clone());
        let app = builder.only(waits_for_the_lock).start().await.unwrap();
        let gate = Gate::new();
        store.fail(Method::Begin, 1, StoreFault::HeldBefore(gate.clone()));
        bench.world.script([Step::Hangs]);
        let call = waits_for_the_lock("1".into(), bench.world.name());
        let task = tokio::spawn(app.execute(call).into_future());
        gate.reached_by(1).await;
        SystemClock::new().sleep(Duration::from_secs(1)).await;
        gate.open();
        let error = task.await.unwrap().unwrap_err();
        assert!(error.message().contains("time-out of 2.5s"), "{error}");
    })
    .await;
}

#[action(key(id), name = "secretive")]
async fn returns_text(id: u64) -> Result<String> {
    let _id = id;
    Ok("s3cr3t".to_owned())
}

#[action(key(id), name = "secretive")]
async fn returns_a_number(id: u64) -> Result<u64> {
    Ok(id)
}

// R12: an error never shows a value.
#[tokio::test]
async fn a_result_of_another_type_is_not_shown() {
    let bench = Bench::memory();
    let before = bench.start_with(returns_text).await;
    before.execute(returns_text(1)).await.unwrap();
    let after = bench.start_with(returns_a_number).await;
    let error = after.execute(returns_a_number(1)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::IncompatibleResult);
    assert!(error.message().contains("u64"), "{error}");
    assert!(!error.to_string().contains("s3cr3t"), "{error}");
}

fn short_lease(bench: &Bench) -> do_runtime::Builder {
    bench.builder().lease(Duration::from_millis(300))
}

// F45: dropped on a thread that is not of tokio, it still renews the lease of what runs.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_runtime_that_is_dropped_elsewhere_keeps_its_lease() {
    in_time(async {
        let bench = Bench::sqlite();
        let app = short_lease(&bench).only((once, repeatable)).start().await.unwrap();
        bench.world.script([Step::Hangs]);
        let call = || repeatable("1".into(), "n".into());
        drop(app.submit(call()).await.unwrap());
        bench.world.until_bodies(1).await;
        std::thread::spawn(move || drop(app)).join().unwrap();
        SystemClock::new().sleep(Duration::from_millis(1_000)).await;
        bench.world.release();
        bench.world.until_still().await;
        let app = short_lease(&bench).only((once, repeatable)).start().await.unwrap();
        let receipt = app.execute(call()).receipt().await.unwrap();
        let expected = ["submitted", "claimed", "succeeded"];
        assert_eq!(words(&app, receipt.execution).await, expected);
    })
    .await;
}

// F45: tokio is shut down under a runtime that somebody still holds. It does not pass for alive.
#[test]
fn a_runtime_without_tokio_is_taken_over() {
    let bench = Bench::sqlite();
    let tokio = || {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        builder.worker_threads(2).enable_all().build().unwrap()
    };
    let first = tokio();
    let builder = short_lease(&bench).only((once, repeatable));
    let held = first.block_on(builder.start()).unwrap();
    bench.world.script([Step::Hangs]);
    let call = || once("1".into(), "n".into());
    drop(first.spawn(held.execute(call()).into_future()));
    first.block_on(bench.world.until_bodies(1));
    first.shutdown_timeout(Duration::from_secs(20));
    let second = tokio();
    second.block_on(in_time(async {
        let error = held.execute(once("2".into(), "n".into())).await.unwrap_err();
        assert_eq!((error.kind(), error.effect()), (ErrorKind::Draining, Effect::None));
        let app = short_lease(&bench).only((once, repeatable)).start().await.unwrap();
        let error = app.execute(call()).wait("20s").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InDoubt, "{error}");
    }));
    drop(held);
}

// C55: a claim with no time is refused before it is written.
#[tokio::test]
async fn a_lease_of_no_time_is_refused() {
    let bench = Bench::memory();
    for lease in [Duration::ZERO, Duration::from_millis(9), Duration::MAX] {
        let error = bench.builder().lease(lease).only(once).start().await.unwrap_err();
        assert!(error.to_string().contains("lease"), "{error}");
    }
    bench.builder().lease(Duration::from_millis(10)).only(once).start().await.unwrap();
}

// S2, S3.2: the operator was wrong, and meanwhile another request was accepted under the key. What
// took effect is the first one: it has its answer, and the other one is told that the key is used.
#[tokio::test]
async fn a_late_ok_never_answers_another_request() {
    let bench = Bench::memory();
    let zombie = bench.start().await;
    bench.world.script([Step::Hangs]);
    let first = || once("1".into(), "a".into());
    let task = tokio::spawn(zombie.execute(first()).wait("1h").into_future());
    bench.world.until_bodies(1).await;
    let id = zombie.lookup(first()).await.unwrap().key;
    bench.store().kill(instance_of(&zombie, id).await);
    let app = bench.start().await;
    bench.run(app.execute(first())).await.unwrap_err();
    app.resolve(id, Resolution::Failed("lost".into())).because("a guess").await.unwrap();
    let other = || once("1".into(), "b".into());
    app.submit(other()).after("1d").await.unwrap();
    bench.world.release();
    assert_eq!(bench.run(task).await.unwrap().unwrap(), "1/1");
    let error = app.execute(other()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::KeyReused, "{error}");
    assert_eq!(app.execute(first()).await.unwrap(), "1/1");
    assert_eq!(bench.world.effects(), 1);
}

#[action(key(id))]
async fn how_it_syncs(db: &mut SqliteConnection, id: u64) -> Result<i64> {
    let _id = id;
    Ok(sqlx::query_scalar("PRAGMA synchronous").fetch_one(db).await?)
}

// F33: an outcome that was told survives a power loss, however the application opens its own pool.
#[tokio::test]
async fn a_pool_that_does_not_sync_does_not_lose_what_was_told() {
    in_time(async {
        let bench = Bench::sqlite();
        let options = sqlx::sqlite::SqliteConnectOptions::new()
            .filename(bench.file())
            .create_if_missing(true)
            .synchronous(sqlx::sqlite::SqliteSynchronous::Off);
        let pool = sqlx::sqlite::SqlitePoolOptions::new()
            .after_connect(|connection, _| {
                Box::pin(async move {
                    let off = sqlx::query("PRAGMA synchronous=OFF");
                    off.execute(connection).await.map(drop)
                })
            })
            .connect_with(options)
            .await
            .unwrap();
        let app = Runtime::with_pool(pool).only(how_it_syncs).start().await.unwrap();
        for id in 0..3 {
            assert_eq!(app.execute(how_it_syncs(id)).await.unwrap(), 2);
        }
    })
    .await;
}
