#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// bodies that diverge, under `deny(unreachable_code)`. axum#2004, tokio#4175.
#[deny(unreachable_code)]
#[action(key(id))]
async fn later(id: u64) -> Result<(), String> { let _ = id; todo!() }
#[deny(unreachable_code)]
#[action(key(id))]
async fn spin(id: u64) -> Result<u8, String> { loop { if id > 0 { break Ok(1); } } }
