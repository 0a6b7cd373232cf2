#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// in the key and ignored. Point at: the name in `ignore(..)`
#[action(key(id), ignore(id))]
async fn f(id: u64) -> Result<(), String> { let _ = id; Ok(()) }
