#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// raw identifiers as parameters, named in the key with and without `r#`. stored names are `type` and `ref` .
#[action(key(r#type, ref))]
async fn index(r#type: String, r#ref: u64) -> Result<usize, String> {
    Ok(r#type.len() + r#ref as usize)
}
