//! Renews this instance's lease, on a thread of its own that no busy body can hold up.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::runtime::Handle;

use crate::dispatcher::Dispatcher;
use crate::store::StoreError;

/// The running thread; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Heartbeat {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
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
        let (stop, stopped) = channel();
        let handle = Handle::current();
        let thread = std::thread::Builder::new()
            .name("do-heartbeat".to_owned())
            .spawn(move || beat(&dispatcher, &handle, &stopped))?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
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
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // It is at most in the middle of one renewal. Joining would wait for the store; the
            // thread ends by itself.
            drop(thread);
        }
    }
}
