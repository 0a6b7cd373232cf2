#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// borrowed type not Sync
pub struct M(std::cell::Cell<u8>);
#[action(key(id))]
async fn f(m: &M, id: u64) -> Result<u64, String> { let _ = m; Ok(id) }
