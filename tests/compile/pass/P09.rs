#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// raw identifier as the function name. the action is called `try` .
#[action(key(id))]
async fn r#try(id: u64) -> Result<u64, String> {
    Ok(id)
}
fn name() -> String { r#try(1).name().to_string() } // "try"
