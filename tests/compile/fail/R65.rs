#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// an unnamed expression in the key. Point at: the expression; the text shows how to name it
#[action(key(id + 1))]
async fn f(id: u64) -> Result<(), String> { let _ = id; Ok(()) }
