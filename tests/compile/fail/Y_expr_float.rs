#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// float expression
#[action(key(x = id as f64))]
async fn f(id: u64) -> Result<u64, String> { Ok(id) }
