//! A process to be killed: executes one action of a class, once or from many waiters.
//!
//! `crash-worker FILE LEDGER CLASS ID WAITERS` prints a line for each answer: `ok HOW JSON`, or
//! `error CODE EFFECT`. `CLASS` is an action's name. Killing points come from `DO_FAULT`.

#![expect(clippy::unwrap_used, reason = "a program of the tests: whatever fails, fails them")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;

use do_runtime::prelude::*;
use sqlx::SqliteConnection;

/// The outside process that counts effects.
struct Ledger(String);

impl Ledger {
    /// Returns once the line is there to stay.
    fn write(&self, line: &str) {
        let mut stream = TcpStream::connect(&self.0).unwrap();
        stream.write_all(format!("{line}\n").as_bytes()).unwrap();
        let mut answer = String::new();
        BufReader::new(stream).read_line(&mut answer).unwrap();
        assert_eq!(answer, "ok\n");
    }

    fn lines(&self) -> Vec<String> {
        let mut stream = TcpStream::connect(&self.0).unwrap();
        stream.write_all(b"lines\n").unwrap();
        let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
        let count = lines.next().unwrap().parse().unwrap();
        lines.take(count).collect()
    }

    fn effect(&self, action: &str, id: &str, attempt: &Attempt) -> String {
        let (number, round) = (attempt.number(), attempt.round());
        self.write(&format!("begin {action} {id} {number} {round}"));
        self.write(&format!("end {action} {id} {number} {round}"));
        format!("{action} {id} by attempt {number}")
    }
}

#[action(key(id), once)]
async fn once(ledger: &Ledger, attempt: &Attempt, id: String) -> Result<String> {
    Ok(ledger.effect("once", &id, attempt))
}

#[action(key(id), repeatable)]
async fn repeatable(ledger: &Ledger, attempt: &Attempt, id: String) -> Result<String> {
    Ok(ledger.effect("repeatable", &id, attempt))
}

async fn find(ledger: &Ledger, _attempt: &Attempt, id: String) -> Result<Option<String>> {
    let wanted = format!("end check {id} ");
    let found = ledger.lines().into_iter().find(|line| line.starts_with(&wanted));
    Ok(found.map(|_| format!("check {id} found")))
}

#[action(key(id), check(find, settle = "1ms"))]
async fn check(ledger: &Ledger, attempt: &Attempt, id: String) -> Result<String> {
    Ok(ledger.effect("check", &id, attempt))
}

#[action(key(id))]
async fn transaction(db: &mut SqliteConnection, attempt: &Attempt, id: String) -> Result<String> {
    sqlx::query("INSERT INTO effect (id) VALUES (?)").bind(&id).execute(&mut *db).await?;
    Ok(format!("transaction {id} by attempt {}", attempt.number()))
}

#[action(key(id), once)]
async fn mixed(
    db: &mut SqliteConnection,
    ledger: &Ledger,
    attempt: &Attempt,
    id: String,
) -> Result<String> {
    sqlx::query("INSERT INTO effect (id) VALUES (?)").bind(&id).execute(&mut *db).await?;
    Ok(ledger.effect("mixed", &id, attempt))
}

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().unwrap();
    let (file, ledger, class, id) = (next(), next(), next(), next());
    let waiters: usize = next().parse().unwrap();
    let app = Runtime::open(format!("sqlite://{file}"))
        .provide(Ledger(ledger))
        .start()
        .await
        .unwrap_or_else(|error| panic!("{error}"));
    let calls: Vec<_> = (0..waiters)
        .map(|_| {
            let call = app.execute_named(class.clone(), serde_json::json!({ "id": id }));
            tokio::spawn(call.wait("20s").receipt())
        })
        .collect();
    for call in calls {
        let line = match call.await.unwrap() {
            Ok(done) => format!("ok {} {}", done.how.as_str(), done.value),
            Err(error) => format!("error {} {}", error.code(), error.effect().as_str()),
        };
        println!("{line}");
    }
    app.drain("5s").await.unwrap();
}
