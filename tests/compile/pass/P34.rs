#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// other attributes go with the body. `#[instrument]` below `#[action]` must see the real body and the real name; checked with tracing's, above and below.
#[action(key(id))]
#[inline]
#[rustfmt::skip]
async fn hinted(id: u64) -> Result<u64, String> { Ok(id) }
