#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// a result that cannot be stored. Point at: the `Conn` inside `Result<..>`.
struct Conn;
#[action(key(user_id))]
async fn f(user_id: u64) -> Result<Conn, String> { Ok(Conn) }
