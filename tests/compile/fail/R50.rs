#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// `unsafe`. Point at: the word `unsafe`.
#[action(key(user_id))]
async unsafe fn f(user_id: u64) -> Result<(), String> { Ok(()) }
