#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// a check that is not Send
async fn find(id: u64) -> Result<Option<u64>, String> { let r = std::rc::Rc::new(id); std::future::ready(()).await; Ok(Some(*r)) }
#[action(key(id), check = find)]
async fn f(id: u64) -> Result<u64, String> { Ok(id) }
