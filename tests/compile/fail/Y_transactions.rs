#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// two transactions; and tx + provided no class
pub struct M;
#[action(key(id))]
async fn f(a: &mut sqlx::SqliteConnection, b: &mut sqlx::SqliteConnection, id: u64) -> Result<u64, String> { let _ = (a, b); Ok(id) }
#[action(key(id))]
async fn g(a: &mut sqlx::SqliteConnection, m: &M, id: u64) -> Result<u64, String> { let _ = (a, m); Ok(id) }
