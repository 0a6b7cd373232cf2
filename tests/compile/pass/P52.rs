#![allow(dead_code, unused_imports)] use do_runtime::prelude::*;
// a transaction is borrowed uniquely
#[action(key(email))]
async fn create_user(db: &mut sqlx::SqliteConnection, email: String) -> Result<i64, sqlx::Error> {
    sqlx::query("insert into users(email) values (?)").bind(email).execute(&mut *db).await.map(|r| r.last_insert_rowid())
}
