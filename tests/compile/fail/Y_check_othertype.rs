#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// check returns other value type
async fn find(id: u64) -> Result<Option<String>, String> { let _ = id; Ok(None) }
#[action(key(id), check = find)]
async fn f(id: u64) -> Result<u64, String> { Ok(id) }
