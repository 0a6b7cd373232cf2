#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// alias of a non-Result
type Maybe = Option<u64>;
#[action(key(id))]
async fn f(id: u64) -> Maybe { Some(id) }
