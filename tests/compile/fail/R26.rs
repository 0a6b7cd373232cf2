#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// `&self`. Point at: the receiver.
struct S;
impl S {
    #[action(key(user_id))]
    async fn f(&self, user_id: u64) -> Result<(), String> { Ok(()) }
}
