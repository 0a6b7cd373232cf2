#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// a function with no parameters. Point at: the name in `key(..)`.
#[action(key(day))]
async fn f() -> Result<(), String> { Ok(()) }
