#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// a body that does not parse. Point at: the token after the dot; nothing is reported twice and nothing points at the attribute.
#[action(key(id))]
async fn f(id: u64) -> Result<(), String> {
    let x = id.
}
