#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// an associated function without `self`. works only when nothing is generated next to the function .
struct Mailer;
impl Mailer {
    #[action(key(id))]
    async fn send(id: u64) -> Result<u64, String> { Ok(id) }
}
fn use_it() -> String { Mailer::send(1).name().to_string() }
