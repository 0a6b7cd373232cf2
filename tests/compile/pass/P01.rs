#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// one scalar, the smallest action.
#[action(key(user_id))]
async fn close_account(user_id: u64) -> Result<(), String> {
    println!("{user_id}");
    Ok(())
}
