//! Renews this instance's lease, on a thread of its own that no busy body can hold up.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::task::AbortHandle;

use crate::dispatcher::Dispatcher;
use crate::store::StoreError;

/// The renewals; they end when this is dropped.
#[derive(Debug)]
pub(crate) enum Heartbeat {
    /// A thread, which ends when the other end of its channel is gone. It is not joined: it may be
    /// in the middle of a renewal, and ends by itself.
    Thread(#[expect(dead_code, reason = "held, never sent to")] Sender<()>),
    /// A task, by a clock that is moved by hand.
    Task(AbortHandle),
}

/// Renews once: makes the instance known, or keeps it alive.
pub(crate) async fn renew(dispatcher: &Dispatcher) -> Result<(), StoreError> {
    let census = &dispatcher.census;
    let asked = dispatcher.clock.monotonic();
    let seen = dispatcher.store.heartbeat(census.me(), census.lease()).await?;
    census.update(&seen, asked);
    Ok(())
}

impl Heartbeat {
    /// Renews three times in a lease.
    pub(crate) fn start(dispatcher: Arc<Dispatcher>) -> std::io::Result<Self> {
        if !dispatcher.clock.is_real() {
            return Ok(Self::Task(tokio::spawn(by_hand(dispatcher)).abort_handle()));
        }
        let (stop, stopped) = channel();
        let handle = Handle::current();
        std::thread::Builder::new()
            .name("do-heartbeat".to_owned())
            .spawn(move || beat(&dispatcher, &handle, &stopped))?;
        Ok(Self::Thread(stop))
    }
}

async fn by_hand(dispatcher: Arc<Dispatcher>) {
    loop {
        dispatcher.clock.sleep(dispatcher.census.lease() / 3).await;
        if renew(&dispatcher).await.is_ok() {
            dispatcher.due.notify_one();
        }
    }
}

fn beat(dispatcher: &Arc<Dispatcher>, handle: &Handle, stopped: &Receiver<()>) {
    let third = dispatcher.census.lease() / 3;
    let mut gap = third;
    while stopped.recv_timeout(gap) == Err(RecvTimeoutError::Timeout) {
        gap = match handle.block_on(renew(dispatcher)) {
            Ok(()) => {
                dispatcher.due.notify_one();
                third
            }
            Err(StoreError::Stopped(_) | StoreError::Closed) => return,
            Err(error) => {
                tracing::warn!(%error, "the lease could not be renewed; trying again");
                (third / 5).max(Duration::from_millis(10))
            }
        };
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        if let Self::Task(task) = self {
            task.abort();
        }
    }
}
