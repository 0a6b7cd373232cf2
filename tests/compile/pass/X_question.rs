#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// `?` on everything
async fn helper() -> anyhow::Result<u64> { Ok(1) }
#[action(key(id), repeatable)]
async fn a(id: u64) -> Result<u64> {
    std::fs::read("x")?; "1".parse::<u8>()?; helper().await?; String::from_utf8(vec![])?;
    let b: std::result::Result<(), Box<dyn std::error::Error + Send + Sync>> = Ok(()); b?;
    let s: std::result::Result<(), String> = Ok(()); s?;
    let s: std::result::Result<(), &'static str> = Ok(()); s?;
    let s: std::result::Result<(), std::borrow::Cow<'static, str>> = Ok(()); s?;
    tokio::time::timeout(std::time::Duration::from_secs(1), async {}).await?;
    tokio::spawn(async {}).await?;
    if id == 3 { return Err("literal".into()); }
    Err(format!("no {id}"))?;
    Ok(std::result::Result::<u64, std::io::Error>::Ok(id).map_err(Failure::from)?)
}
async fn outer() -> anyhow::Result<u64> { let r: Result<u64> = Ok(1); Ok(r?) }
fn generic<E: std::error::Error + Send + Sync + 'static>(e: E) -> Failure { e.into() }
