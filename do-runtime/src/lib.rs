//! Atomic actions: an async fn that takes effect once, however often it is called.
