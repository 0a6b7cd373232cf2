#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// a provided parameter in the key. Point at: the name in `key(..)`
struct Mailer;
#[action(key(mailer))]
async fn f(mailer: &Mailer, id: u64) -> Result<(), String> { let _ = (mailer, id); Ok(()) }
