//! Failing: a busy file, a full disk, one bad piece of work, and what stops the store.

use std::sync::Arc;
use std::time::Duration;

use super::{
    ACTION, Fault, INSTANCE, Order, Place, Sqlite, SqliteOptions, Tables, author, claim, done,
    granted, is_there, on_writer, recorded,
};
use crate::record::{Event, RowId};
use crate::store::{Change, Claimed, DueQuery, Durability, Filter, Store, StoreError};
use crate::testing::ManualClock;

/// All of them at once, in the order in which they were given.
async fn join_all<T: Send + 'static>(
    futures: impl IntoIterator<Item = impl Future<Output = T> + Send + 'static>,
) -> Vec<T> {
    let tasks: Vec<_> = futures.into_iter().map(tokio::spawn).collect();
    let mut ends = Vec::with_capacity(tasks.len());
    for task in tasks {
        ends.push(task.await.expect("it does not panic"));
    }
    ends
}

#[tokio::test]
async fn a_busy_file_is_told_before_anything_is_written() {
    let place = Place::new();
    let store = place.open();
    let running = granted(&store, "ada").await;
    let other = place.other();
    other.execute_batch("BEGIN IMMEDIATE").expect("another process writes");
    let busy = store.claim(claim("grace")).await.expect_err("it is busy");
    assert!(matches!(busy, StoreError::Busy(_)), "{busy:?}");
    let busy = store.record(done(Arc::clone(&running))).await.expect_err("it is busy");
    assert!(matches!(busy, StoreError::Busy(_)), "{busy:?}");
    assert!(is_there(&store, "ada").await, "reads go on");
    other.execute_batch("ROLLBACK").expect("it ends");
    assert!(!is_there(&store, "grace").await);
    granted(&store, "grace").await;
    recorded(&store, done(running)).await;
}

#[tokio::test]
async fn a_full_disk_fails_what_needs_room_and_goes_on_by_itself() {
    let place = Place::new();
    let store = Arc::new(place.open());
    granted(&store, "ada").await;
    on_writer(&store, |tables, ()| {
        tables.connection.execute_batch("PRAGMA max_page_count=1").map_err(Fault::from)
    })
    .await
    .expect("no room from now on");
    let claims = (0..40).map(|number| {
        let store = Arc::clone(&store);
        async move {
            let mut claim = claim(&format!("user {number}"));
            claim.request.params = Some(vec![b'x'; 100_000].into());
            store.claim(claim).await
        }
    });
    for answer in join_all(claims).await {
        assert!(matches!(answer, Err(StoreError::Full(_))), "{answer:?}");
    }
    assert!(!is_there(&store, "user 1").await);
    assert!(is_there(&store, "ada").await);
    on_writer(&store, |tables, ()| {
        tables.connection.execute_batch("PRAGMA max_page_count=1000000").map_err(Fault::from)
    })
    .await
    .expect("room again");
    granted(&store, "user 1").await;
}

#[tokio::test]
async fn one_bad_piece_of_work_does_not_fail_the_others() {
    let place = Place::new();
    let store = Arc::new(place.open());
    let other = place.other();
    // All that comes while another process writes is one group.
    other.execute_batch("BEGIN IMMEDIATE").expect("another process writes");
    let bad = {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            on_writer(&store, |tables, ()| {
                tables
                    .connection
                    .execute_batch(
                        "INSERT INTO do_instance VALUES (x'00', 1, 1);
                         INSERT INTO do_instance VALUES (x'00', 1, 1)",
                    )
                    .map_err(Fault::from)
            })
            .await
        })
    };
    let good = (0..20).map(|number| {
        let store = Arc::clone(&store);
        async move { store.claim(claim(&format!("user {number}"))).await }
    });
    let release = tokio::spawn(async move {
        other.execute_batch("ROLLBACK").expect("it ends");
    });
    for answer in join_all(good).await {
        assert!(matches!(answer, Ok(Claimed::Granted(_))), "{answer:?}");
    }
    release.await.expect("it is released");
    let bad = bad.await.expect("it is answered");
    assert!(matches!(bad, Err(StoreError::Corrupt(_))), "{bad:?}");
    let instances: i64 = place
        .other()
        .query_row("SELECT count(*) FROM do_instance", [], |row| row.get(0))
        .expect("rows");
    assert_eq!(instances, 0, "what was bad is undone as a whole");
}

/// Every call tells that the store has stopped, and why.
async fn has_stopped(store: &Sqlite, why: &str) {
    for error in [
        store.claim(claim("after")).await.expect_err("no claim"),
        store.history(RowId(1)).await.expect_err("no read"),
        store.prune(author(), 1).await.expect_err("no pruning"),
    ] {
        let StoreError::Stopped(reason) = &error else { panic!("{error:?}") };
        assert!(reason.contains(why), "{reason}");
    }
    store.close().await.expect("it closes all the same");
}

#[tokio::test]
async fn a_panic_of_the_writer_stops_the_store() {
    let place = Place::new();
    let store = place.open();
    let end = on_writer(&store, |_, ()| panic!("a bug")).await;
    assert!(matches!(end, Err(StoreError::Stopped(_))), "{end:?}");
    has_stopped(&store, "writer").await;
}

#[tokio::test]
async fn tables_that_are_gone_stop_the_store() {
    let place = Place::new();
    let store = place.open();
    place.other().execute_batch("DROP TABLE do_audit").expect("somebody is careless");
    let error = store.claim(claim("ada")).await.expect_err("it cannot be recorded");
    assert!(matches!(error, StoreError::Stopped(_)), "{error:?}");
    has_stopped(&store, "do_audit").await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_that_is_gone_stops_the_store() {
    let place = Place::new();
    let store = place.open();
    granted(&store, "ada").await;
    std::fs::remove_file(place.file()).expect("it is taken away");
    let error = store.claim(claim("grace")).await.expect_err("it would be lost");
    assert!(matches!(error, StoreError::Stopped(_)), "{error:?}");
    has_stopped(&store, "gone while it was open").await;
}

#[tokio::test]
async fn a_row_that_cannot_be_read_is_no_missing_row() {
    let place = Place::new();
    let store = place.open();
    granted(&store, "ada").await;
    place.other().execute_batch("UPDATE do_execution SET state = '{}'").expect("it is spoilt");
    let error = store.claim(claim("ada")).await.expect_err("it is not claimed again");
    assert!(matches!(error, StoreError::Corrupt(_)), "{error:?}");
    granted(&store, "grace").await;
    // Nor does it keep the others from being taken up or listed.
    for limit in 1..3 {
        let query = DueQuery::new(Arc::new([ACTION.into()]), vec![INSTANCE], None, limit);
        let page = store.due(query).await.expect("the due are read");
        assert_eq!(page.executions.len(), 1, "limit {limit}");
        let page = store.list(Filter::default().limit(limit)).await.expect("they are listed");
        assert_eq!(page.executions.len(), 1, "limit {limit}");
    }
}

#[tokio::test]
async fn each_commit_is_synced_as_it_asked() {
    let place = Place::new();
    let store = place.open();
    let level = async |durability| {
        let run = |tables: &Tables<'_>, (): &()| -> Result<i64, Fault> {
            Ok(tables.connection.query_row("PRAGMA synchronous", [], |row| row.get(0))?)
        };
        store.write((), run, Order::new(durability, 0)).await
    };
    for turn in 0..3 {
        assert_eq!(level(Durability::Visible).await, Ok(1), "turn {turn}");
        assert_eq!(level(Durability::Synced).await, Ok(2), "turn {turn}");
    }
}

#[tokio::test]
async fn a_clock_that_went_back_delays_nothing() {
    let place = Place::new();
    let clock = ManualClock::new();
    let options = SqliteOptions::new().clock(Arc::new(clock.clone()));
    let store = Sqlite::open_with(&place.address(), &options).expect("the store opens");
    let running = granted(&store, "ada").await;
    clock.jump(-7_200_000);
    let gap = Duration::from_secs(1);
    let retry = Event::RetryLater { failure: None, unknown: true, gap };
    let waiting = recorded(&store, Change::new(running, retry, author())).await;
    clock.advance(gap);
    let query = DueQuery::new([ACTION.into()].into(), Vec::new(), None, 10);
    assert_eq!(store.due(query).await.expect("a page").executions.len(), 1);
    let entries = store.history(waiting.row).await.expect("its entries");
    assert!(entries[0].at <= entries[1].at, "the trail's times never go back");
}
