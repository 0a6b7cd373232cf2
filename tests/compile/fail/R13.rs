#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// `key` twice. Point at: the second `key`.
#[action(key(a), key(b))]
async fn f(a: u64, b: u64) -> Result<(), String> { Ok(()) }
