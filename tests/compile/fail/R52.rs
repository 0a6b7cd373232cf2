#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// `#[action]` twice. Point at: the second attribute.
#[action(key(user_id))]
#[action(key(user_id))]
async fn f(user_id: u64) -> Result<(), String> { Ok(()) }
