#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// a result that cannot be sent; a service by value
#[action(key(id))]
async fn a(id: u64) -> Result<std::rc::Rc<u8>, String> { let _ = id; panic!() }
#[action(key(id))]
async fn k(id: u64, m: std::sync::Arc<dyn Send + Sync>) -> Result<u64, String> { let _ = m; Ok(id) }
