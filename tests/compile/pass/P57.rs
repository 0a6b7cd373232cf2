#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// a check with the action's parameters, borrowed and owned
pub struct Cloud;
async fn find(cloud: &Cloud, name: String) -> Result<Option<u64>, String> { let _ = (cloud, name); Ok(None) }
#[action(key(name), check = find)]
async fn provision(cloud: &Cloud, name: String) -> Result<u64, String> { let _ = (cloud, name); Ok(1) }
#[action(key(name), check(find, settle = "30s"), timeout = "2m")]
async fn provision_slowly(cloud: &Cloud, name: String) -> Result<u64, String> { let _ = (cloud, name); Ok(1) }
