//! Compile tests of `#[action]`: what must be refused, and where the caret then stands; what must
//! compile, in three editions and without a lint; how much text one action becomes.
//!
//! They drive cargo themselves, in target folders of their own.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that panics has failed")]

mod carets;
mod fail;
mod linked;
mod pass;
mod scratch;
