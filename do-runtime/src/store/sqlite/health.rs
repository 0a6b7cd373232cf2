//! Whether the store still stands: once it stopped it answers nothing but why.

use std::sync::OnceLock;

use crate::store::StoreError;

#[derive(Debug, Default)]
pub(super) struct Health {
    stopped: OnceLock<String>,
}

impl Health {
    /// An error once the store has stopped.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        match self.stopped.get() {
            None => Ok(()),
            Some(why) => Err(StoreError::Stopped(why.clone())),
        }
    }

    /// Stops the store for good; the first reason is the one that is told.
    pub(super) fn stop(&self, why: &str) -> StoreError {
        let mut first = false;
        let why = self.stopped.get_or_init(|| {
            first = true;
            why.to_owned()
        });
        if first {
            tracing::error!(
                reason = %why,
                "the store has stopped and takes no more work; check the disk, then start the \
                 program again"
            );
        }
        StoreError::Stopped(why.clone())
    }
}
