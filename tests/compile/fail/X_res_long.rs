#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// results that cannot be stored
struct Conn;
#[action(key(id))]
async fn f(id: u64) -> Result<Vec<Option<Conn>>, String> { let _ = id; Ok(vec![]) }
#[action(key(id))]
async fn g(id: u64) -> std::io::Result<Conn> { let _ = id; Ok(Conn) }
