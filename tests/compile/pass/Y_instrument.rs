#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// instrument above and below
#[tracing::instrument]
#[action(key(id))]
async fn above(id: u64) -> Result<u64, String> { Ok(id) }
#[action(key(id))]
#[tracing::instrument(skip(m), fields(x = id))]
async fn below(m: &M, id: u64, note: String) -> Result<u64, String> { let _ = (m, note); Ok(id) }
pub struct M;
