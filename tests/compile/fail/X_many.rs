#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// five mistakes, five errors, each at its word
#[action(key(user), timeuot = "3s", keep = "x", retry(attempts = 0), ignore(nope))]
async fn f(user_id: u64) -> Result<(), String> { let _ = user_id; Ok(()) }
