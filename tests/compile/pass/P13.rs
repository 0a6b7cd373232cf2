#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// the whole prelude is shadowed. Box , Query .
mod own {
    use do_runtime::action;
    struct Result; struct Option; struct String; struct Vec; struct Box; struct Call;
    trait Send {} trait Future {} trait Action {} trait Serialize {}
    #[derive(serde::Serialize, serde::Deserialize)]
    pub struct Oops;
    impl ::core::fmt::Display for Oops {
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result { f.write_str("oops") }
    }
    #[action(key(id))]
    async fn act(id: u64) -> ::core::result::Result<u64, Oops> { ::core::result::Result::Ok(id) }
}
