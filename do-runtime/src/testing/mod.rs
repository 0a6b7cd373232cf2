//! What tests of actions and of stores need: a clock that is moved by hand, stores and effects
//! that fail when told to, and named places in the code at which a test steps in.

mod clock;
mod effects;
pub mod fault;
mod faulty_store;
mod gate;
mod runtime;

pub use clock::ManualClock;
pub use effects::{EffectCounter, Ending};
pub use faulty_store::{FaultyStore, Method, StoreFault};
pub use gate::Gate;
pub use runtime::{on, runtime};
