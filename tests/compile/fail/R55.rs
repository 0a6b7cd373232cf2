#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// a type error in the body. Point at: the expression, exactly as without the attribute.
#[action(key(user_id))]
async fn f(user_id: u64) -> Result<u64, String> {
    let s: String = user_id;
    Ok(s.len() as u64)
}
