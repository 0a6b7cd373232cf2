#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// written by a `macro_rules!` with vis, ident, ty, literal, lifetime, meta and block fragments. None-delimited groups ; `unused_braces` must stay quiet .
macro_rules! make {
    ($(#[$m:meta])* $vis:vis $name:ident($p:ident: $ty:ty $(, $q:ident: $u:ty)*) -> $ret:ty, $t:literal, $l:lifetime, $body:block) => {
        $(#[$m])* #[action(key($p), timeout = $t)]
        $vis async fn $name($p: $ty $(, $q: $u)*) -> $ret { $l: loop { break $l; } $body }
    };
}
make!(/** docs */ #[allow(unused_variables)] pub(crate) made(id: u64, rest: Vec<Option<f64>>) -> Result<u64, String>, "5m", 'l, { Ok(id) });
