//! What the runtime promises, sentence by sentence. Comments name the rule: `S3.2` is section 3,
//! point 2 of the semantics, `R22` a requirement, `C41` a fault reported of another system, `I8` an
//! invariant.

mod harness;

mod check;
mod children;
mod concurrency;
mod deaths;
mod doubt;
mod drain;
mod errors;
mod every_class;
mod heartbeat;
mod hostile;
mod identity;
mod late;
mod leases;
mod limits;
mod log;
mod lookup;
mod mistakes;
mod named;
mod operators;
mod panics;
mod replay;
mod reports;
mod retention;
mod retries;
mod start;
mod store_away;
mod stress;
mod submit;
mod transaction;
