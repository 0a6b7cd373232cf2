#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// a body that is not `Send`. Point at: the function's name, with notes at the value and at the `.await`.
#[action(key(user_id))]
async fn f(user_id: u64) -> Result<(), String> {
    let rc = std::rc::Rc::new(user_id);
    std::future::ready(()).await;
    drop(rc);
    Ok(())
}
