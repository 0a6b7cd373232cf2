#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// borrowed result. Point at: the reference type.
#[action(key(id))]
async fn f(id: u64) -> Result<&'static str, String> { Ok("x") }
