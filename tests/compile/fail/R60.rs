#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// a `Call` awaited: it is not a future. Exactly one error, at `.await`; the text says to execute it through a runtime
#[action(key(id))]
async fn f(id: u64) -> Result<(), String> { let _ = id; Ok(()) }
async fn caller() { let _ = f(1).await; }
