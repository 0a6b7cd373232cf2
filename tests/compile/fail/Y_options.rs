#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// option mistakes
#[action(key(id), once, repeatable)]
async fn a(id: u64) -> Result<u64, String> { Ok(id) }
#[action(key(id), key_version = 0, rename_all = "camelcase", ignore(), timeout = 30, keep = "30s", keep = "40s")]
async fn b(id: u64) -> Result<u64, String> { Ok(id) }
#[action(key(id), retry(withn = "3s"), check)]
async fn c(id: u64) -> Result<u64, String> { Ok(id) }
#[action(key(id, id), "x", retry, once = true)]
async fn d(id: u64) -> Result<u64, String> { Ok(id) }
#[action(key(e = ), name = "")]
async fn e(id: u64) -> Result<u64, String> { Ok(id) }
#[action(key(id.), check(a b), crate = )]
async fn g(id: u64) -> Result<u64, String> { Ok(id) }
#[action]
async fn h() -> Result<u64, String> { Ok(1) }
#[action(workflow)]
async fn i(id: u64) -> Result<u64, String> { Ok(id) }
#[action(key(id) timeout = "3s", key_version = -1)]
async fn j(id: u64) -> Result<u64, String> { Ok(id) }
