#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// option cut short while typing. Point at: the option's name; `caller` still type-checks
#[action(key(id), timeout =)]
async fn f(id: u64) -> Result<(), String> { let _ = id; Ok(()) }
fn caller() { let _ = f(1); }
