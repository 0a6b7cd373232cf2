//! How fast actions are, beside one raw synced commit of SQLite on the same disk, in the same run.
//!
//! `cargo bench -p do-runtime --bench actions -- [--secs N] [--only TEXT]`. Closed loop: each of
//! 1 or 64 callers sends its next call when the last one is answered. Only ratios within one run
//! mean something.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a program, and it may stop at any mistake"
)]

use std::future::Future;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use do_runtime::clock::SystemClock;
use do_runtime::key::{Key, KeyFields};
use do_runtime::prelude::*;
use do_runtime::store::memory::Memory;
use sqlx::SqliteConnection;

#[action(key(id), once)]
async fn once(id: u64, note: String) -> Result<String> {
    Ok(format!("{id}: {}", note.len()))
}

#[action(key(id), repeatable)]
async fn repeatable(id: u64, note: String) -> Result<String> {
    Ok(format!("{id}: {}", note.len()))
}

async fn not_there(_id: u64, _note: String) -> Result<Option<String>> {
    Ok(None)
}

#[action(key(id), check = not_there)]
async fn checked(id: u64, note: String) -> Result<String> {
    Ok(format!("{id}: {}", note.len()))
}

#[action(key(id))]
async fn transaction(db: &mut SqliteConnection, id: i64, note: String) -> Result<String> {
    sqlx::query("INSERT INTO effect (id) VALUES (?)").bind(id).execute(&mut *db).await?;
    Ok(format!("{id}: {}", note.len()))
}

/// About as long as a real one: 150 bytes.
fn note() -> String {
    "n".repeat(120)
}

struct Options {
    time: Duration,
    only: Option<String>,
}

impl Options {
    fn parse() -> Self {
        let mut options = Self { time: Duration::from_secs(2), only: None };
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--secs" => {
                    let secs: f64 = arguments.next().unwrap().parse().unwrap();
                    options.time = Duration::from_secs_f64(secs);
                }
                "--only" => options.only = arguments.next(),
                // What cargo adds.
                _ => {}
            }
        }
        options
    }

    fn wants(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| name.contains(only.as_str()))
    }
}

struct Measured {
    per_second: f64,
    p50: Duration,
    p99: Duration,
}

/// Runs `call(n)` with a new `n` each time, from that many callers.
async fn closed_loop<F, R>(callers: u64, time: Duration, call: F) -> Measured
where
    F: Fn(u64) -> R + Clone + Send + 'static,
    R: Future<Output = ()> + Send,
{
    let numbers = Arc::new(AtomicU64::new(1));
    let started = Instant::now();
    let tasks: Vec<_> = (0..callers)
        .map(|_| {
            let (numbers, call) = (Arc::clone(&numbers), call.clone());
            tokio::spawn(async move {
                let mut took = Vec::new();
                while started.elapsed() < time {
                    let begun = Instant::now();
                    call(numbers.fetch_add(1, Ordering::Relaxed)).await;
                    took.push(begun.elapsed());
                }
                took
            })
        })
        .collect();
    let mut took = Vec::new();
    for task in tasks {
        took.extend(task.await.unwrap());
    }
    let elapsed = started.elapsed();
    took.sort_unstable();
    Measured {
        per_second: took.len() as f64 / elapsed.as_secs_f64(),
        p50: took[took.len() / 2],
        p99: took[took.len() * 99 / 100],
    }
}

fn report(name: &str, callers: u64, measured: &Measured, raw: Option<f64>) {
    let ratio = raw.map_or(String::new(), |raw| {
        format!("  {:6.2} × raw commits at one caller", measured.per_second / raw)
    });
    println!(
        "{name:<34} {callers:>3} callers {:>10.0}/s  p50 {:>9.1?}  p99 {:>9.1?}{ratio}",
        measured.per_second, measured.p50, measured.p99
    );
}

/// One-row commits, each synced, with nothing around them.
fn raw_commits(directory: &Path, time: Duration) -> f64 {
    let connection = rusqlite::Connection::open(directory.join("raw.db")).unwrap();
    connection
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
             CREATE TABLE row (id INTEGER PRIMARY KEY, body BLOB)",
        )
        .unwrap();
    let mut insert = connection.prepare("INSERT INTO row (body) VALUES (?1)").unwrap();
    let started = Instant::now();
    let mut commits = 0_u32;
    while started.elapsed() < time {
        insert.execute([[0_u8; 300].as_slice()]).unwrap();
        commits += 1;
    }
    f64::from(commits) / started.elapsed().as_secs_f64()
}

fn keys(time: Duration) {
    let started = Instant::now();
    let mut made = 0_u64;
    while started.elapsed() < time {
        for _ in 0..100 {
            let mut fields = KeyFields::builder();
            fields.field("template", "welcome-v2").field("user_id", &format!("usr_{made}"));
            let fields = fields.finish().unwrap();
            std::hint::black_box(Key::derived("default", "send-welcome-email", 1, &fields));
            made += 1;
        }
    }
    let each = started.elapsed() / u32::try_from(made).unwrap();
    println!("{:<34} {each:?} each", "key of two fields");
    let started = Instant::now();
    for n in 0..made / 4 {
        let _call = std::hint::black_box(once(n, note()));
    }
    let each = started.elapsed() / u32::try_from(made / 4).unwrap();
    println!("{:<34} {each:?} each", "call made (key, fingerprint, JSON)");
}

async fn classes(name: &str, app: &Runtime, options: &Options, raw: f64, transactions: bool) {
    for callers in [1, 64] {
        macro_rules! class {
            ($action:ident, $number:ty) => {
                let label = format!("{name} first {}", stringify!($action));
                if options.wants(&label) {
                    let app = app.scope(format!("{callers}"));
                    let measured = closed_loop(callers, options.time, move |n| {
                        let n = n * 1000 + callers;
                        let app = app.clone();
                        async move {
                            let number = <$number>::try_from(n).unwrap();
                            app.execute($action(number, note())).await.unwrap();
                        }
                    })
                    .await;
                    report(&label, callers, &measured, Some(raw));
                }
            };
        }
        class!(once, u64);
        class!(repeatable, u64);
        class!(checked, u64);
        if transactions {
            class!(transaction, i64);
        }
        replays(name, app, options, callers).await;
    }
}

async fn replays(name: &str, app: &Runtime, options: &Options, callers: u64) {
    const KNOWN: u64 = 2_000;
    let label = format!("{name} replay, cached");
    if !options.wants(&label) {
        return;
    }
    for n in 0..KNOWN {
        app.execute(once(n, note())).await.unwrap();
    }
    let cached = app.clone();
    let measured = closed_loop(callers, options.time, move |n| {
        let app = cached.clone();
        async move {
            app.execute(once(n % KNOWN, note())).await.unwrap();
        }
    })
    .await;
    report(&label, callers, &measured, None);
    let lookups = app.clone();
    let measured = closed_loop(callers, options.time, move |n| {
        let app = lookups.clone();
        async move {
            app.lookup(once(n % KNOWN, note())).await.unwrap().execution.unwrap();
        }
    })
    .await;
    report(&format!("{name} read by key"), callers, &measured, None);
}

fn main() {
    let options = Options::parse();
    let directory = tempfile::tempdir_in(std::env::current_dir().unwrap()).unwrap();
    let raw = raw_commits(directory.path(), options.time);
    println!("{:<34}   1 callers {raw:>10.0}/s", "raw synced commit, SQLite");
    keys(options.time / 4);
    let tokio = tokio::runtime::Runtime::new().unwrap();
    tokio.block_on(async {
        let memory = Memory::new(Arc::new(SystemClock::new()));
        let app =
            Runtime::with_store(memory).only((once, repeatable, checked)).start().await.unwrap();
        classes("memory", &app, &options, raw, false).await;
        let file = directory.path().join("actions.db");
        let app = Runtime::open(format!("sqlite://{}", file.display())).start().await.unwrap();
        let table = rusqlite::Connection::open(&file).unwrap();
        table.busy_timeout(Duration::from_secs(5)).unwrap();
        table.execute_batch("CREATE TABLE effect (id INTEGER)").unwrap();
        classes("sqlite", &app, &options, raw, true).await;
        app.drain("5s").await.unwrap();
    });
}
