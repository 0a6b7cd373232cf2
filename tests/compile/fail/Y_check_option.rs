#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// check returns Option only
async fn find(id: u64) -> Option<u64> { Some(id) }
#[action(key(id), check = find)]
async fn f(id: u64) -> Result<u64, String> { Ok(id) }
