#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// unknown key parameter, close to a real one. Point at: the misspelt name in `key(..)`.
#[action(key(user_idd))]
async fn f(user_id: u64) -> Result<(), String> { Ok(()) }
