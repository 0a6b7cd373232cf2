#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// float in the key, written as `f64`. Point at: the name in `key(..)`.
#[action(key(price))]
async fn f(price: f64) -> Result<(), String> { Ok(()) }
