//! A crate that calls the runtime by another name.

use actions::prelude::*;

/// Closes an account.
#[action(crate = actions, key(user_id))]
pub async fn close_account(user_id: u64) -> Result<u64> {
    Ok(user_id)
}

/// Opens an account.
#[action(crate = ::actions)]
pub async fn open_account(name: String) -> Result<String> {
    Ok(name)
}
