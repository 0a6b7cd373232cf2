//! A caller's own key: two orders that look alike are two charges, one order tried again is one.
//!
//! `cargo run -p examples --bin callers_key`

use do_runtime::prelude::*;

#[action(key = caller, repeatable)]
async fn charge(attempt: &Attempt, card: String, cents: u64) -> Result<String> {
    // A stable key of our own for the provider, so that it too counts this charge once.
    let key = attempt.downstream_key("bank");
    Ok(format!("{cents} cents from {card}, the bank's key is {key}"))
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let directory = tempfile::tempdir()?;
    let database = format!("sqlite://{}", directory.path().join("shop.db").display());
    let app = Runtime::open(&database).start().await?;
    for order in ["order-1", "order-1", "order-2"] {
        let call = charge("card-4242".to_owned(), 1_999).keyed(order);
        let receipt = app.execute(call).receipt().await?;
        println!("{order}: {:?}\n  {}", receipt.how, receipt.value);
    }
    // The same key for something else is a mistake, and is refused.
    let call = charge("card-4242".to_owned(), 5).keyed("order-1");
    if let Err(error) = app.execute(call).await {
        println!("order-1 with another amount: {error}");
    }
    app.drain("5s").await?;
    Ok(())
}
