#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// `#[deprecated]` and `#[must_use]` stay on what callers see.
#[action(key(id))]
#[deprecated(since = "1.1.0", note = "use `close_account`")]
#[must_use = "check the receipt"]
pub async fn old_close(id: u64) -> Result<u64, String> { Ok(id) }
