//! One action with two borrowed and two owned parameters, to be measured.
use do_runtime::prelude::*;
pub struct Mailer;
pub struct Crm;
#[action(key(user_id))]
pub async fn notify(
    mailer: &Mailer,
    crm: &Crm,
    user_id: u64,
    template: String,
) -> Result<u64> {
    let _ = (mailer, crm, template);
    Ok(user_id)
}
