#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// no attempts. Point at: the number
#[action(key(id), retry(attempts = 0))]
async fn f(id: u64) -> Result<(), String> { let _ = id; Ok(()) }
