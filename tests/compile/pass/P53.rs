#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// paths, calls and names in the key
#[derive(serde::Serialize, serde::Deserialize)]
struct Order { id: u64, note: String }
#[action(key(order.id, email = email.trim().to_lowercase()), ignore(trace_id))]
async fn bill(order: Order, email: String, trace_id: String) -> Result<u64, String> {
    let _ = (email, trace_id, order.note);
    Ok(order.id)
}
