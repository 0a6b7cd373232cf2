//! Ends retention: successes become tombstones, failures lose their parameters and text.

use std::sync::Arc;
use std::time::Duration;

use crate::audit::Author;
use crate::dispatcher::{Dispatcher, Phase};
use crate::store::StoreError;

/// Rows of one page.
const PAGE: usize = 500;
/// The time between two passes.
const PASS_EVERY: Duration = Duration::from_secs(30);

/// Runs until the runtime drains.
pub(crate) async fn run(dispatcher: Arc<Dispatcher>) {
    let mut phase = dispatcher.phase.subscribe();
    loop {
        let pause = match pass(&dispatcher).await {
            // A full page: there is more.
            Ok(pruned) if pruned >= PAGE => Duration::ZERO,
            Ok(_) => PASS_EVERY,
            Err(StoreError::Stopped(_) | StoreError::Closed) => return,
            Err(error) => {
                tracing::warn!(%error, "a pass of the pruner failed; it tries again");
                PASS_EVERY
            }
        };
        tokio::select! {
            biased;
            _ = phase.wait_for(|phase| *phase != Phase::Open) => return,
            () = dispatcher.clock.sleep(pause) => {}
        }
    }
}

/// One page.
async fn pass(dispatcher: &Dispatcher) -> Result<usize, StoreError> {
    crate::fault!("prune_page");
    let author = Author::new("pruner", dispatcher.census.me());
    dispatcher.store.prune(author, PAGE).await
}
