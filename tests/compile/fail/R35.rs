#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// slice parameter. Point at: the type; suggests `Vec<u8>`.
#[action(key(user_id))]
async fn f(user_id: u64, rows: &[u8]) -> Result<(), String> { Ok(()) }
