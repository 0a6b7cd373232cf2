//! Renews this instance's lease, on a thread of its own that no busy body can hold up.
//!
//! It ends with tokio's runtime: nothing runs without that, and an instance that passed for alive
//! would keep all others from what it has left behind.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::task::AbortHandle;

use crate::dispatcher::Dispatcher;
use crate::store::StoreError;

/// The renewals; they end when this is dropped.
#[derive(Debug)]
pub(crate) struct Heartbeat {
    /// By a clock that is moved by hand, it renews. Else it only holds one end of a channel, and
    /// the thread ends when that is gone. The thread is not joined: it may be in the middle of a
    /// renewal, and ends by itself.
    task: AbortHandle,
}

impl Heartbeat {
    /// Renews three times in a lease.
    pub(crate) fn start(dispatcher: Arc<Dispatcher>) -> std::io::Result<Self> {
        let works = Works(Arc::clone(&dispatcher));
        if !dispatcher.clock.is_real() {
            let task = tokio::spawn(async move {
                by_hand(&dispatcher).await;
                drop(works);
            });
            return Ok(Self { task: task.abort_handle() });
        }
        let (stop, stopped) = channel::<()>();
        let handle = Handle::current();
        std::thread::Builder::new()
            .name("do-heartbeat".to_owned())
            .spawn(move || beat(&dispatcher, &handle, &stopped))?;
        let task = tokio::spawn(async move {
            std::future::pending::<()>().await;
            drop((stop, works));
        });
        Ok(Self { task: task.abort_handle() })
    }
}

/// Gone with the renewals: then nothing new may begin.
struct Works(Arc<Dispatcher>);

impl Drop for Works {
    fn drop(&mut self) {
        self.0.begin_draining();
    }
}

async fn by_hand(dispatcher: &Dispatcher) {
    loop {
        dispatcher.clock.sleep(dispatcher.census.lease() / 3).await;
        if dispatcher.renew().await.is_ok() {
            dispatcher.due.notify_one();
        }
    }
}

fn beat(dispatcher: &Arc<Dispatcher>, handle: &Handle, stopped: &Receiver<()>) {
    let third = dispatcher.census.lease() / 3;
    let mut gap = third;
    while stopped.recv_timeout(gap) == Err(RecvTimeoutError::Timeout) {
        gap = match handle.block_on(dispatcher.renew()) {
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
        self.task.abort();
    }
}
