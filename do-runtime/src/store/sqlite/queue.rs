//! What waits for the writer.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::work::Work;
use crate::store::StoreError;

/// Work that waits, in the order in which it came; renewals of leases go first.
#[derive(Default)]
pub(super) struct Queue {
    lanes: Mutex<Lanes>,
    arrived: Condvar,
}

#[derive(Default)]
struct Lanes {
    renewals: VecDeque<Box<dyn Work>>,
    work: VecDeque<Box<dyn Work>>,
    closed: Option<StoreError>,
    writer_sleeps: bool,
}

/// Why the writer woke.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Woken {
    /// There is work.
    Work,
    /// There was none for as long as it wanted to wait.
    Idle,
    /// There is none and there will be none.
    Closed,
}

impl Queue {
    /// Hands work to the writer; work that is refused is answered at once.
    pub(super) fn push(&self, work: Box<dyn Work>) {
        let mut lanes = self.lanes();
        if let Some(closed) = lanes.closed.clone() {
            drop(lanes);
            work.answer(Err(closed));
            return;
        }
        if work.is_renewal() {
            lanes.renewals.push_back(work);
        } else {
            lanes.work.push_back(work);
        }
        let wake = std::mem::take(&mut lanes.writer_sleeps);
        drop(lanes);
        if wake {
            self.arrived.notify_one();
        }
    }

    /// An error once no more work is taken.
    #[cfg(feature = "sqlx")]
    pub(super) fn check(&self) -> Result<(), StoreError> {
        self.lanes().closed.clone().map_or(Ok(()), Err)
    }

    /// Waits for work, at most `patience`.
    pub(super) fn wait(&self, patience: Option<Duration>) -> Woken {
        let mut lanes = self.lanes();
        loop {
            if !lanes.is_empty() {
                return Woken::Work;
            }
            if lanes.closed.is_some() {
                return Woken::Closed;
            }
            lanes.writer_sleeps = true;
            match patience {
                None => {
                    lanes = self.arrived.wait(lanes).unwrap_or_else(PoisonError::into_inner);
                }
                Some(patience) => {
                    let (woken, timeout) = self
                        .arrived
                        .wait_timeout(lanes, patience)
                        .unwrap_or_else(PoisonError::into_inner);
                    lanes = woken;
                    if timeout.timed_out() && lanes.is_empty() && lanes.closed.is_none() {
                        lanes.writer_sleeps = false;
                        return Woken::Idle;
                    }
                }
            }
        }
    }

    /// Takes what waits, up to so many pieces and bytes, but at least one.
    pub(super) fn take(&self, most: usize, most_bytes: usize) -> Vec<Box<dyn Work>> {
        let mut lanes = self.lanes();
        let mut group = Vec::with_capacity(lanes.len().min(most));
        let mut bytes = 0;
        while group.len() < most && bytes < most_bytes {
            let Some(work) = lanes.next() else { break };
            bytes += work.size();
            group.push(work);
        }
        group
    }

    /// Takes no more work from now on; what waits is still done.
    pub(super) fn close(&self, reason: StoreError) {
        let mut lanes = self.lanes();
        if lanes.closed.is_none() {
            lanes.closed = Some(reason);
        }
        lanes.writer_sleeps = false;
        drop(lanes);
        self.arrived.notify_one();
    }

    /// Answers with this error all that waits and all that will come.
    pub(super) fn refuse_all(&self, reason: &StoreError) {
        let mut lanes = self.lanes();
        lanes.closed = Some(reason.clone());
        let mut refused = std::mem::take(&mut lanes.renewals);
        refused.append(&mut lanes.work);
        lanes.writer_sleeps = false;
        drop(lanes);
        for work in refused {
            work.answer(Err(reason.clone()));
        }
        self.arrived.notify_one();
    }

    fn lanes(&self) -> MutexGuard<'_, Lanes> {
        // No code that can panic runs under this lock.
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lanes {
    fn len(&self) -> usize {
        self.renewals.len() + self.work.len()
    }

    fn is_empty(&self) -> bool {
        self.renewals.is_empty() && self.work.is_empty()
    }

    fn next(&mut self) -> Option<Box<dyn Work>> {
        self.renewals.pop_front().or_else(|| self.work.pop_front())
    }
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue").field("waiting", &self.lanes().len()).finish()
    }
}
