#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// no such check
#[action(key(id), check = finder)]
async fn f(id: u64) -> Result<u64, String> { Ok(id) }
