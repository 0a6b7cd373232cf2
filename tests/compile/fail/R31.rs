#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// no return type. Point at: the function's name.
#[action(key(user_id))]
async fn f(user_id: u64) {}
