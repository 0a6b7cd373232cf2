#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// the runtime under another path
mod facade { pub use ::do_runtime as actions; }
#[action(crate = crate::facade::actions, key(id))]
async fn f(id: u64) -> Result<u64, String> { Ok(id) }
#[action(crate = ::do_runtime)]
pub async fn g(id: u64) -> Result<u64, String> { Ok(id) }
