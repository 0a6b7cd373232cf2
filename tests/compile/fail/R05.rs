#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// float in the key, behind an alias. Point at: the name in `key(..)`. needs the `KeyPart` trait: tokens alone cannot see through an alias.
type Price = f64;
#[action(key(price))]
async fn f(price: Price) -> Result<(), String> { Ok(()) }
