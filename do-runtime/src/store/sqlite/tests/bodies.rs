//! Bodies that borrow a transaction.

#![cfg(feature = "sqlx")]

use std::sync::Arc;

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqlitePool};
use sqlx::{Connection, Executor};

use super::{Place, Sqlite, claim, done, granted, is_there, recorded};
use crate::clock::SystemClock;
use crate::store::{Claimed, Recorded, Store, StoreError, Transaction};

fn sqlite(transaction: &mut Box<dyn Transaction>) -> &mut SqliteConnection {
    transaction.connection().downcast_mut().expect("a connection to SQLite")
}

async fn begun(store: &Sqlite) -> Box<dyn Transaction> {
    let mut transaction = store.begin().await.expect("a transaction");
    let create = "CREATE TABLE IF NOT EXISTS texts (text)";
    sqlite(&mut transaction).execute(create).await.expect("the body's table");
    transaction
}

fn texts(place: &Place) -> i64 {
    place
        .other()
        .query_row("SELECT count(*) FROM texts", [], |row| row.get(0))
        .expect("the rows are counted")
}

#[tokio::test]
async fn a_body_may_begin_within_its_transaction() {
    let place = Place::new();
    let store = place.open();
    let running = granted(&store, "ada").await;
    let mut transaction = begun(&store).await;
    for commits in [true, false] {
        let mut nested = sqlite(&mut transaction).begin().await.expect("a nested one");
        nested.execute("INSERT INTO texts VALUES ('nested')").await.expect("a row");
        if commits {
            nested.commit().await.expect("it is released");
        }
    }
    let end = transaction.commit(done(running)).await;
    assert!(matches!(end, Ok(Recorded::Done(_))), "{end:?}");
    assert_eq!(texts(&place), 1);
}

#[tokio::test]
async fn a_nested_one_that_leaks_does_not_pass_for_a_commit() {
    let place = Place::new();
    let store = place.open();
    let running = granted(&store, "ada").await;
    let mut transaction = begun(&store).await;
    let nested = sqlite(&mut transaction).begin().await.expect("a nested one");
    std::mem::forget(nested);
    let end = transaction.commit(done(Arc::clone(&running))).await;
    assert_eq!(end.expect_err("not committed"), StoreError::TransactionEnded);
    // The store goes on, on another connection.
    let transaction = store.begin().await.expect("a transaction");
    let end = transaction.commit(done(running)).await;
    assert!(matches!(end, Ok(Recorded::Done(_))), "{end:?}");
}

#[tokio::test]
async fn a_commit_of_the_body_leaves_nothing_even_if_it_begins_again() {
    let place = Place::new();
    let store = place.open();
    let running = granted(&store, "ada").await;
    begun(&store).await.commit(done(running)).await.expect("a table");
    let running = granted(&store, "grace").await;
    let mut transaction = store.begin().await.expect("a transaction");
    for statement in [
        "INSERT INTO texts VALUES ('before')",
        "COMMIT",
        "INSERT INTO texts VALUES ('alone')",
        "BEGIN",
        "INSERT INTO texts VALUES ('after')",
    ] {
        // Some of these are refused; a careless body goes on.
        drop(sqlite(&mut transaction).execute(statement).await);
    }
    let end = transaction.commit(done(Arc::clone(&running))).await;
    assert_eq!(end.expect_err("found out"), StoreError::TransactionEnded);
    assert_eq!(texts(&place), 0);
    recorded(&store, done(running)).await;
}

#[tokio::test]
async fn whoever_is_dropped_while_beginning_leaves_the_gate_free() {
    let place = Place::new();
    let store = place.open();
    let held = begun(&store).await;
    for polls in 0..4 {
        let mut begin = store.begin();
        for _ in 0..polls {
            let waker = std::task::Waker::noop();
            let poll = begin.as_mut().poll(&mut std::task::Context::from_waker(waker));
            assert!(poll.is_pending());
            tokio::task::yield_now().await;
        }
    }
    held.rollback().await;
    for _ in 0..20 {
        let mut begin = store.begin();
        let waker = std::task::Waker::noop();
        drop(begin.as_mut().poll(&mut std::task::Context::from_waker(waker)));
    }
    let running = granted(&store, "ada").await;
    let transaction = store.begin().await.expect("a transaction");
    let end = transaction.commit(done(running)).await;
    assert!(matches!(end, Ok(Recorded::Done(_))), "{end:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_and_the_writer_take_turns() {
    let place = Place::new();
    let store = Arc::new(place.open());
    let bodies = (0..40).map(|number| {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            let running = granted(&store, &format!("user {number}")).await;
            if number % 2 == 0 {
                recorded(&store, done(running)).await;
            } else {
                let transaction = store.begin().await.expect("a transaction");
                let end = transaction.commit(done(running)).await;
                assert!(matches!(end, Ok(Recorded::Done(_))), "{end:?}");
            }
        })
    });
    for body in bodies.collect::<Vec<_>>() {
        body.await.expect("it ends well");
    }
}

#[tokio::test]
async fn the_applications_pool_is_followed() {
    let place = Place::new();
    let options = SqliteConnectOptions::new()
        .filename(place.file())
        .create_if_missing(true)
        .foreign_keys(false);
    let pool = SqlitePool::connect_with(options).await.expect("a pool");
    let store = Sqlite::with_pool(pool.clone(), Arc::new(SystemClock::new())).expect("it opens");
    let running = granted(&store, "ada").await;
    let mut transaction = begun(&store).await;
    let foreign_keys: i64 = sqlx::query_scalar("PRAGMA foreign_keys")
        .fetch_one(sqlite(&mut transaction))
        .await
        .expect("a number");
    assert_eq!(foreign_keys, 0, "as the application has it");
    transaction.commit(done(running)).await.expect("it commits");
    let mut own = pool.begin().await.expect("a transaction");
    let within = store.claim_within(&mut *own, claim("grace")).await;
    assert!(matches!(within, Ok(Claimed::Granted(_))), "{within:?}");
    own.commit().await.expect("it commits");
    assert!(is_there(&store, "grace").await);
}

#[tokio::test]
async fn a_pool_in_memory_is_refused() {
    let pool = SqlitePool::connect("sqlite::memory:").await.expect("a pool");
    let refused = Sqlite::with_pool(pool, Arc::new(SystemClock::new())).expect_err("refused");
    assert!(refused.to_string().contains("in memory"), "{refused}");
}

#[tokio::test]
async fn a_transaction_on_another_file_is_refused() {
    let (place, elsewhere) = (Place::new(), Place::new());
    let (store, other) = (place.open(), elsewhere.open());
    let address = elsewhere.address();
    let mut connection = SqliteConnection::connect(&address).await.expect("a connection");
    let within = store.claim_within(&mut connection, claim("ada")).await;
    let error = within.expect_err("it would never be executed");
    assert!(error.to_string().contains("another database"), "{error}");
    assert!(!is_there(&other, "ada").await);
}
