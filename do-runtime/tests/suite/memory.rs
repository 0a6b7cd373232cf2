//! The memory store under the conformance suite.

use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use do_runtime::record::InstanceId;
use do_runtime::store::conformance::{Differences, Harness, Step, compare};
use do_runtime::store::memory::Memory;
use do_runtime::store::{Answer, Store};
use do_runtime::testing::{FaultyStore, ManualClock};
use proptest::prelude::*;

struct InMemory {
    clock: ManualClock,
    memory: Memory,
}

impl InMemory {
    fn new() -> Self {
        let clock = ManualClock::new();
        Self { memory: Memory::new(Arc::new(clock.clone())), clock }
    }
}

impl Harness for InMemory {
    fn open(&self) -> Answer<'_, Arc<dyn Store>> {
        let store: Arc<dyn Store> = Arc::new(self.memory.reopen());
        Box::pin(ready(Ok(store)))
    }

    fn advance(&self, gap: Duration) {
        self.clock.advance(gap);
    }

    fn differences(&self) -> Differences {
        Differences::none()
    }

    fn kill(&self, instance: InstanceId) -> bool {
        self.memory.kill(instance);
        true
    }
}

do_runtime::store_conformance!(InMemory::new());

/// A store behind faults that never come is the same store.
mod behind_faults {
    use super::*;

    struct BehindFaults(InMemory);

    impl Harness for BehindFaults {
        fn open(&self) -> Answer<'_, Arc<dyn Store>> {
            let opening = self.0.open();
            Box::pin(async {
                let store: Arc<dyn Store> = Arc::new(FaultyStore::new(opening.await?));
                Ok(store)
            })
        }

        fn advance(&self, gap: Duration) {
            self.0.advance(gap);
        }

        fn differences(&self) -> Differences {
            self.0.differences()
        }

        fn kill(&self, instance: InstanceId) -> bool {
            self.0.kill(instance)
        }
    }

    do_runtime::store_conformance!(BehindFaults(InMemory::new()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// The model agrees with itself: what is tested is the model's own run.
    #[test]
    fn any_run_follows_the_model(randoms in prop::collection::vec(any::<u64>(), 0..80)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let steps = randoms.into_iter().map(|random| Step::of(random, 3));
        runtime.block_on(compare(&InMemory::new(), steps));
    }
}
