//! Opening: what is refused, with which words, and two at once.

use std::sync::Barrier;

use super::{Place, claim, granted, is_there};
use crate::store::sqlite::Sqlite;
use crate::store::{Store, StoreError};

/// Opening fails and says these words.
fn refused(place: &Place, words: &[&str]) {
    let error = place.try_open().expect_err("it does not open");
    let StoreError::Open(why) = &error else { panic!("{error:?}") };
    for word in words {
        assert!(why.contains(word), "`{word}` is missing in: {why}");
    }
    assert!(why.contains(&*place.file().to_string_lossy()), "the file is missing in: {why}");
}

#[test]
fn what_is_no_database_is_refused() {
    let place = Place::new();
    std::fs::write(place.file(), "something else entirely, and long enough to be read")
        .expect("it is written");
    refused(&place, &["not an SQLite database", "name another file"]);
}

#[test]
fn a_directory_is_refused() {
    let place = Place::new();
    std::fs::create_dir(place.file()).expect("a directory");
    refused(&place, &["is a directory"]);
}

#[test]
fn a_missing_directory_is_refused() {
    let place = Place::new();
    let address = format!("sqlite://{}/missing/actions.db", place.directory.path().display());
    let clock = std::sync::Arc::new(crate::clock::SystemClock::new());
    let error = Sqlite::open(&address, clock).expect_err("it does not open");
    assert!(error.to_string().contains("create it"), "{error}");
}

#[test]
fn a_newer_schema_is_refused() {
    let place = Place::new();
    drop(place.open());
    place.other().execute_batch("UPDATE do_meta SET schema = 99").expect("it is changed");
    refused(&place, &["schema 99", "newer release"]);
}

#[test]
fn a_file_that_another_process_holds_is_refused() {
    let place = Place::new();
    let other = place.other();
    other.execute_batch("PRAGMA locking_mode=EXCLUSIVE; CREATE TABLE theirs (it)").expect("held");
    refused(&place, &["another process holds it"]);
}

#[tokio::test]
async fn a_damaged_file_is_refused() {
    let place = Place::new();
    let store = place.open();
    for number in 0..200 {
        granted(&store, &format!("user {number}")).await;
    }
    store.close().await.expect("it closes");
    let mut bytes = std::fs::read(place.file()).expect("it is read");
    let middle = bytes.len() / 2 / 4096 * 4096;
    bytes[middle..middle + 4096].fill(0);
    std::fs::write(place.file(), bytes).expect("it is written");
    refused(&place, &["damaged", "restore a copy"]);
}

#[tokio::test]
async fn a_key_that_only_the_index_lost_is_found_out() {
    let place = Place::new();
    let store = place.open();
    granted(&store, "ada").await;
    store.close().await.expect("it closes");
    let other = place.other();
    other
        .execute_batch(
            "PRAGMA writable_schema=ON; PRAGMA journal_mode=DELETE;
             CREATE TABLE kept AS SELECT * FROM do_execution;
             DELETE FROM sqlite_schema WHERE name = 'do_execution_key';",
        )
        .expect("the index is taken away");
    drop(other);
    let other = place.other();
    other.execute_batch("UPDATE do_execution SET key16 = x'00'").expect("without the index");
    drop(other);
    assert!(place.try_open().is_err(), "it is not served as a store without that key");
}

#[tokio::test]
async fn a_hole_in_the_audit_is_refused() {
    let place = Place::new();
    let store = place.open();
    granted(&store, "ada").await;
    store.close().await.expect("it closes");
    place.other().execute_batch("DELETE FROM do_audit").expect("it is taken away");
    refused(&place, &["audit entries", "hole"]);
}

#[tokio::test]
async fn two_that_open_a_new_file_at_once_share_it() {
    for _ in 0..5 {
        let place = Place::new();
        let both = Barrier::new(2);
        let open = || {
            both.wait();
            Sqlite::open(&place.address(), std::sync::Arc::new(crate::clock::SystemClock::new()))
                .expect("both open")
        };
        let (one, other) = std::thread::scope(|scope| {
            let one = scope.spawn(open);
            let other = scope.spawn(open);
            (one.join().expect("it opens"), other.join().expect("it opens"))
        });
        granted(&one, "ada").await;
        assert!(is_there(&other, "ada").await);
    }
}

#[tokio::test]
async fn the_tables_of_others_stay() {
    let place = Place::new();
    place
        .other()
        .execute_batch(
            "PRAGMA user_version=5; CREATE TABLE users (name); INSERT INTO users VALUES (1)",
        )
        .expect("their table");
    let store = place.open();
    store.claim(claim("ada")).await.expect("it is answered");
    let version: i64 =
        place.other().query_row("PRAGMA user_version", [], |row| row.get(0)).expect("a number");
    let users: i64 =
        place.other().query_row("SELECT count(*) FROM users", [], |row| row.get(0)).expect("rows");
    assert_eq!((version, users), (5, 1));
}
