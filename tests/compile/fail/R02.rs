#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// unknown key parameter, close to nothing. Point at: the name in `key(..)`.
#[action(key(zzz))]
async fn f(user_id: u64, template: String) -> Result<(), String> { Ok(()) }
