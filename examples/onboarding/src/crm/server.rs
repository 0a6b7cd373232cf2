//! The CRM's side of HTTP, with failures at random.

use std::io::Read as _;
use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde_json::json;
use tokio::sync::{mpsc, oneshot};

use super::book::{Book, Contact, Entered, NewContact};
use crate::trouble::Trouble;

/// The line that tells the port starts with this.
pub(crate) const LISTENING: &str = "the CRM listens on ";

/// Serves until the process ends. Prints one line with its address.
///
/// `port` 0 takes any that is free. With `until_stdin_closes` the process ends with the one that
/// started it, however that ends.
pub(crate) async fn serve(
    data: &Path,
    port: u16,
    trouble: Trouble,
    until_stdin_closes: bool,
) -> Result<()> {
    if until_stdin_closes {
        std::thread::spawn(|| {
            // An error ends the input as well.
            let mut rest = Vec::new();
            drop(std::io::stdin().read_to_end(&mut rest));
            std::process::exit(0);
        });
    }
    let path = data.join("crm").join("contacts.jsonl");
    let book = Book::open(&path).with_context(|| format!("cannot open {}", path.display()))?;
    let (desk, jobs) = mpsc::channel(1024);
    std::thread::spawn(move || keep(book, jobs));

    let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port))
        .await
        .with_context(|| format!("cannot listen on port {port}"))?;
    println!("{LISTENING}http://{}", listener.local_addr()?);
    let routes = Router::new()
        .route("/contacts", get(list).post(enter))
        .with_state(Arc::new(Desk { jobs: desk, trouble }));
    axum::serve(listener, routes).await?;
    Ok(())
}

#[derive(Debug)]
struct Desk {
    jobs: mpsc::Sender<Job>,
    trouble: Trouble,
}

#[derive(Debug)]
enum Job {
    Enter { key: String, contact: NewContact, answer: oneshot::Sender<Entered> },
    List { answer: oneshot::Sender<Vec<Contact>> },
}

/// The one thread that writes. Requests that wait while it syncs share the next sync. A request
/// whose write failed gets no answer: its sender is dropped.
fn keep(mut book: Book, mut jobs: mpsc::Receiver<Job>) {
    const BATCH: usize = 256;
    let mut waiting = Vec::new();
    while jobs.blocking_recv_many(&mut waiting, BATCH) > 0 {
        let mut requests = Vec::new();
        let mut answers = Vec::new();
        for job in waiting.drain(..) {
            match job {
                Job::Enter { key, contact, answer } => {
                    requests.push((key, contact));
                    answers.push(answer);
                }
                Job::List { answer } => match book.contacts() {
                    Ok(contacts) => drop(answer.send(contacts.to_vec())),
                    Err(error) => eprintln!("the CRM cannot read its file: {error}"),
                },
            }
        }
        match book.enter(&requests) {
            // Nobody may be waiting any more; what is entered stays entered.
            Ok(entered) => {
                answers.into_iter().zip(entered).for_each(|(to, with)| drop(to.send(with)))
            }
            Err(error) => eprintln!("the CRM cannot write its file: {error}"),
        }
    }
}

async fn list(State(desk): State<Arc<Desk>>) -> Response {
    let (answer, contacts) = oneshot::channel();
    if desk.jobs.send(Job::List { answer }).await.is_err() {
        return no_disk();
    }
    match contacts.await {
        Ok(contacts) => Json(json!({ "contacts": contacts })).into_response(),
        Err(_) => no_disk(),
    }
}

async fn enter(
    State(desk): State<Arc<Desk>>,
    headers: HeaderMap,
    Json(contact): Json<NewContact>,
) -> Response {
    let Some(key) = headers.get("idempotency-key").and_then(|key| key.to_str().ok()) else {
        return refused(StatusCode::BAD_REQUEST, "an Idempotency-Key header is needed");
    };
    if desk.trouble.strikes() {
        let busy = refused(StatusCode::SERVICE_UNAVAILABLE, "out of order for a moment");
        return ([(header::RETRY_AFTER, "0")], busy).into_response();
    }
    let (answer, entered) = oneshot::channel();
    let key = key.to_owned();
    if desk.jobs.send(Job::Enter { key, contact, answer }).await.is_err() {
        return no_disk();
    }
    let Ok(entered) = entered.await else { return no_disk() };
    if desk.trouble.strikes() {
        // The contact is entered, and the caller never hears of it.
        return refused(StatusCode::GATEWAY_TIMEOUT, "no answer came in time");
    }
    match entered {
        Entered::Made(contact) => (StatusCode::CREATED, Json(contact)).into_response(),
        Entered::Found(contact) => Json(contact).into_response(),
        Entered::KeyReused => refused(
            StatusCode::UNPROCESSABLE_ENTITY,
            "this Idempotency-Key was used for another user",
        ),
    }
}

fn refused(status: StatusCode, message: &str) -> Response {
    (status, Json(json!({ "error": message }))).into_response()
}

fn no_disk() -> Response {
    refused(StatusCode::INTERNAL_SERVER_ERROR, "the file of contacts cannot be read or written")
}
