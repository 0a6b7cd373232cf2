#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// `where` clause. Point at: the clause.
#[action(key(user_id))]
async fn f(user_id: u64) -> Result<(), String> where u64: Copy { Ok(()) }
