#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// `impl Trait` parameter. Point at: the `impl ..`.
#[action(key(user_id))]
async fn f(user_id: u64, s: impl Into<String>) -> Result<(), String> { Ok(()) }
