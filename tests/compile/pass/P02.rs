#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// all parameters in the key, trailing commas everywhere.
#[action(
    key(user_id, template,),
    timeout = "30s",
    keep = "7d",
)]
pub async fn send_welcome_email(user_id: u64, template: String,) -> Result<String, String> {
    Ok(format!("{user_id}/{template}"))
}
