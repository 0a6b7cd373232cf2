#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// not `async`. Point at: the word `fn`.
#[action(key(user_id))]
fn f(user_id: u64) -> Result<(), String> { Ok(()) }
