#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// own type in the key without `KeyPart`. Point at: the name in `key(..)`; the help points at `struct Order`.
#[derive(serde::Serialize, serde::Deserialize)]
struct Order { n: u64 }
#[action(key(order))]
async fn f(order: Order) -> Result<(), String> { Ok(()) }
