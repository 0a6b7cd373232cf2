//! What the parts of one store share.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::gate::Gate;
use super::health::Health;
use super::queue::Queue;
use crate::clock::Clock;
use crate::store::StoreError;

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) path: PathBuf,
    pub(super) file: FileIdentity,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) busy_timeout: Duration,
    pub(super) health: Health,
    pub(super) queue: Queue,
    pub(super) gate: Gate,
}

impl Shared {
    /// Stops the store for good.
    pub(super) fn stop(&self, why: &str) -> StoreError {
        let stopped = self.health.stop(why);
        self.queue.refuse_all(&stopped);
        stopped
    }

    /// An error once the store has stopped, or when its file is no longer where it was: what is
    /// written to a file without a name is lost with the process.
    pub(super) fn check_file(&self) -> Result<(), StoreError> {
        self.health.check()?;
        match FileIdentity::of(&self.path) {
            Ok(file) if file == self.file => Ok(()),
            Ok(_) => Err(self.stop(&format!(
                "{} was replaced by another file while it was open",
                self.path.display()
            ))),
            Err(error) => {
                Err(self
                    .stop(&format!("{} is gone while it was open: {error}", self.path.display())))
            }
        }
    }
}

/// Tells one file from another under the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileIdentity {
    #[cfg(unix)]
    place: (u64, u64),
}

impl FileIdentity {
    pub(super) fn of(path: &Path) -> std::io::Result<Self> {
        let metadata = std::fs::metadata(path)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            Ok(Self { place: (metadata.dev(), metadata.ino()) })
        }
        #[cfg(not(unix))]
        {
            drop(metadata);
            Ok(Self {})
        }
    }
}
