#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// empty key. Point at: the word `key`.
#[action(key())]
async fn f(user_id: u64) -> Result<(), String> { Ok(()) }
