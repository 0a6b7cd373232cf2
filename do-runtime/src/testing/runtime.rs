//! A runtime for tests of actions: a store in memory, and a clock that is moved by hand.

use std::sync::Arc;

use super::ManualClock;
use crate::runtime::{Builder, Runtime};
use crate::store::memory::Memory;

/// A runtime on a store in memory, before it starts, and its clock.
///
/// ```
/// # use do_runtime::prelude::*;
/// # use do_runtime::testing;
/// # async fn example() -> Result<(), do_runtime::StartError> {
/// let (builder, clock) = testing::runtime();
/// let app = builder.start().await?;
/// // `clock.run(app.execute(call)).await` lets days of retries pass in an instant.
/// # let _ = (app, clock); Ok(()) }
/// ```
pub fn runtime() -> (Builder, ManualClock) {
    let clock = ManualClock::new();
    let store = Memory::new(Arc::new(clock.clone()));
    (on(store, &clock), clock)
}

/// The same on a store in memory that other runtimes may use too.
pub fn on(store: Memory, clock: &ManualClock) -> Builder {
    Runtime::with_store(store).clock(clock.clone())
}
