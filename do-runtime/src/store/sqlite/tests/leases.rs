//! Leases: the lock files beside the database.

use std::time::Duration;

use super::{INSTANCE, Place, done, granted, recorded};
use crate::record::InstanceId;
use crate::store::Store;

const OTHER: InstanceId = InstanceId::from_bytes([8; 16]);
const LEASE: Duration = Duration::from_secs(60);

async fn dead(store: &super::Sqlite) -> Vec<(InstanceId, bool)> {
    let seen = store.heartbeat(OTHER, LEASE).await.expect("it is renewed");
    let mut dead: Vec<_> = seen.iter().map(|seen| (seen.instance, seen.dead)).collect();
    dead.sort_unstable();
    dead
}

#[tokio::test]
async fn a_dead_process_is_seen_at_once_and_forgotten_once_nothing_runs_on_it() {
    let place = Place::new();
    let store = place.open();
    let dying = place.open();
    dying.heartbeat(INSTANCE, LEASE).await.expect("it is renewed");
    let running = granted(&dying, "ada").await;
    assert_eq!(dead(&store).await, [(INSTANCE, false), (OTHER, false)]);
    drop(dying);
    for _ in 0..3 {
        assert_eq!(dead(&store).await, [(INSTANCE, true), (OTHER, false)], "something runs on it");
    }
    recorded(&store, done(running)).await;
    assert_eq!(dead(&store).await, [(OTHER, false)]);
    let lock = format!("{}-instances/{INSTANCE}.lock", place.file().display());
    assert!(!std::path::Path::new(&lock).exists());
}

#[tokio::test]
async fn closing_forgets_an_instance_on_which_nothing_runs() {
    let place = Place::new();
    let store = place.open();
    let closing = place.open();
    closing.heartbeat(INSTANCE, LEASE).await.expect("it is renewed");
    closing.close().await.expect("it closes");
    assert_eq!(dead(&store).await, [(OTHER, false)]);
}

#[tokio::test]
async fn while_something_runs_the_lock_outlives_the_closing() {
    let place = Place::new();
    let store = place.open();
    let closing = place.open();
    closing.heartbeat(INSTANCE, LEASE).await.expect("it is renewed");
    granted(&closing, "ada").await;
    closing.close().await.expect("it closes");
    assert_eq!(dead(&store).await, [(INSTANCE, false), (OTHER, false)]);
    drop(closing);
    assert_eq!(dead(&store).await, [(INSTANCE, true), (OTHER, false)]);
}

#[tokio::test]
async fn lock_files_without_a_row_are_swept() {
    let place = Place::new();
    let store = place.open();
    store.heartbeat(INSTANCE, LEASE).await.expect("it is renewed");
    let directory = format!("{}-instances", place.file().display());
    let orphan = format!("{directory}/{}.lock", InstanceId::from_bytes([1; 16]));
    std::fs::write(&orphan, "").expect("left by a process that died early");
    let other = place.open();
    assert!(!std::path::Path::new(&orphan).exists());
    assert_eq!(std::fs::read_dir(directory).expect("a directory").count(), 1);
    drop(other);
}

#[tokio::test]
async fn a_lock_file_that_was_taken_away_is_made_again() {
    let place = Place::new();
    let (store, other) = (place.open(), place.open());
    store.heartbeat(INSTANCE, LEASE).await.expect("it is renewed");
    std::fs::remove_dir_all(format!("{}-instances", place.file().display())).expect("careless");
    store.heartbeat(INSTANCE, LEASE).await.expect("it is renewed");
    assert_eq!(dead(&other).await, [(INSTANCE, false), (OTHER, false)]);
}

#[tokio::test]
async fn a_lock_file_that_was_taken_away_makes_nobody_dead() {
    let place = Place::new();
    let (store, other) = (place.open(), place.open());
    store.heartbeat(INSTANCE, LEASE).await.expect("it is renewed");
    granted(&store, "ada").await;
    std::fs::remove_dir_all(format!("{}-instances", place.file().display())).expect("careless");
    assert_eq!(dead(&other).await, [(INSTANCE, false), (OTHER, false)], "its lease holds");
}
