//! Atomic actions: an async fn that takes effect once, however often it is called.

// The derive writes paths that begin with `::do_runtime`, in this crate's own tests too.
extern crate self as do_runtime;

pub mod audit;
pub mod clock;
pub mod key;
pub mod policy;
pub mod record;
pub mod store;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
