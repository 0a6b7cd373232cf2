//! The lease is renewed whatever the bodies do.

use std::path::PathBuf;
use std::time::Duration;

use super::harness::*;

/// The database that is watched.
struct File(PathBuf);

impl File {
    fn renewals(&self) -> i64 {
        let reader = rusqlite::Connection::open(&self.0).unwrap();
        reader.busy_timeout(Duration::from_secs(5)).unwrap();
        reader.query_row("SELECT sum(renewals) FROM do_instance", [], |row| row.get(0)).unwrap()
    }
}

/// Keeps its thread, without an await, until the lease was renewed three times.
#[action(key(id), repeatable)]
async fn block(file: &File, id: u64) -> Result<u64> {
    let before = file.renewals();
    while file.renewals() < before + 3 {
        std::thread::yield_now();
    }
    Ok(id)
}

// S4.6, F41: the only thread that tokio has is blocked for longer than a lease.
#[tokio::test]
async fn a_body_that_blocks_its_thread_does_not_hold_up_the_lease() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("actions.db");
    let app = Runtime::open(format!("sqlite://{}", file.display()))
        .provide(File(file))
        .only(block)
        .lease(Duration::from_millis(150))
        .start()
        .await
        .unwrap();
    let receipt = app.execute(block(7)).receipt().await.unwrap();
    assert_eq!((receipt.value, receipt.attempts), (7, 1), "nobody took it over");
}
