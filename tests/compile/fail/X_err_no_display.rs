#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// an error type with no text, plain and behind an alias
#[derive(Debug)] pub struct Bad;
#[action(key(id))]
async fn f(id: u64) -> Result<u64, Bad> { let _ = id; Err(Bad) }
type R<T> = core::result::Result<T, Bad>;
#[action(key(id))]
async fn g(id: u64) -> R<u64> { let _ = id; Err(Bad) }
