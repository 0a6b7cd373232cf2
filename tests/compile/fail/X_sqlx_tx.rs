#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// another sqlx type behind `&mut`; the text says to take `&mut SqliteConnection`
#[action(key(id))]
async fn f(db: &mut sqlx::Transaction<'_, sqlx::Sqlite>, id: u64) -> Result<u64> { let _ = db; Ok(id) }
#[action(key(id))]
async fn g(db: &mut sqlx::SqlitePool, id: u64) -> Result<u64> { let _ = db; Ok(id) }
