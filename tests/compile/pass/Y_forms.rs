#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// more forms
use std::sync::Arc;
pub struct M; pub struct Gen<T>(T);
#[derive(serde::Serialize, serde::Deserialize, Clone, Debug, KeyPart)] pub struct Uid(u64);
#[derive(serde::Serialize, serde::Deserialize)] pub struct Pair(u64, (u8, String));
#[action(key(p.0, p.1.0, p.1.1), rename_all = "camelCase", key_version = 3, keep = "30d", keep_failed = "1h", retry(within = "2h", max = "1m", attempts = 3))]
async fn paths(p: Pair, other_name: Option<String>) -> Result<u64, String> { let _ = other_name; Ok(p.0) }
#[action(key(trimmed = email.trim().to_lowercase().trim().len(), first = names[0], boxed = *b, user_id = uid, n = { let x = 1; x + uid }, m = if uid > 3 { 1 } else { 2 }, t = names.iter().map(|n| n.len() as u64).sum::<u64>()))]
async fn exprs(email: String, names: Vec<String>, b: Box<u64>, uid: u64) -> Result<u64, String> { let _ = (email, names, b); Ok(uid) }
#[action(key(id))]
async fn gens(g: &Gen<u8>, h: &Gen<Vec<Option<u8>>>, a: &Arc<M>, f: &(dyn Fn(u8) -> u8 + Send + Sync), id: u64) -> Result<()> { let _ = (g, h, a, f, id); Ok(()) }
#[action]
async fn many(a: u8, b: u8, c: u8, d: u8, e: u8, f: bool, g: bool, h: bool, i: bool, j: u64) -> Result<()> { let _ = (a,b,c,d,e,f,g,h,i,j); Ok(()) }
#[action(key(id), once)]
async fn tx_and(db: &mut sqlx::SqliteConnection, m: &M, at: &Attempt, id: u64) -> Result<()> { let _ = (db, m, at, id); Ok(()) }
#[action(key(id))]
async fn tx_att(at: &Attempt, db: &mut sqlx::SqliteConnection, id: u64) -> Result<()> { let _ = (db, at, id); Ok(()) }
async fn find(db: &mut sqlx::SqliteConnection, m: &M, id: u64, _: u8) -> Result<Option<u64>> { let _ = (db, m, id); Ok(None) }
#[action(key(id), check = find)]
async fn tx_check(db: &mut sqlx::SqliteConnection, m: &M, id: u64, _: u8) -> Result<u64> { let _ = (db, m, id); Ok(1) }
mod checks { pub mod inner { pub async fn find(id: u64) -> anyhow::Result<Option<()>> { let _ = id; Ok(None) } } }
#[action(check(checks::inner::find))]
async fn with_path_check(id: u64) -> Result<()> { let _ = id; Ok(()) }
#[action(key = caller)]
async fn nothing() -> Result<()> { Ok(()) }
#[action(ignore(trace))]
async fn ign(id: u64, trace: f64) -> Result<()> { let _ = (id, trace); Ok(()) }
#[action] async fn stat(id: u64) -> Result<(), &'static str> { let _ = id; Err("x") }
#[action] async fn dynerr(id: u64) -> Result<(), Box<dyn std::error::Error>> { let _ = id; Ok(()) }
#[derive(Debug)] pub struct OnlyDisplay;
impl std::fmt::Display for OnlyDisplay { fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str("x") } }
impl Classify for OnlyDisplay { fn classify(&self) -> Option<FailureClass> { None } }
#[action] async fn disp(id: u64) -> Result<(), OnlyDisplay> { let _ = id; Ok(()) }
#[action] async fn inf(id: u64) -> Result<(), std::convert::Infallible> { let _ = id; Ok(()) }
#[action] async fn run(run: u64, body: u64, check: u64, definition: u64, identify: u64, codecs: u64, borrowed: u64, inputs: u64, owned: u64, identity: u64, part: u64, end: u64, error: u64, value: u64, found: u64) -> Result<u64> { Ok(run + body + check + definition + identify + codecs + borrowed + inputs + owned + identity + part + end + error + value + found) }
#[action] async fn body(id: u64) -> Result<()> { let _ = id; Ok(()) }
#[action] async fn definition(id: u64) -> Result<()> { let _ = id; Ok(()) }
#[action] async fn identify(id: u64) -> Result<()> { let _ = id; Ok(()) }
#[action(key(sum = part + identity))] async fn exprs2(part: u64, identity: u64) -> Result<()> { let _ = (part, identity); Ok(()) }
#[action] async fn mutable(mut id: u64, ref name: String) -> Result<()> { id += 1; let _ = (id, name); Ok(()) }
#[action] async fn at(id @ _: u64) -> Result<()> { let _ = id; Ok(()) }
fn local() { #[derive(serde::Serialize, serde::Deserialize, KeyPart)] struct L(u8); struct S;
  #[action] async fn inside(s: &S, l: L) -> Result<()> { let _ = (s, l.0); Ok(()) } let _ = inside(L(1)); }
fn clones(c: &do_runtime::action::Call<impl do_runtime::action::Action>) { let _ = c.clone(); }
fn send_sync<T: Send + Sync + 'static>(_: &T) {}
fn checks_send(app: &Runtime) { let c = mutable(1, String::new()); send_sync(&c); let _ = (app, c); }
