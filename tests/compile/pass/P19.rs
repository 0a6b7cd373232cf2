#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// boxed error made with `into`.
#[action(key(id))]
async fn risky(id: u64) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    if id == 0 { return Err("zero".into()); }
    Ok(())
}
