#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// unknown option, close to a real one. Point at: the option's name.
#[action(key(user_id), timeuot = "30s")]
async fn f(user_id: u64) -> Result<(), String> { Ok(()) }
