#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// a parameter that cannot be stored. Point at: the parameter's type (two errors: Serialize, Deserialize).
struct Conn;
#[action(key(user_id))]
async fn f(user_id: u64, conn: Conn) -> Result<(), String> { Ok(()) }
