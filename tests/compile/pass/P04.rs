#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// tuple pattern.
#[action(key(id))]
async fn resize(id: u64, (w, h): (u32, u32)) -> Result<u32, String> {
    Ok(w * h + id as u32)
}
