//! Compile tests of `#[action]`: what must be refused, and where the caret then stands; what must
//! compile, in three editions and without a lint; how much text one action becomes.
//!
//! They drive cargo themselves, in one target folder of their own.

mod carets;
mod fail;
mod pass;
mod scratch;
