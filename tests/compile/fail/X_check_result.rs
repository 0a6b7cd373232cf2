#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// a check that answers bool
async fn find(id: u64) -> Result<bool, String> { Ok(id > 0) }
#[action(key(id), check = find)]
async fn f(id: u64) -> Result<u64, String> { Ok(id) }
