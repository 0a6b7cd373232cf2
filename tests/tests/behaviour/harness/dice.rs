//! Chance that can be repeated.

use do_runtime::prelude::*;

use super::Step;

/// A small generator of numbers, so that a failing run can be repeated by its seed.
#[derive(Debug)]
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// A number below `sides`.
    pub(crate) fn throw(&mut self, sides: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    /// What honest authors' bodies may do: a class that means no effect comes without one.
    pub(crate) fn step(&mut self) -> Step {
        use FailureClass::{InDoubt, Permanent, Repair, Transient};
        match self.throw(12) {
            0 | 1 => Step::Fails(Some(Transient)),
            2 => Step::Fails(Some(Permanent)),
            3 => Step::Fails(Some(Repair)),
            4 => Step::Fails(None),
            5 => Step::AppliesThenFails(None),
            6 => Step::AppliesThenFails(Some(InDoubt)),
            7 => Step::Panics,
            8 => Step::AppliesThenPanics,
            _ => Step::Ok,
        }
    }
}
