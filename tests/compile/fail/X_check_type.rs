#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// a check with another parameter type
async fn find(id: String) -> Result<Option<u64>, String> { let _ = id; Ok(None) }
#[action(key(id), check = find)]
async fn f(id: u64) -> Result<u64, String> { Ok(id) }
