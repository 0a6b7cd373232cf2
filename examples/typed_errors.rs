//! An error type of one's own: it says what an end means, and the caller gets it back, also from
//! a replay.
//!
//! `cargo run -p examples --bin typed_errors`

use std::fmt;

use do_runtime::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize)]
enum ChargeError {
    Declined { code: String },
    Busy,
}

impl fmt::Display for ChargeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the bank answered {self:?}")
    }
}

impl Classify for ChargeError {
    fn classify(&self) -> Option<FailureClass> {
        match self {
            Self::Declined { .. } => Some(FailureClass::Permanent),
            Self::Busy => Some(FailureClass::Transient),
        }
    }
}

#[action(key(order_id), once)]
async fn charge(attempt: &Attempt, order_id: u64, cents: u64) -> Result<String, ChargeError> {
    println!("  asking the bank, attempt {}", attempt.number());
    match (cents, attempt.number()) {
        (100_000.., _) => Err(ChargeError::Declined { code: "too-much".to_owned() }),
        (_, 1) => Err(ChargeError::Busy),
        _ => Ok(format!("paid order {order_id}")),
    }
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let directory = tempfile::tempdir()?;
    let database = format!("sqlite://{}", directory.path().join("bank.db").display());
    let app = Runtime::open(&database).start().await?;
    for (order, cents) in [(1, 4_200), (2, 900_000), (2, 900_000)] {
        println!("order {order}");
        match app.execute(charge(order, cents)).await {
            Ok(paid) => println!("  {paid}"),
            Err(error) => match error.downcast::<ChargeError>() {
                Some(ChargeError::Declined { code }) => println!("  declined, code {code}"),
                Some(ChargeError::Busy) => println!("  busy for too long"),
                None => println!("  {error}"),
            },
        }
    }
    app.drain("5s").await?;
    Ok(())
}
