#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// `-> !`. Point at: the `!`.
#[action(key(user_id))]
async fn f(user_id: u64) -> ! { loop {} }
