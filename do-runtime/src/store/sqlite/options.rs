//! Where the file is, and the store's limits.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::clock::{Clock, SystemClock};
use crate::store::StoreError;

/// How the embedded store is opened.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SqliteOptions {
    /// Where it takes time from.
    pub clock: Arc<dyn Clock>,
    /// How long a read or a write waits for another process that holds the file, before
    /// [`StoreError::Busy`].
    pub busy_timeout: Duration,
}

impl SqliteOptions {
    /// How long a read or a write waits for another process, unless said otherwise.
    pub const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

    /// The machine's clock and the usual limits.
    #[must_use]
    pub fn new() -> Self {
        Self { clock: Arc::new(SystemClock::new()), busy_timeout: Self::BUSY_TIMEOUT }
    }

    /// The same with another clock.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// The same with another wait for other processes.
    #[must_use]
    pub const fn busy_timeout(mut self, busy_timeout: Duration) -> Self {
        self.busy_timeout = busy_timeout;
        self
    }
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self::new()
    }
}

/// The file that a URL names: `sqlite://relative`, `sqlite:///absolute`, `sqlite:relative`, or a
/// path. The path is taken as it stands, without percent signs or options.
pub(super) fn file_of(url: &str) -> Result<PathBuf, StoreError> {
    let path = url.strip_prefix("sqlite://").or_else(|| url.strip_prefix("sqlite:")).unwrap_or(url);
    let refused = |why: &str| Err(StoreError::Open(format!("`{url}`: {why}")));
    if path.is_empty() || path == ":memory:" || path.contains("mode=memory") {
        return refused(
            "a database in memory forgets with the process what must not be done twice; name a \
             file, for example sqlite://actions.db, and use `do_runtime::testing` in tests",
        );
    }
    if path.contains("://") {
        return refused("not an SQLite URL; write sqlite://PATH");
    }
    if path.contains('?') {
        return refused("options after `?` are not known here; name the file alone");
    }
    Ok(PathBuf::from(path))
}

/// The whole path of that file, so that a later change of directory names the same one.
pub(super) fn absolute(path: &Path) -> Result<PathBuf, StoreError> {
    let refused = |why: String| StoreError::Open(format!("{}: {why}", path.display()));
    let name = match path.file_name() {
        Some(name) if !path.is_dir() => name,
        _ => return Err(refused("is a directory; name a file in it".to_owned())),
    };
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let directory = parent.canonicalize().map_err(|error| {
        refused(format!("its directory {} cannot be used: {error}; create it", parent.display()))
    })?;
    if !directory.is_dir() {
        return Err(refused(format!("{} is not a directory", parent.display())));
    }
    Ok(directory.join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_name_files() {
        for (url, path) in [
            ("sqlite://onboarding.db", "onboarding.db"),
            ("sqlite:onboarding.db", "onboarding.db"),
            ("sqlite:///var/lib/app/actions.db", "/var/lib/app/actions.db"),
            ("data/actions.db", "data/actions.db"),
        ] {
            assert_eq!(file_of(url), Ok(PathBuf::from(path)));
        }
    }

    #[test]
    fn what_is_no_file_is_refused() {
        for url in [
            "sqlite::memory:",
            "sqlite://:memory:",
            "",
            "sqlite:",
            "postgres://x/y",
            "sqlite:a?b=c",
        ] {
            assert!(matches!(file_of(url), Err(StoreError::Open(_))), "{url}");
        }
    }
}
