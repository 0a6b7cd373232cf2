#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// struct pattern with a nested `mut` and `..`.
#[derive(serde::Serialize, serde::Deserialize)]
struct Size { w: u32, h: u32 }
#[action(key(id))]
async fn crop(id: u64, Size { mut w, .. }: Size) -> Result<u32, String> {
    w += id as u32;
    Ok(w)
}
