#![allow(dead_code, unused_imports, unused_variables)] use do_runtime::prelude::*; fn main() {}
// signature mistakes with callers
#[action(key(id))]
async fn a(id: u64, name: &str, c: std::borrow::Cow<'_, str>) -> Result<u64, String> { let _ = name; Ok(id) }
fn ca(app: &Runtime) { let _ = app.execute(a(1, "x", "y".into())); }
#[action(key(id))]
fn b(id: u64) -> Result<u64, String> { Ok(id) }
fn cb(app: &Runtime) { let _ = app.execute(b(1)); }
#[action(key(id))]
async fn c(id: u64, o: &Option<u8>, n: &u32) -> Result<&str, String> { Ok("") }
fn cc(app: &Runtime) { let _ = app.execute(c(1, &None, &3)); }
#[action(key(id))]
async fn d<'a>(id: u64, m: &'a u8) -> Result<u64, String> { Ok(id) }
struct S; impl S {
#[action(key(id))]
async fn e(id: u64) -> Result<Self, String> { Ok(S) }
}
#[action(key(id))]
async fn g(id: u64, id: u8) -> Result<u64, String> { Ok(id) }
#[action(key(id))]
async fn h(id: u64) -> impl Send { Ok(id) }
#[action(key(id))]
async fn i(id: u64) -> (u64, u8) { (id, 1) }
#[action(key(id))]
async fn j(id: u64, m: &(dyn Send + 'static), k: &'static Vec<u8>) -> Result<u64, String> { Ok(id) }
#[action]
struct T;
