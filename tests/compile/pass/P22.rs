#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// items in the body with their own `self` and `Self`.
#[action(key(id))]
async fn scoped(id: u64) -> Result<u64, String> {
    struct W(u64);
    impl W { fn new(n: u64) -> Self { Self(n) } fn get(&self) -> u64 { self.0 } }
    const ADD: u64 = 1;
    Ok(W::new(id).get() + ADD)
}
