//! Real processes, killed with signal 9 at every fault point, for each class, on SQLite; effects
//! are counted by a process outside, and what must hold afterwards is checked on what is left.

mod invariants;
mod kill;
mod world;
