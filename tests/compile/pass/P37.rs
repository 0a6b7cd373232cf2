#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// newtype, option, list and NonZero in the key.
#[derive(serde::Serialize, serde::Deserialize, KeyPart)]
struct UserId(u64);
#[action(key(user, page, tags, seq))]
async fn list(user: UserId, page: Option<u32>, tags: Vec<String>, seq: std::num::NonZeroU64) -> Result<u64, String> {
    Ok(user.0 + u64::from(page.unwrap_or(0)) + tags.len() as u64 + seq.get())
}
