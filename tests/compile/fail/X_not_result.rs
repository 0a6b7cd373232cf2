#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// a well-known type that is no Result: one error at it
#[action(key(id))]
async fn f(id: u64) -> Option<u64> { Some(id) }
