#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// a wrong call. Point at: the call, with labels at the arguments; the note names the user's own signature
#[action(key(user_id))]
async fn f(user_id: u64, on: bool) -> Result<(), String> { let _ = (user_id, on); Ok(()) }
fn caller() { let _ = f(true, 1); }
