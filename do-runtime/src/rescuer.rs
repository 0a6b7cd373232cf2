//! Picks up what is due and what the dead left behind, for ever, on every instance.
//!
//! It works in pages with a cursor and takes only registered actions; one row that cannot be taken
//! up never stops the others. Its first pass happens at once: after a crash nothing waits.

use std::sync::Arc;
use std::time::Duration;

use crate::clock::Timestamp;
use crate::dispatcher::{Dispatcher, Phase};
use crate::record::{Event, Execution, Status};
use crate::store::{Change, DueQuery, Recorded, StoreError};

/// Rows of one page.
const PAGE: usize = 100;
/// The longest time between two passes: what another process submitted or left behind.
const PASS_EVERY: Duration = Duration::from_millis(200);

/// Runs until the runtime drains.
pub(crate) async fn run(dispatcher: Arc<Dispatcher>) {
    let mut phase = dispatcher.phase.subscribe();
    let actions: Arc<[Arc<str>]> =
        dispatcher.registry.iter().map(|action| Arc::clone(&action.name)).collect();
    loop {
        let next_due = match pass(&dispatcher, &actions).await {
            Ok(next_due) => next_due,
            Err(StoreError::Stopped(_) | StoreError::Closed) => return,
            Err(error) => {
                tracing::warn!(%error, "a pass of the rescuer failed; it tries again");
                None
            }
        };
        let now = dispatcher.clock.now();
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

/// One pass over all that is due now; says when the next one that waits becomes due.
async fn pass(
    dispatcher: &Arc<Dispatcher>,
    actions: &Arc<[Arc<str>]>,
) -> Result<Option<Timestamp>, StoreError> {
    let mut after = None;
    loop {
        crate::fault!("rescue_page");
        let gone = dispatcher.census.wanted(dispatcher.clock.monotonic());
        let query = DueQuery::new(Arc::clone(actions), gone, after, PAGE);
        let page = dispatcher.store.due(query).await?;
        let full = page.executions.len() >= PAGE;
        after = page.executions.last().map(|execution| execution.row);
        for execution in page.executions {
            take_up(dispatcher, execution).await;
        }
        if !full {
            return Ok(page.next_due);
        }
    }
}

async fn take_up(dispatcher: &Arc<Dispatcher>, execution: Arc<Execution>) {
    let Some(pilot) = dispatcher.flights.pursue(&execution.identity) else { return };
    let mine = execution.state.instance == Some(dispatcher.census.me());
    if execution.state.status == Status::Running && mine {
        // Marked with this instance and not in its memory. It may have ended between the query
        // and here, so the store's answer decides.
        if let Some(current) = end_lost(dispatcher, execution).await {
            dispatcher.due.notify_one();
            drop(current);
        }
        return pilot.ask_again();
    }
    let Ok(permit) = Arc::clone(&dispatcher.background).acquire_owned().await else { return };
    let pursuit = Arc::clone(dispatcher).pursue(pilot, None, Some(execution));
    tokio::spawn(async move {
        pursuit.await;
        drop(permit);
    });
}

/// Ends, as unknown, an attempt that this instance has lost from its memory.
async fn end_lost(
    dispatcher: &Arc<Dispatcher>,
    execution: Arc<Execution>,
) -> Option<Arc<Execution>> {
    let author = crate::audit::Author::new("runtime", dispatcher.census.me());
    let change = Change::new(execution, Event::Died { known: true }, author);
    match dispatcher.store.record(change).await {
        Ok(Recorded::Done(after)) => Some(after),
        Ok(Recorded::Lost(_) | Recorded::Gone) => None,
        Err(error) => {
            tracing::warn!(%error, "a lost attempt could not be ended; the next pass tries again");
            None
        }
    }
}
