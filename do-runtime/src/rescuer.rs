//! Picks up what is due and what the dead left behind, for ever, on every instance.
//!
//! It works in pages with a cursor and takes only registered actions; one row that cannot be taken
//! up never stops the others. Its first pass happens at once: after a crash nothing waits.

use std::sync::Arc;
use std::time::Duration;

use crate::clock::Timestamp;
use crate::dispatcher::{Dispatcher, Phase};
use crate::record::{Execution, Status};
use crate::store::{DueQuery, StoreError};

/// Rows of one page.
const PAGE: usize = 100;
/// The longest time between two passes: what another process submitted or left behind.
const PASS_EVERY: Duration = Duration::from_millis(200);

/// Runs until the runtime drains.
pub(crate) async fn run(dispatcher: Arc<Dispatcher>) {
    let mut phase = dispatcher.phase.subscribe();
    let actions = actions(&dispatcher);
    let mut mine_looked_at = None;
    loop {
        // What this instance has lost from its memory is rare: that is looked for less often.
        let now = dispatcher.clock.monotonic();
        let third = dispatcher.census.lease() / 3;
        let mine = mine_looked_at.is_none_or(|before| now.saturating_sub(before) >= third);
        if mine {
            mine_looked_at = Some(now);
        }
        if let Ok(epoch) = dispatcher.store.epoch().await {
            dispatcher.cache.saw(epoch, now);
        }
        let next_due = match pass(&dispatcher, &actions, mine).await {
            Ok(next_due) => next_due,
            Err(StoreError::Stopped(_) | StoreError::Closed) => return,
            Err(error) => {
                tracing::warn!(%error, "a pass of the rescuer failed; it tries again");
                None
            }
        };
        let now = dispatcher.store.now();
        let every = dispatcher.ask_every(PASS_EVERY);
        let pause = next_due.map_or(every, |due| due.since(now)).min(every);
        tokio::select! {
            biased;
            _ = phase.wait_for(|phase| *phase != Phase::Open) => return,
            () = dispatcher.due.notified() => {}
            () = dispatcher.clock.sleep(pause.max(Duration::from_millis(1))) => {}
        }
    }
}

/// Ends what the dead have left running, before anybody asks: whoever started after a crash then
/// sees what is in doubt.
pub(crate) async fn end_what_the_dead_left(dispatcher: &Arc<Dispatcher>) -> Result<(), StoreError> {
    let gone = dispatcher.census.gone();
    if gone.is_empty() {
        return Ok(());
    }
    let actions = actions(dispatcher);
    let mut after = None;
    loop {
        let query = DueQuery::new(Arc::clone(&actions), gone.clone(), after, PAGE);
        let page = dispatcher.store.due(query).await?;
        let full = page.executions.len() >= PAGE;
        after = page.executions.last().map(|execution| execution.row);
        for execution in page.executions {
            if execution.state.status == Status::Running {
                dispatcher.end_of_the_gone(execution).await;
            }
        }
        if !full {
            return Ok(());
        }
    }
}

/// The actions that this process can run.
fn actions(dispatcher: &Dispatcher) -> Arc<[Arc<str>]> {
    dispatcher.registry.iter().map(|action| Arc::clone(&action.name)).collect()
}

/// One pass over all that is due now; says when the next one that waits becomes due.
async fn pass(
    dispatcher: &Arc<Dispatcher>,
    actions: &Arc<[Arc<str>]>,
    mine: bool,
) -> Result<Option<Timestamp>, StoreError> {
    let mut after = None;
    loop {
        crate::fault!("rescue_page");
        let census = &dispatcher.census;
        let mut instances = census.gone();
        instances.extend(mine.then(|| census.me()));
        let query = DueQuery::new(Arc::clone(actions), instances, after, PAGE);
        let page = dispatcher.store.due(query).await?;
        let full = page.executions.len() >= PAGE;
        after = page.executions.last().map(|execution| execution.row);
        for execution in page.executions {
            if !take_up(dispatcher, execution).await {
                return Ok(None);
            }
        }
        if !full {
            return Ok(page.next_due);
        }
    }
}

/// Takes up one execution; false when nothing more can be started now.
async fn take_up(dispatcher: &Arc<Dispatcher>, execution: Arc<Execution>) -> bool {
    // Somebody here is at it already.
    let Some(pilot) = dispatcher.flights.pursue(&execution.identity) else { return true };
    if execution.state.status == Status::Running {
        // It becomes due, or is in doubt; the next pass sees which.
        dispatcher.end_of_the_gone(execution).await;
        pilot.ask_again();
        return true;
    }
    let Ok(permit) = Arc::clone(&dispatcher.background).try_acquire_owned() else {
        pilot.ask_again();
        return false;
    };
    let dispatcher = Arc::clone(dispatcher);
    tokio::spawn(async move {
        Arc::clone(&dispatcher).pursue(pilot, None, Some(execution)).await;
        drop(permit);
        if dispatcher.background.available_permits() == 1 {
            dispatcher.due.notify_one();
        }
    });
    true
}
