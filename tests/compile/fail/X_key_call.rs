#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// an unnamed call in the key; the text shows how to name it
#[action(key(email.to_lowercase()))]
async fn f(email: String) -> Result<(), String> { let _ = email; Ok(()) }
