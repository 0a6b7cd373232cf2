#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// a class on a transaction that borrows nothing else: there is nothing to repeat. Point at: `repeatable`
#[action(key(id), repeatable)]
async fn f(db: &mut sqlx::SqliteConnection, id: u64) -> Result<(), String> { let _ = (db, id); Ok(()) }
