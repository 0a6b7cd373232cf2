#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// no options: every owned parameter is the key
#[action]
async fn greet(user_id: u64, template: String) -> Result<(), String> { let _ = (user_id, template); Ok(()) }
#[action(timeout = "30s")]
async fn wave(user_id: u64) -> Result<(), String> { let _ = user_id; Ok(()) }
