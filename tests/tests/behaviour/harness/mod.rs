//! What the tests of behaviour share: a world that counts effects, actions of each class, stores
//! to run them on, and stores that fail when told to.

mod actions;
mod bench;
mod dice;
mod die;
mod dropped;
mod faulty;
mod trail;
mod world;

pub(super) use actions::*;
pub(super) use bench::{Bench, in_time, on_both_stores};
pub(super) use dice::Dice;
pub(super) use die::die;
pub(super) use dropped::dropped_after;
pub(super) use faulty::{Fault, Faulty, Point};
pub(super) use trail::{instance_of, words};
pub(super) use world::{Found, Step, World, db};

pub(super) use std::sync::Arc;
pub(super) use std::time::Duration;

pub(super) use do_runtime::clock::{Clock, Timestamp};
pub(super) use do_runtime::prelude::*;
pub(super) use do_runtime::record::{Cause, Execution, Status};
pub(super) use do_runtime::testing::ManualClock;
pub(super) use do_runtime::{Effect, Error, ErrorKind, How, Resolution, Would};
