//! The locks that tell a dead process at once.
//!
//! Every instance holds an operating system's lock on a file of its own, which goes with the
//! process however it ends. The file is made and locked **before** the instance's row is written:
//! so a row whose lock is free is that of a dead process. A file that is gone says nothing:
//! somebody tidied up, and a living process makes it again with its next renewal; then the lease
//! alone tells. Whoever looks takes the lock for an instant; another one who looks in that instant
//! sees a live process and looks again with its next renewal.

use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::record::InstanceId;
use crate::store::StoreError;

/// How often somebody who only looks is let pass, before the lock counts as held. Nobody looks at
/// a file whose row is not written yet but a process that sweeps while it starts.
const LOOKS: u32 = 10_000;

#[derive(Debug)]
pub(super) struct Leases {
    directory: PathBuf,
    held: Mutex<HashMap<InstanceId, File>>,
    /// Seen dead, to be forgotten by a later renewal.
    dead: Mutex<Vec<InstanceId>>,
}

impl Leases {
    /// The locks beside that database.
    pub(super) fn beside(database: &Path) -> Self {
        let mut directory = database.as_os_str().to_owned();
        directory.push("-instances");
        Self { directory: directory.into(), held: Mutex::default(), dead: Mutex::default() }
    }

    /// Holds the lock of an instance of this process; also when somebody took its file away.
    pub(super) fn hold(&self, instance: InstanceId) -> Result<(), StoreError> {
        let path = self.file_of(instance);
        let mut held = lock(&self.held);
        if held.contains_key(&instance) && path.exists() {
            return Ok(());
        }
        let refused = |error: std::io::Error| {
            StoreError::Open(format!(
                "cannot hold the lock file {}: {error}; the directory must be writable and must \
                 support locks",
                path.display()
            ))
        };
        match std::fs::create_dir(&self.directory) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(refused(error)),
            _ => {}
        }
        loop {
            let file = OpenOptions::new()
                .create(true)
                .truncate(false)
                .write(true)
                .open(&path)
                .map_err(refused)?;
            if !take(&file).map_err(refused)? {
                return Err(refused(std::io::Error::other("another process has this id")));
            }
            // Whoever sweeps may have taken the file away between the two.
            if path.exists() {
                held.insert(instance, file);
                lock(&self.dead).retain(|dead| *dead != instance);
                return Ok(());
            }
        }
    }

    /// The process of that instance is known to be dead. `over`: its lease is over, so that it is
    /// forgotten, once nothing runs on it, although its file is gone.
    pub(super) fn is_dead(&self, instance: InstanceId, over: bool) -> bool {
        if lock(&self.held).contains_key(&instance) {
            return false;
        }
        let (dead, gone) = match File::open(self.file_of(instance)) {
            Ok(file) => (file.try_lock().is_ok(), false),
            Err(error) => (false, error.kind() == ErrorKind::NotFound),
        };
        if dead || (gone && over) {
            let mut known = lock(&self.dead);
            if !known.contains(&instance) {
                known.push(instance);
            }
        }
        dead
    }

    /// Instances that were seen dead and are not forgotten yet.
    pub(super) fn dead(&self) -> Vec<InstanceId> {
        lock(&self.dead).clone()
    }

    /// The row of that instance is gone: so may be its file.
    pub(super) fn forget(&self, instance: InstanceId) {
        lock(&self.dead).retain(|dead| *dead != instance);
        let file = lock(&self.held).remove(&instance);
        drop(file);
        remove(&self.file_of(instance));
    }

    /// The instances of this process.
    pub(super) fn own(&self) -> Vec<InstanceId> {
        lock(&self.held).keys().copied().collect()
    }

    /// Removes files without a row, left by processes that died before they wrote theirs.
    pub(super) fn sweep(&self, has_row: impl Fn(InstanceId) -> bool) {
        let Ok(files) = std::fs::read_dir(&self.directory) else {
            return;
        };
        for path in files.flatten().map(|file| file.path()) {
            let name = path.file_stem().and_then(|stem| stem.to_str());
            let Some(instance) = name.and_then(|name| name.parse::<InstanceId>().ok()) else {
                continue;
            };
            let Ok(file) = File::open(&path) else { continue };
            match file.try_lock() {
                Ok(()) if !has_row(instance) => remove(&path),
                Ok(()) | Err(TryLockError::WouldBlock | TryLockError::Error(_)) => {}
            }
        }
    }

    fn file_of(&self, instance: InstanceId) -> PathBuf {
        self.directory.join(format!("{instance}.lock"))
    }
}

/// Takes the lock; false when somebody holds it who does not only look.
fn take(file: &File) -> std::io::Result<bool> {
    for _ in 0..LOOKS {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) => std::thread::yield_now(),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(false)
}

fn remove(path: &Path) {
    if let Err(error) = std::fs::remove_file(path)
        && error.kind() != ErrorKind::NotFound
    {
        tracing::warn!(path = %path.display(), %error, "a lock file could not be removed");
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No code that can panic runs under these locks.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
