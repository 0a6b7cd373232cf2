#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// a conditional parameter. Point at: the `#[cfg]`.
#[action(key(user_id))]
async fn f(user_id: u64, #[cfg(unix)] fd: i32) -> Result<(), String> { Ok(()) }
