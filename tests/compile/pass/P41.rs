#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// newer syntax in the body. Edition 2024 only. the body is never parsed, so it can use any syntax rustc has.
#[action(key(id))]
async fn modern(id: u64, opt: Option<u64>) -> Result<u64, String> {
    let Some(n) = opt else { return Err("none".into()) };
    if let Some(m) = opt && m > 3 { return Ok(m); }
    let f = async |x: u64| x + n;
    Ok('a: { if n > 1 { break 'a f(id).await } 0 })
}
