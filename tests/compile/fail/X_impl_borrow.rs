#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// `&impl Trait`
#[action(key(id))]
async fn f(m: &impl Send, id: u64) -> Result<(), String> { let _ = (m, id); Ok(()) }
