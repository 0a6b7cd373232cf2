#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// a path that ends at a float
#[derive(serde::Serialize, serde::Deserialize)] struct O { price: f64 }
#[action(key(o.price))]
async fn f(o: O) -> Result<(), String> { let _ = o; Ok(()) }
