#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// more pass kinds
use std::collections::{BTreeMap, BTreeSet, HashSet, HashMap, VecDeque};
mod deep { pub mod inner { use do_runtime::prelude::*; #[action(key(id))] pub(in crate::deep) async fn vis(id: u64) -> Result<()> { let _ = id; Ok(()) } #[action] pub(super) async fn sup(id: u64) -> Result<()> { let _ = id; Ok(()) } } fn u() { let _ = (inner::vis(1), inner::sup(2)); } }
#[action(key(a, b, c, d, e, f, g, h))]
async fn kinds(a: u128, b: i128, c: char, d: bool, e: (u8, String), f: BTreeMap<String, u8>, g: HashSet<u8>, h: [u8; 3], i: HashMap<String, f64>, j: VecDeque<u8>, k: BTreeSet<char>) -> Result<()> { let _ = (a,b,c,d,e,f,g,h,i,j,k); Ok(()) }
#[cfg(unix)] #[action(key(id))] async fn cfged(id: u64) -> Result<u64> { Ok(id) }
#[cfg(not(unix))] #[action(key(id))] async fn cfged(id: u64) -> Result<u64> { Ok(id + 1) }
#[action(key(id))] #[cfg(unix)] async fn cfged2(id: u64) -> Result<u64> { Ok(id) }
#[action(key(id))] #[cfg(not(unix))] async fn cfged2(id: u64) -> Result<u64> { Ok(id + 1) }
/// docs
#[action(key(id))]
/// more docs
#[doc(hidden)]
#[cfg_attr(all(), doc = "even more")]
#[cfg_attr(all(), inline)]
pub async fn documented(id: u64) -> Result<u64> { Ok(id) }
struct Holder; impl Holder { #[action] pub async fn assoc(id: u64) -> Result<u64> { Ok(id) } const fn two() -> u64 { 2 } #[action(key(id))] async fn uses(id: u64) -> Result<u64> { Ok(id + Holder::two()) } }
impl<T> Wrapped<T> { fn x() {} } struct Wrapped<T>(T);
#[action] async fn closures(ids: Vec<u64>) -> Result<u64> { let f = |x: u64| async move { x + 1 }; let mut s = 0; for i in ids { s += f(i).await; } let r: Result<u64> = async { Ok(s) }.await; r }
#[action] async fn underscore(_: u64, _: String) -> Result<()> { Ok(()) }
#[action(key(_0))] async fn named_zero(_0: u64) -> Result<u64> { Ok(_0) }
#[action] async fn slice_pat([a, b]: [u8; 2], &c: &Cc, id: u64) -> Result<u64> { let _ = c; Ok(id + u64::from(a + b)) }
#[derive(Clone, Copy)] pub struct Cc;
type Fallible<T = ()> = std::result::Result<T, String>;
#[action] async fn deflt(id: u64) -> Fallible { let _ = id; Ok(()) }
#[action] async fn unit_err(id: u64) -> std::fmt::Result { let _ = id; Ok(()) }
macro_rules! tyref { ($n:ident, $t:ty, $r:ty) => { #[action(key(id))] async fn $n(m: $t, id: u64) -> $r { let _ = m; Ok(id) } } }
tyref!(tyr, &Holder, Result<u64, String>);
tyref!(tyt, &mut sqlx::SqliteConnection, Result<u64, String>);
tyref!(tyd, &(dyn Send + Sync), Result<u64, String>);
macro_rules! whole { ($i:item) => { #[action] $i } }
whole!(async fn whole_item(id: u64) -> Result<u64> { Ok(id) });
macro_rules! optlit { ($k:literal, $v:literal, $a:literal, $p:path) => { #[action(key(id), timeout = $k, key_version = $v, retry(attempts = $a), check = $p, name = "opt.lit")] async fn optl(id: u64) -> Result<u64> { Ok(id) } } }
optlit!("3s", 4, 5, finder);
async fn finder(id: u64) -> Result<Option<u64>> { Ok(Some(id)) }
macro_rules! ign { ($($p:ident),*) => { #[action(key(id), ignore($($p),*))] async fn igno(id: u64, $($p: u64),*) -> Result<u64> { Ok(id $(+ $p)*) } } }
ign!(a, b);
mod nested { mod a { #[derive(serde::Serialize, serde::Deserialize)] pub struct P(pub u8); } use a::P; use do_runtime::prelude::*; #[action(key(p.0))] async fn privy(p: P) -> Result<()> { let _ = p; Ok(()) } }
#[action] async fn bound(id: u64) -> Result<u64> where { Ok(id) }
#[action] async fn trailing(id: u64,) -> Result<u64,> { Ok(id) }
#[action(key(user.profile.id, user.name, t = user.tags.len()))] async fn deep_path(user: User) -> Result<()> { let _ = user; Ok(()) }
#[derive(serde::Serialize, serde::Deserialize)] struct User { profile: Profile, name: String, tags: Vec<f64> }
#[derive(serde::Serialize, serde::Deserialize)] struct Profile { id: u64 }
#[action(key(r#type.id, kind = r#type.id + 1))] async fn raw_path(r#type: Profile) -> Result<()> { let _ = r#type; Ok(()) }
#[action(key(when = at.len()))] async fn shadow(at: String) -> Result<()> { let at = at.as_str(); let _ = at; Ok(()) }
#[action(key(id = (id)))] async fn parens(id: u64) -> Result<()> { let _ = id; Ok(()) }
#[action(key(x = { let y = id; y }, z = match id { 0 => "a", _ => "b" }, c = (|v: u64| v + 1)(id), s = id as u8 as u32, n = !flag, m = -(amount), q = [id, id], t = (id, flag), f = format!("{id}-{amount}"), cst = LIMIT + id, call = helper(id), path = u64::from(flag), r = &name, st = P0 { v: id }.v))] async fn exprs(id: u64, flag: bool, amount: i64, name: String) -> Result<()> { let _ = (id, flag, amount, name); Ok(()) }
const LIMIT: u64 = 3; fn helper(x: u64) -> String { x.to_string() } struct P0 { v: u64 }
fn in_fn() { use do_runtime::prelude::*; #[action] async fn local(id: u64) -> Result<u64> { Ok(id) } let _c = local(1); }
#[test] fn in_test() { #[action] async fn local(id: u64) -> Result<u64> { Ok(id) } let _c = local(1); }
async fn generic<T: std::fmt::Display>(t: T) -> Result<String> { Ok(t.to_string()) }
#[action] async fn calls_generic(id: u64) -> Result<String> { generic(id).await }
#[action(repeatable, timeout="1h")] async fn eleven(a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8, h: u8, i: u8, j: u8, k: u8, l: u8, m: u8, n: u8, o: u8, p: u8, q: u8, r: u8) -> Result<()> { let _ = (a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r); Ok(()) }
#[allow(non_snake_case)] #[action] async fn CamelName(id: u64) -> Result<u64> { Ok(id) }
#[action] #[allow(clippy::all)] #[warn(unused_mut)] async fn lints(id: u64) -> Result<u64> { Ok(id) }
#[action(key(id))] async fn stat(id: u64) -> Result<std::borrow::Cow<'static, str>> { let _ = id; Ok("x".into()) }
