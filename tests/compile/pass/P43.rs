#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// non-ASCII names.
#[action(key(größe))]
async fn préparer(größe: u32) -> Result<u32, String> { Ok(größe) }
