#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// a unique reference to something that is no transaction. Point at: the type behind `&mut`
#[action(key(id))]
async fn f(list: &mut Vec<u8>, id: u64) -> Result<(), String> { let _ = (list, id); Ok(()) }
