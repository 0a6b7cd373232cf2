#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// parameter name from the macro, body from the caller. match key names by text, then use the parameter's own token.
macro_rules! keyed {
    ($name:ident, $ty:ty, |$x:ident| $e:expr) => {
        #[action(key(id))]
        async fn $name(id: $ty) -> Result<u64, String> { let $x = id; Ok($e) }
    };
}
keyed!(doubled, u64, |n| n * 2);
