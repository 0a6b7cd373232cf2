#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// executed before the key was given. Point at: the call; the text says `.keyed("…")`
#[action(key = caller, repeatable)]
async fn charge(order: u64) -> Result<u64, String> { Ok(order) }
async fn caller(app: &Runtime) { let _ = app.execute(charge(1)); }
