//! A call that is accepted when the caller's own transaction commits, and not otherwise.
//!
//! `cargo run -p examples --bin submit_within`

use do_runtime::prelude::*;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool};

#[action(key(order_id), repeatable)]
async fn ship(order_id: i64) -> Result<String> {
    Ok(format!("order {order_id} is on its way"))
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let directory = tempfile::tempdir()?;
    let file = directory.path().join("shop.db");
    let options = SqliteConnectOptions::new().filename(&file).create_if_missing(true);
    let pool = SqlitePool::connect_with(options).await?;
    sqlx::raw_sql("CREATE TABLE orders (id INTEGER PRIMARY KEY)").execute(&pool).await?;
    let app = Runtime::with_pool(pool.clone()).start().await?;

    // The order and the promise to ship it: both or neither.
    let mut tx = pool.begin().await?;
    sqlx::query("INSERT INTO orders VALUES (1)").execute(&mut *tx).await?;
    let shipping = app.submit(ship(1)).within(&mut *tx).await?;
    tx.commit().await?;
    println!("{}", shipping.wait().await?);

    let mut tx = pool.begin().await?;
    sqlx::query("INSERT INTO orders VALUES (2)").execute(&mut *tx).await?;
    app.submit(ship(2)).within(&mut *tx).await?;
    tx.rollback().await?;
    let known = app.lookup(ship(2)).await?.execution.is_some();
    println!("order 2 was rolled back; an execution of its shipping exists: {known}");
    app.drain("5s").await?;
    Ok(())
}
