#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// `?` over two error types, early `return`.
#[derive(Debug)] enum Fail { Parse, Io }
impl std::fmt::Display for Fail { fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { write!(f, "{self:?}") } }
impl From<std::num::ParseIntError> for Fail { fn from(_: std::num::ParseIntError) -> Self { Fail::Parse } }
impl From<std::io::Error> for Fail { fn from(_: std::io::Error) -> Self { Fail::Io } }
#[action(key(text))]
async fn import(text: String) -> Result<i64, Fail> {
    if text.is_empty() { return Ok(0); }
    let n: i64 = text.parse()?;
    std::fs::metadata("/")?;
    Ok(n)
}
