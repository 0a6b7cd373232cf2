//! An action that borrows a transaction: its rows, its outcome and its audit entry commit
//! together, or not at all.
//!
//! `cargo run -p examples --bin transaction`

use do_runtime::prelude::*;
use sqlx::SqliteConnection;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool};

#[action(key(transfer_id))]
async fn transfer(
    db: &mut SqliteConnection,
    transfer_id: String,
    from: String,
    to: String,
    cents: i64,
) -> Result<i64> {
    add(db, &to, cents).await?;
    let left = add(db, &from, -cents).await?;
    sqlx::query("INSERT INTO transfers VALUES (?)").bind(&transfer_id).execute(db).await?;
    if left < 0 {
        // What was written is undone.
        Err(format!("{from} has {} cents only", left + cents)).permanent()?;
    }
    Ok(left)
}

async fn add(db: &mut SqliteConnection, name: &str, cents: i64) -> sqlx::Result<i64> {
    let sql = "UPDATE accounts SET cents = cents + ? WHERE name = ? RETURNING cents";
    sqlx::query_scalar(sql).bind(cents).bind(name).fetch_one(db).await
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let directory = tempfile::tempdir()?;
    let file = directory.path().join("bank.db");
    let options = SqliteConnectOptions::new().filename(&file).create_if_missing(true);
    let pool = SqlitePool::connect_with(options).await?;
    sqlx::raw_sql(
        "CREATE TABLE accounts (name TEXT PRIMARY KEY, cents INTEGER NOT NULL);
         CREATE TABLE transfers (id TEXT PRIMARY KEY);
         INSERT INTO accounts VALUES ('ada', 1000), ('grace', 0);",
    )
    .execute(&pool)
    .await?;

    let app = Runtime::with_pool(pool.clone()).start().await?;
    for (id, cents) in [("t1", 700), ("t1", 700), ("t2", 700)] {
        let call = transfer(id.to_owned(), "ada".to_owned(), "grace".to_owned(), cents);
        match app.execute(call).receipt().await {
            Ok(receipt) => println!("{id}: {:?}, ada has {} cents", receipt.how, receipt.value),
            Err(error) => println!("{id}: {error}"),
        }
    }
    let sql = "SELECT name, cents FROM accounts ORDER BY name";
    let accounts: Vec<(String, i64)> = sqlx::query_as(sql).fetch_all(&pool).await?;
    println!("{accounts:?}");
    app.drain("5s").await?;
    Ok(())
}
