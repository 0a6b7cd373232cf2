#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// borrowed parameters are provided: in any place, any number, private types, paths, aliases
pub struct Mailer;
mod own { pub struct Crm; }
type Shared = own::Crm;
#[action(key(id), repeatable)]
async fn notify(mailer: &Mailer, id: u64, crm: &own::Crm, note: String, attempt: &Attempt, again: &Shared) -> Result<u64, String> {
    let _ = (mailer, crm, note, attempt, again);
    Ok(id)
}
fn only_the_owned_ones() -> String { notify(1, "n".into()).name().to_string() }
