#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// `&str` parameter. Point at: the type; suggests `String`.
#[action(key(name))]
async fn f(name: &str) -> Result<(), String> { Ok(()) }
