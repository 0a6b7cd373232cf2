//! What tests of actions and of stores need: a clock that is moved by hand, stores and effects
//! that fail when told to, and named places in the code at which a test steps in.

mod clock;
pub mod fault;
mod runtime;

pub use clock::ManualClock;
pub use runtime::{on, runtime};
