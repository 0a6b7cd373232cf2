#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// borrowed in every form: dyn, Arc, patterns, `_`, an alias of a connection, inside `macro_rules!`
use std::sync::Arc;
pub trait Mail: Send + Sync { fn n(&self) -> u64; }
pub struct Crm { pub id: u64 }
type Db = sqlx::PgConnection;
#[action(key(id))]
async fn a(mail: &dyn Mail, arc: &Arc<dyn Mail>, _: &Crm, Crm { id: n }: &Crm, id: u64) -> Result<u64> { let _ = (mail.n(), arc, n); Ok(id) }
#[action(key(id))]
async fn b(id: u64, mut db: &mut Db) -> Result<u64> { let other = &mut db; sqlx::query("select 1").execute(&mut **other).await?; Ok(id) }
#[action(key(id))]
async fn c(id: u64, r#type: &(dyn Mail + Send + Sync), attempt: &Attempt) -> Result<u64> { let _ = (r#type, attempt); Ok(id) }
macro_rules! make { ($n:ident, $p:ident: $t:ty, $k:ident: $u:ty, $e:expr) => { #[action(key(part = $e))] async fn $n($p: $t, $k: $u) -> Result<u64> { let _ = $p; Ok($k) } } }
make!(made, crm: &Crm, id: u64, id + 1);
