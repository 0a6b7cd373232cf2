#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// `Self` in the body. Point at: `Self`.
struct S;
impl S {
    #[action(key(id))]
    async fn f(id: u64) -> Result<u64, String> { Ok(id + Self::two()) }
    fn two() -> u64 { 2 }
}
