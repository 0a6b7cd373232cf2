//! A crate that documents what it shows, and allows nothing unsafe.
#![forbid(unsafe_code)]
#![deny(missing_docs, missing_debug_implementations, unreachable_pub, unnameable_types)]

use do_runtime::prelude::*;

/// Closes an account.
#[action(key(user_id))]
pub async fn close_account(user_id: u64) -> Result<u64> {
    Ok(user_id)
}

/// An item that the application does not see.
pub mod inner {
    use do_runtime::prelude::*;

    /// Opens an account.
    #[action]
    pub async fn open_account(user_id: u64) -> Result<u64> {
        Ok(user_id)
    }
}
