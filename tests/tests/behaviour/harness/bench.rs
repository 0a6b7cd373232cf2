//! A store, a world and a clock, and runtimes on them.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use do_runtime::Runtime;
use do_runtime::action::Constructors;
use do_runtime::clock::SystemClock;
use do_runtime::runtime::Builder;
use do_runtime::store::Store;
use do_runtime::store::memory::Memory;
use do_runtime::store::sqlite::Sqlite;
use do_runtime::testing::ManualClock;
use tempfile::TempDir;

use super::{Faulty, World, checked, db, once, repeatable, transaction};

/// Where a test runs.
#[derive(Debug)]
pub(crate) struct Bench {
    pub(crate) world: World,
    place: Place,
}

#[derive(Debug)]
enum Place {
    /// Time is moved by hand.
    Memory { store: Memory, clock: ManualClock },
    /// Time is the machine's.
    Sqlite { folder: TempDir },
}

impl Bench {
    pub(crate) fn memory() -> Self {
        let clock = ManualClock::new();
        let store = Memory::new(Arc::new(clock.clone()));
        Self { world: World::new(), place: Place::Memory { store, clock } }
    }

    pub(crate) fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { world: World::new(), place: Place::Sqlite { folder } }
    }

    /// A runtime with an action of each class that the store takes.
    pub(crate) async fn start(&self) -> Runtime {
        match self.place {
            Place::Memory { .. } => self.start_with((once, repeatable, checked)).await,
            Place::Sqlite { .. } => {
                db::prepare(self.file()).await;
                self.start_with((once, repeatable, checked, transaction)).await
            }
        }
    }

    /// A runtime with these actions; each is one more process on the same store.
    pub(crate) async fn start_with<Arguments>(
        &self,
        actions: impl Constructors<Arguments>,
    ) -> Runtime {
        self.builder().only(actions).start().await.unwrap()
    }

    /// A runtime on a handle of its own, before it starts; the world is provided.
    pub(crate) fn builder(&self) -> Builder {
        let builder = match &self.place {
            Place::Memory { store, .. } => Runtime::with_store(store.reopen()),
            Place::Sqlite { .. } => Runtime::open(self.address()),
        };
        self.timed(builder).provide(self.world.clone())
    }

    /// The same on a store that fails when told to.
    pub(crate) fn faulty(&self) -> (Builder, Faulty) {
        let store: Arc<dyn Store> = match &self.place {
            Place::Memory { store, .. } => Arc::new(store.reopen()),
            Place::Sqlite { .. } => {
                let clock = Arc::new(SystemClock::new());
                Arc::new(Sqlite::open(&self.address(), clock).unwrap())
            }
        };
        let faulty = Faulty::new(store);
        let builder = self.timed(Runtime::with_store(faulty.clone()));
        (builder.provide(self.world.clone()), faulty)
    }

    fn timed(&self, builder: Builder) -> Builder {
        match &self.place {
            Place::Memory { clock, .. } => builder.clock(clock.clone()),
            Place::Sqlite { .. } => builder,
        }
    }

    /// Awaits, and moves time on where that is done by hand.
    pub(crate) async fn run<F: Future>(&self, future: F) -> F::Output {
        match &self.place {
            Place::Memory { clock, .. } => clock.run(future).await,
            Place::Sqlite { .. } => future.await,
        }
    }

    /// The clock, where it is moved by hand.
    pub(crate) fn clock(&self) -> &ManualClock {
        match &self.place {
            Place::Memory { clock, .. } => clock,
            Place::Sqlite { .. } => panic!("real time"),
        }
    }

    /// The store in memory.
    pub(crate) fn store(&self) -> &Memory {
        match &self.place {
            Place::Memory { store, .. } => store,
            Place::Sqlite { .. } => panic!("not in memory"),
        }
    }

    /// The SQLite file.
    pub(crate) fn file(&self) -> &Path {
        match &self.place {
            Place::Memory { .. } => panic!("no file"),
            Place::Sqlite { folder } => Box::leak(folder.path().join("do.db").into_boxed_path()),
        }
    }

    pub(crate) fn is_memory(&self) -> bool {
        matches!(self.place, Place::Memory { .. })
    }

    fn address(&self) -> String {
        let file: PathBuf = self.file().to_owned();
        format!("sqlite://{}", file.display())
    }
}

/// Fails a test that does not end; it says so long before whoever runs it loses patience.
pub(crate) async fn in_time(test: impl Future<Output = ()>) {
    let ended = tokio::time::timeout(std::time::Duration::from_secs(60), test).await;
    assert!(ended.is_ok(), "it hangs");
}

/// Runs tests, each an `async fn(Bench)`, on the memory store and on SQLite.
macro_rules! on_both_stores {
    ($($test:ident),* $(,)?) => {
        mod memory {
            $(#[tokio::test] async fn $test() {
                super::in_time(super::$test(super::Bench::memory())).await;
            })*
        }
        mod sqlite {
            $(#[tokio::test] async fn $test() {
                super::in_time(super::$test(super::Bench::sqlite())).await;
            })*
        }
    };
}
pub(crate) use on_both_stores;
