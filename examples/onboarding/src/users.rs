//! The users table: the application's own rows, in the same SQLite file as the records.
//!
//! That the same id or the same address is the same user is settled here, by the two unique
//! columns of the table, inside the transaction of the action that calls it.

use std::fmt;

use serde::{Deserialize, Serialize};
use sqlx::{SqliteConnection, SqlitePool};

use crate::signups::Plan;

/// Somebody who signed up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct User {
    /// The id of the row that made the user.
    pub(crate) id: UserId,
    /// Where mail goes.
    pub(crate) email: String,
    /// May be empty.
    pub(crate) name: String,
    /// What was signed up for.
    pub(crate) plan: Plan,
}

/// Names a user everywhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, do_runtime::prelude::KeyPart)]
#[serde(transparent)]
pub(crate) struct UserId(pub(crate) String);

impl fmt::Display for UserId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// What makes two mail addresses one: without white space around it, in lower case.
pub(crate) fn address_of(email: &str) -> String {
    email.trim().to_lowercase()
}

/// Makes the table where it is not there.
pub(crate) async fn create_table(pool: &SqlitePool) -> sqlx::Result<()> {
    sqlx::query(
        "CREATE TABLE IF NOT EXISTS users (
            id      TEXT NOT NULL PRIMARY KEY,
            address TEXT NOT NULL UNIQUE,
            email   TEXT NOT NULL,
            name    TEXT NOT NULL,
            plan    TEXT NOT NULL
        ) STRICT",
    )
    .execute(pool)
    .await?;
    Ok(())
}

/// How many users there are.
pub(crate) async fn count(pool: &SqlitePool) -> sqlx::Result<i64> {
    sqlx::query_scalar("SELECT count(*) FROM users").fetch_one(pool).await
}

/// The users who have this id or this address: none, one, or two different ones.
pub(crate) async fn matching(
    db: &mut SqliteConnection,
    id: &UserId,
    email: &str,
) -> sqlx::Result<Vec<User>> {
    let rows: Vec<(String, String, String, String)> = sqlx::query_as(
        "SELECT id, email, name, plan FROM users WHERE id = ?1 OR address = ?2 ORDER BY id <> ?1",
    )
    .bind(&id.0)
    .bind(address_of(email))
    .fetch_all(db)
    .await?;
    let user = |(id, email, name, plan): (String, String, String, String)| User {
        id: UserId(id),
        email,
        name,
        plan: Plan::from_word(&plan).unwrap_or_default(),
    };
    Ok(rows.into_iter().map(user).collect())
}

/// Adds a user.
pub(crate) async fn insert(db: &mut SqliteConnection, user: &User) -> sqlx::Result<()> {
    sqlx::query("INSERT INTO users (id, address, email, name, plan) VALUES (?, ?, ?, ?, ?)")
        .bind(&user.id.0)
        .bind(address_of(&user.email))
        .bind(&user.email)
        .bind(&user.name)
        .bind(user.plan.as_str())
        .execute(db)
        .await?;
    Ok(())
}

/// A sign-up that belongs to two people at once; nothing is made for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TwoUsers {
    /// Who has the id.
    pub(crate) by_id: UserId,
    /// Who has the address.
    pub(crate) by_address: UserId,
}

impl fmt::Display for TwoUsers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "the id is that of user {}, the address that of user {}: correct the row",
            self.by_id, self.by_address
        )
    }
}

impl std::error::Error for TwoUsers {}
