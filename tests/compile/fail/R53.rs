#![deny(unused_must_use)] #![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// a call nobody runs (`unused_must_use`). Point at: the call. a lint, so deny it in the test.
#[action(key(user_id))]
async fn f(user_id: u64) -> Result<(), String> { let _ = user_id; Ok(()) }
pub async fn caller() { f(1); }
