#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// type parameter. Point at: the `<..>`.
#[action(key(user_id))]
async fn f<T: Send>(user_id: u64, t: T) -> Result<(), String> { Ok(()) }
