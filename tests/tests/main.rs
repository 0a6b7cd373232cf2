//! Every test of the workspace as a whole, in one program. One `mod` line per file or folder.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that panics has failed")]

mod behaviour;
mod crash;
mod every_file;
mod guarantees;
mod layers;
mod workspace;
