#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// bad action name. Point at: the string literal.
#[action(key(user_id), name = "send mail!")]
async fn f(user_id: u64) -> Result<(), String> { Ok(()) }
