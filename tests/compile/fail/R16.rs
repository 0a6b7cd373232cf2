#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// duration with a unit that does not exist. Point at: the string literal.
#[action(key(user_id), timeout = "30 parsecs")]
async fn f(user_id: u64) -> Result<(), String> { Ok(()) }
