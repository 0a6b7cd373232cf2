#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// a `Result` alias with a default error, and an alias with no parameters.
type Result<T, E = std::num::ParseIntError> = std::result::Result<T, E>;
type Done = Result<()>;
#[action(key(s))]
async fn parse(s: String) -> Result<i64> { Ok(s.parse()?) }
#[action(key(s))]
async fn check(s: String) -> Done { s.parse::<i64>()?; Ok(()) }
