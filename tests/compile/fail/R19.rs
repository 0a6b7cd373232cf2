#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// duration of zero. Point at: the string literal.
#[action(key(user_id), timeout = "0s")]
async fn f(user_id: u64) -> Result<(), String> { Ok(()) }
