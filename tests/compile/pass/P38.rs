#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// a float that is not in the key, an integer alias that is.
type Cents = i64;
#[action(key(cents))]
async fn convert(cents: Cents, rate: f64) -> Result<f64, String> { Ok(cents as f64 * rate) }
