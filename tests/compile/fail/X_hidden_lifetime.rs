#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// a provided type with a hidden lifetime
pub struct Crm<'a>(&'a u8);
#[action(key(id))]
async fn f(m: &Crm, id: u64) -> Result<(), String> { let _ = (m, id); Ok(()) }
