#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// arrays with a const length, maps, nested tuples.
use std::collections::HashMap;
const N: usize = 4;
#[action(key(hash))]
async fn verify(hash: [u8; N * 2], m: HashMap<String, Vec<Option<(u8, i64)>>>, t: ((u8,), [i16; 2])) -> Result<usize, String> {
    Ok(hash.len() + m.len() + usize::from((t.0).0))
}
