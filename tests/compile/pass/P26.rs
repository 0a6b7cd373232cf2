#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// one file per action: module and function of one name, re-exported. breaks every design that adds a type or module named like the function (E0255).
mod charge {
    use do_runtime::prelude::*;
    #[action(key(id))]
    pub async fn charge(id: u64) -> Result<u64, String> { Ok(id) }
}
pub use charge::charge;
