#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// no `key(..)`: every owned parameter must be fit for a key; error at the type
#[action]
async fn f(price: f64) -> Result<(), String> { let _ = price; Ok(()) }
