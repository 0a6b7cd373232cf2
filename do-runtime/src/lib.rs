//! Atomic actions: an async fn that takes effect once, however often it is called.

pub mod audit;
pub mod clock;
pub mod policy;
pub mod record;
pub mod store;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
