//! What only this store promises: how it opens, fails, stops, indexes and takes turns.

mod bodies;
mod failing;
mod finding;
mod leases;
mod opening;
mod plans;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;

use super::work::Tables;
use super::{Fault, Order, Sqlite, SqliteOptions};
use crate::audit::Author;
use crate::key::{Fingerprint, Key, KeyFields};
use crate::policy::Class;
use crate::record::{Claim, Event, Execution, Identity, InstanceId, Request, Token, Value};
use crate::store::{Change, Claimed, Durability, NewExecution, Recorded, Store, StoreError, Which};

const ACTION: &str = "send-mail";
const INSTANCE: InstanceId = InstanceId::from_bytes([7; 16]);

/// A store on a file of its own.
struct Place {
    directory: TempDir,
}

impl Place {
    fn new() -> Self {
        Self { directory: tempfile::tempdir().expect("a directory") }
    }

    fn file(&self) -> PathBuf {
        self.directory.path().join("actions.db")
    }

    fn address(&self) -> String {
        format!("sqlite://{}", self.file().display())
    }

    fn open(&self) -> Sqlite {
        self.try_open().expect("the store opens")
    }

    /// A store that waits only shortly for other processes.
    fn try_open(&self) -> Result<Sqlite, StoreError> {
        let options = SqliteOptions::new().busy_timeout(Duration::from_millis(50));
        Sqlite::open_with(&self.address(), &options)
    }

    /// A connection beside the store's own: another process, for SQLite.
    fn other(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.file()).expect("a connection")
    }
}

fn author() -> Author {
    Author::new("test", INSTANCE)
}

fn fields(user: &str) -> KeyFields {
    let mut fields = KeyFields::builder();
    fields.field("user", user);
    fields.finish().expect("a key")
}

fn identity(user: &str) -> Identity {
    Identity::new("acme", ACTION, Key::derived("acme", ACTION, 1, &fields(user)))
}

fn claim(user: &str) -> NewExecution {
    let request = Request::new(
        1,
        fields(user),
        Fingerprint::new([3; 16], &[]),
        Some(b"{}".as_slice().into()),
    );
    let claim = Claim::new(Token::from_bytes([9; 16]), INSTANCE, Class::Repeatable);
    NewExecution::new(identity(user), request, Event::Claimed(claim), author())
}

fn done(before: Arc<Execution>) -> Change {
    let value = Value::Json(b"1".as_slice().into());
    Change::new(before, Event::Succeeded { value, found: false, keep: None }, author())
}

async fn granted(store: &Sqlite, user: &str) -> Arc<Execution> {
    match store.claim(claim(user)).await.expect("the claim is answered") {
        Claimed::Granted(execution) => execution,
        Claimed::Existing(_) => panic!("{user} is there already"),
    }
}

async fn recorded(store: &Sqlite, change: Change) -> Arc<Execution> {
    match store.record(change).await.expect("the change is answered") {
        Recorded::Done(execution) => execution,
        other => panic!("not recorded: {other:?}"),
    }
}

async fn is_there(store: &Sqlite, user: &str) -> bool {
    store.get(Which::Identity(identity(user))).await.expect("the store answers").is_some()
}

/// Does something odd on the writer's own connection.
async fn on_writer(
    store: &Sqlite,
    run: fn(&Tables<'_>, &()) -> Result<(), Fault>,
) -> Result<(), StoreError> {
    store.write((), run, Order::new(Durability::Synced, 0)).await
}
