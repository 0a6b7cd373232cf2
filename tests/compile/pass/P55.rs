#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// anyhow, boxed and foreign errors
#[action(key(path), repeatable)]
async fn read(path: String) -> anyhow::Result<String> { Ok(std::fs::read_to_string(path)?) }
