#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// the caller gives the key
#[action(key = caller, repeatable)]
async fn charge(order: u64, cents: u64) -> Result<u64, String> { Ok(order + cents) }
async fn caller(app: &Runtime) { let _ = app.execute(charge(1, 2).keyed("order-1")); }
