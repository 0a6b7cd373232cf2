#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// same function name in two modules, told apart by `name`. temporal#7353, leptos#69.
mod billing {
    use do_runtime::prelude::*;
    #[action(key(id), name = "billing.close")]
    pub async fn close(id: u64) -> Result<u64, String> { Ok(id) }
}
mod support {
    use do_runtime::prelude::*;
    #[action(key(id), name = "support.close")]
    pub async fn close(id: u64) -> Result<u64, String> { Ok(id) }
}
