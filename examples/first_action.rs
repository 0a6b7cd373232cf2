//! A first action: called three times, it takes effect once.
//!
//! `cargo run -p examples --bin first_action`

use std::sync::{Arc, Mutex, PoisonError};

use do_runtime::prelude::*;

/// Stands for a mail provider. What an action borrows is provided, what it owns is recorded.
#[derive(Debug, Clone, Default)]
struct Mailbox(Arc<Mutex<Vec<String>>>);

impl Mailbox {
    fn put(&self, mail: String) -> usize {
        let mut mails = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        mails.push(mail);
        mails.len()
    }
}

#[action(key(user_id, template), once)]
async fn send_welcome_email(mailbox: &Mailbox, user_id: u64, template: String) -> Result<usize> {
    Ok(mailbox.put(format!("{template} to {user_id}")))
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let directory = tempfile::tempdir()?;
    let database = format!("sqlite://{}", directory.path().join("first.db").display());
    let mailbox = Mailbox::default();

    let app = Runtime::open(&database).provide(mailbox.clone()).start().await?;
    for _ in 0..2 {
        let call = send_welcome_email(7, "welcome-v2".to_owned());
        let receipt = app.execute(call).receipt().await?;
        println!("mail number {}: {:?}", receipt.value, receipt.how);
    }
    app.drain("5s").await?;

    // Another process, another day: the record answers.
    let app = Runtime::open(&database).provide(mailbox.clone()).start().await?;
    let receipt = app.execute(send_welcome_email(7, "welcome-v2".to_owned())).receipt().await?;
    println!("mail number {}: {:?}", receipt.value, receipt.how);
    app.drain("5s").await?;

    println!("mails sent: {}", mailbox.put(String::new()) - 1);
    Ok(())
}
