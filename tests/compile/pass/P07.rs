#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// leading underscore, in the key and out of it. clippy::used_underscore_binding .
#[action(key(_id))]
async fn ping(_id: u64, _reserved: Option<String>) -> Result<(), String> {
    Ok(())
}
