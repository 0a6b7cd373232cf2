#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// a check with other parameters: one error at the path given to `check`
async fn find(id: u64) -> Result<Option<u64>, String> { Ok(Some(id)) }
#[action(key(id), check = find)]
async fn f(id: u64, note: String) -> Result<u64, String> { let _ = note; Ok(id) }
