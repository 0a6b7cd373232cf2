#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// an expression cut short; the caller still type-checks
#[action(key(x = id +, id))]
async fn f(id: u64) -> Result<(), String> { let _ = id; Ok(()) }
fn caller() { let _ = f(1); }
