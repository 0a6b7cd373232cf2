//! The mail provider: real mails, into a directory or over SMTP.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use do_runtime::prelude::*;
use lettre::message::header::ContentType;
use lettre::message::{Mailbox, Message};
use lettre::{
    Address, AsyncFileTransport, AsyncSmtpTransport, AsyncTransport as _, Tokio1Executor,
};

use crate::disk;
use crate::trouble::Trouble;
use crate::users::UserId;

/// Hands mails over.
#[derive(Debug)]
pub(crate) struct Mailer {
    way: Way,
    trouble: Trouble,
}

#[derive(Debug)]
enum Way {
    Outbox(Outbox),
    Smtp(AsyncSmtpTransport<Tokio1Executor>),
}

/// The parts of a welcome mail that differ.
#[derive(Debug)]
pub(crate) struct Letter<'a> {
    /// What stands before the `@` of its Message-ID.
    pub(crate) message_id: String,
    /// Who gets it.
    pub(crate) user_id: &'a UserId,
    /// Their name; may be empty.
    pub(crate) name: &'a str,
    /// Their address.
    pub(crate) email: &'a str,
    /// Which text.
    pub(crate) template: &'a str,
}

impl Mailer {
    /// Mails go into files of a directory, which is made.
    pub(crate) fn to_outbox(outbox: Outbox, trouble: Trouble) -> Self {
        Self { way: Way::Outbox(outbox), trouble }
    }

    /// Mails go to an SMTP server, in plain text.
    pub(crate) fn to_smtp(host: &str, port: u16, trouble: Trouble) -> Self {
        let transport = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(host).port(port);
        Self { way: Way::Smtp(transport.build()), trouble }
    }

    /// Hands one mail over and returns its Message-ID. Every failure says what is known about it.
    pub(crate) async fn send(&self, letter: &Letter<'_>) -> Result<String> {
        let message_id = format!("<{}@onboarding.example>", letter.message_id);
        let message = message(letter, message_id.clone()).permanent()?;
        if self.trouble.strikes() {
            // Nothing was sent yet. A mail provider that fails later leaves the mail in doubt,
            // and no program can settle that.
            return Err(io::Error::new(
                io::ErrorKind::ConnectionRefused,
                "the mail provider refused the connection",
            )
            .into());
        }
        match &self.way {
            Way::Outbox(outbox) => outbox.put(letter.user_id, message).await?,
            Way::Smtp(server) => match server.send(message).await {
                Ok(_) => {}
                // The server answered that it did not take the mail, for now or for good.
                Err(error) if error.is_transient() => Err(error).transient()?,
                Err(error) if error.is_permanent() => Err(error).permanent()?,
                // Refused by lettre itself, before anything was sent.
                Err(error) if error.is_client() => Err(error).permanent()?,
                // A connection that could not be made is known from the io error inside; one that
                // broke later leaves the mail in doubt.
                Err(error) => return Err(error.into()),
            },
        }
        Ok(message_id)
    }
}

fn message(letter: &Letter<'_>, message_id: String) -> anyhow::Result<Message> {
    anyhow::ensure!(letter.template == WELCOME, "there is no template `{}`", letter.template);
    let name = (!letter.name.is_empty()).then(|| letter.name.to_owned());
    let greeting =
        name.as_deref().map_or("Welcome!".to_owned(), |name| format!("Welcome, {name}!"));
    Ok(Message::builder()
        .message_id(Some(message_id))
        .from(Mailbox::new(Some("Onboarding".to_owned()), Address::new("welcome", "example.com")?))
        .to(Mailbox::new(name, letter.email.parse()?))
        .subject(greeting.clone())
        .header(ContentType::TEXT_PLAIN)
        .body(WELCOME_TEXT.replace("{greeting}", &greeting).replace("{id}", &letter.user_id.0))?)
}

/// The name of the mail's template. A new text that everybody should get is a new name.
pub(crate) const WELCOME: &str = "new-user-welcome-v2";

const WELCOME_TEXT: &str = "\
{greeting}

Your account {id} is ready, and so is your workspace.
If you did not sign up, please ignore this mail.

The example program of the action framework
";

/// A directory with one `.eml` file for every mail that was handed over.
///
/// Each delivery makes a file of its own, so that a mail sent twice shows. A file is written aside
/// and then moved: what is in the outbox is whole.
#[derive(Debug, Clone)]
pub(crate) struct Outbox {
    directory: PathBuf,
}

impl Outbox {
    /// Opens the directory, and makes it where it is not there.
    pub(crate) fn open(directory: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(directory.join(Self::BEING_WRITTEN))?;
        Ok(Self { directory })
    }

    const BEING_WRITTEN: &str = ".being-written";

    async fn put(&self, user_id: &UserId, message: Message) -> Result<()> {
        let aside = self.directory.join(Self::BEING_WRITTEN);
        let transport = AsyncFileTransport::<Tokio1Executor>::new(&aside);
        // Until the file is in its place nothing was sent.
        let file_id = transport.send(message).await.transient()?;
        let from = aside.join(format!("{file_id}.eml"));
        let name = format!("{}.{file_id}.eml", disk::file_name_of(&user_id.0));
        let to = self.directory.join(name);
        let deliver =
            move || fs::File::open(&from)?.sync_all().and_then(|()| disk::move_synced(&from, &to));
        tokio::task::spawn_blocking(deliver).await??;
        Ok(())
    }

    /// The mails that this user got: for a person who wants to know whether one was sent.
    pub(crate) fn mails_to(&self, user_id: &str) -> io::Result<Vec<PathBuf>> {
        let start = format!("{}.", disk::file_name_of(user_id));
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.directory)? {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with(&start) {
                found.push(entry.path());
            }
        }
        found.sort();
        Ok(found)
    }

    /// The Message-ID of a mail in the outbox.
    pub(crate) fn message_id_of(mail: &Path) -> io::Result<Option<String>> {
        let text = fs::read_to_string(mail)?;
        let headers = text.lines().take_while(|line| !line.is_empty());
        let mut ids = headers.filter_map(|line| line.strip_prefix("Message-ID: "));
        Ok(ids.next().map(str::to_owned))
    }
}
