#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// modules called `core`, `std`, `alloc`, `serde`, `inventory`, `do_runtime`; macros called `concat`, `line`. every generated path starts with `::do_runtime` and reaches std through it.
mod own {
    mod core {} mod std {} mod alloc {} mod serde {} mod inventory {} mod do_runtime {}
    #[allow(unused_macros)] macro_rules! concat { () => {} }
    #[allow(unused_macros)] macro_rules! line { () => {} }
    #[::do_runtime::action(key(id))]
    async fn act(id: u64) -> Result<u64, String> { Ok(id) }
}
