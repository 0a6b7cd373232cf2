#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// parameters with the names a macro would pick for itself. mixed-site spans for generated locals .
#[action(key(key, args, name))]
async fn collide(key: u64, args: u64, name: u64, a: u64, k: u64, e: u64, v: u64, x: u64,
                 result: u64, this: u64, ctx: u64) -> Result<u64, String> {
    Ok(key + args + name + a + k + e + v + x + result + this + ctx)
}
