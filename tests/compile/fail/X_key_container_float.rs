#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// floats in containers, also behind an alias
#[action(key(xs))]
async fn f(xs: Vec<Option<f64>>) -> Result<(), String> { let _ = xs; Ok(()) }
#[action(key(ys))]
async fn g(ys: Vec<Option<Price>>) -> Result<(), String> { let _ = ys; Ok(()) }
type Price = f64;
