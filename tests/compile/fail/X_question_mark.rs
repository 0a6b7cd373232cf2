#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// `?` on what is no error
#[derive(Debug)] struct NoError;
fn g() -> core::result::Result<u64, NoError> { Err(NoError) }
#[action(key(id))]
async fn f(id: u64) -> Result<u64> { Ok(g()? + id) }
