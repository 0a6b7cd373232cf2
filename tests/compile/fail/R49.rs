#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// on a trait method. Point at: the method's name.
trait T {
    #[action(key(user_id))]
    async fn f(user_id: u64) -> Result<(), String>;
}
