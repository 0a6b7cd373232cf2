#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// of a parameter in a path only that path counts when the rest is ignored; an expression may bear a parameter's name
#[derive(serde::Serialize, serde::Deserialize)]
struct Event { id: String, payload: String }
#[action(key(event.id), ignore(event), repeatable)]
async fn apply(event: Event) -> Result<(), String> { let _ = event.payload; Ok(()) }
#[action(key(email = email.trim().to_lowercase(), half = amount / 2, small = amount as u16, same = amount == 7))]
async fn fold(email: String, amount: u64) -> Result<(), String> { let _ = (email, amount); Ok(()) }
