//! Bodies that submit other actions and wait for them.

use std::sync::OnceLock;

use super::harness::*;

/// The runtime that runs the body.
#[derive(Clone, Default)]
struct App(Arc<OnceLock<Runtime>>);

#[action(key(id), repeatable)]
async fn parent(app: &App, id: u64) -> Result<u64> {
    let child = app.0.get().unwrap().submit(child(id)).await?;
    Ok(child.wait_for("1m").await? + 1)
}

#[action(key(id), repeatable)]
async fn child(id: u64) -> Result<u64> {
    Ok(id)
}

// F29: more parents than the runtime has places for work in the background.
#[tokio::test]
async fn parents_that_wait_for_their_children_leave_them_room() {
    let bench = Bench::memory();
    let app = App::default();
    let runtime = bench.builder().provide(app.clone()).only((parent, child)).start().await.unwrap();
    app.0.set(runtime.clone()).unwrap();
    let all = async {
        let mut handles = Vec::new();
        for id in 0..300 {
            handles.push((id, runtime.submit(parent(id)).await.unwrap()));
        }
        for (id, handle) in handles {
            let receipt = handle.receipt("1h").await.unwrap();
            assert_eq!((receipt.value, receipt.attempts), (id + 1, 1));
        }
    };
    bench.run(all).await;
}
