#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// a key expression over something provided
pub struct Mailer { pub n: u64 }
#[action(key(id, n = mailer.n))]
async fn f(mailer: &Mailer, id: u64) -> Result<u64, String> { let _ = mailer; Ok(id) }
