#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// check with missing borrowed parameter
struct Cloud;
async fn find(id: u64) -> Result<Option<u64>, String> { let _ = id; Ok(None) }
#[action(key(id), check = find)]
async fn f(cloud: &Cloud, id: u64) -> Result<u64, String> { let _ = cloud; Ok(id) }
