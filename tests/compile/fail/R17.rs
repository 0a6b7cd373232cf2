#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// duration without a unit. Point at: the string literal.
#[action(key(user_id), keep = "30")]
async fn f(user_id: u64) -> Result<(), String> { Ok(()) }
