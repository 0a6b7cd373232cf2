#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// `key` as a string. Point at: the word `key`; no second error about a missing key.
#[action(key = "user_id")]
async fn f(user_id: u64) -> Result<(), String> { Ok(()) }
