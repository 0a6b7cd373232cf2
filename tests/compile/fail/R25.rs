#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// key names a variable bound inside a pattern. Point at: the name in `key(..)`.
#[action(key(a))]
async fn f((a, b): (u64, u64)) -> Result<(), String> { Ok(()) }
