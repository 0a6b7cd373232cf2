#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// `#[expect]` is not copied, lint attributes on a parameter work. a second copy would be unfulfilled .
#[action(key(id))]
#[expect(unused_mut, reason = "kept for the diff")]
async fn linted(id: u64, #[allow(unused_variables)] spare: u8) -> Result<u64, String> {
    let mut y = id;
    Ok(y)
}
