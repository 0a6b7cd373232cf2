//! Named places.

/// hit
pub fn hit(_: &str) {}
