#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// default key, alias float / own type without KeyPart
type Price = f64;
#[action]
async fn f(price: Price, xs: Vec<Option<Price>>) -> Result<(), String> { let _ = (price, xs); Ok(()) }
