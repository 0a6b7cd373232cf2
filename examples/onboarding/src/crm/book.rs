//! The contacts of the CRM in an append-only file, one JSON object a line.
//!
//! The file is the truth: every write locks it, reads what others appended, decides, appends and
//! syncs. So two processes on one file (an old CRM that is about to end, and its successor) never
//! make a contact twice, and nothing that was answered is lost.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};

/// What a contact is made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NewContact {
    /// The caller's user; a user is one contact.
    pub(crate) user_id: String,
    /// Address.
    pub(crate) email: String,
    /// May be empty.
    pub(crate) name: String,
}

/// A contact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Contact {
    /// The CRM's own id.
    pub(crate) id: String,
    /// What it was made from.
    #[serde(flatten)]
    pub(crate) of: NewContact,
    /// The key of the request that made it.
    pub(crate) idempotency_key: String,
}

/// What a request came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Entered {
    /// A new contact.
    Made(Contact),
    /// The contact was there: the same request again, or another about the same user.
    Found(Contact),
    /// The key was used for another user.
    KeyReused,
}

/// The open file, and what was read of it.
#[derive(Debug)]
pub(crate) struct Book {
    file: File,
    read_to: u64,
    contacts: Vec<Contact>,
    by_user: HashMap<String, usize>,
    by_key: HashMap<String, usize>,
}

impl Book {
    /// Opens the file, makes it where it is not there, and reads it.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory)?;
        }
        let file = File::options().read(true).append(true).create(true).open(path)?;
        let mut book = Self {
            file,
            read_to: 0,
            contacts: Vec::new(),
            by_user: HashMap::new(),
            by_key: HashMap::new(),
        };
        book.enter(&[])?;
        Ok(book)
    }

    /// Enters requests and answers each; returns when all of it is on the disk.
    pub(crate) fn enter(&mut self, requests: &[(String, NewContact)]) -> io::Result<Vec<Entered>> {
        self.file.lock()?;
        let entered = self.enter_locked(requests);
        if entered.is_err() {
            // Believe the file only.
            self.forget();
        }
        self.file.unlock()?;
        entered
    }

    /// All contacts, those of other processes included.
    pub(crate) fn contacts(&mut self) -> io::Result<&[Contact]> {
        self.enter(&[])?;
        Ok(&self.contacts)
    }

    fn enter_locked(&mut self, requests: &[(String, NewContact)]) -> io::Result<Vec<Entered>> {
        self.catch_up()?;
        let mut lines = Vec::new();
        let mut entered = Vec::with_capacity(requests.len());
        for (key, request) in requests {
            let (answer, is_new) = self.decide(key, request);
            if let (Entered::Made(contact), true) = (&answer, is_new) {
                serde_json::to_writer(&mut lines, contact)?;
                lines.push(b'\n');
            }
            entered.push(answer);
        }
        if !lines.is_empty() {
            self.append(&lines)?;
        }
        Ok(entered)
    }

    fn decide(&mut self, key: &str, request: &NewContact) -> (Entered, bool) {
        let known_key = self.by_key.get(key).map(|place| &self.contacts[*place]);
        if let Some(contact) = known_key {
            let same = contact.of.user_id == request.user_id;
            let answer = if same { Entered::Found(contact.clone()) } else { Entered::KeyReused };
            return (answer, false);
        }
        if let Some(place) = self.by_user.get(&request.user_id) {
            return (Entered::Found(self.contacts[*place].clone()), false);
        }
        let contact = Contact {
            id: format!("c-{:05}", self.contacts.len() + 1),
            of: request.clone(),
            idempotency_key: key.to_owned(),
        };
        self.remember(contact.clone());
        (Entered::Made(contact), true)
    }

    fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        let written = self.file.write_all(lines).and_then(|()| self.file.sync_data());
        if let Err(error) = written {
            // A half line would be taken for the beginning of the next.
            self.file.set_len(self.read_to)?;
            return Err(error);
        }
        self.read_to += lines.len() as u64;
        Ok(())
    }

    /// Reads what was appended since, and cuts off the half line of a writer that was killed.
    fn catch_up(&mut self) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(self.read_to))?;
        let mut bytes = Vec::new();
        self.file.read_to_end(&mut bytes)?;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        for line in bytes[..whole].split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let contact = serde_json::from_slice(line)?;
            self.remember(contact);
        }
        self.read_to += whole as u64;
        if whole < bytes.len() {
            self.file.set_len(self.read_to)?;
        }
        Ok(())
    }

    fn remember(&mut self, contact: Contact) {
        let place = self.contacts.len();
        self.by_user.insert(contact.of.user_id.clone(), place);
        self.by_key.insert(contact.idempotency_key.clone(), place);
        self.contacts.push(contact);
    }

    fn forget(&mut self) {
        self.read_to = 0;
        self.contacts.clear();
        self.by_user.clear();
        self.by_key.clear();
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::{Book, Entered, NewContact};

    fn request(key: &str, user: &str) -> (String, NewContact) {
        let email = format!("{user}@example.com");
        (key.to_owned(), NewContact { user_id: user.to_owned(), email, name: String::new() })
    }

    #[test]
    fn a_key_and_a_user_are_entered_once_by_any_number_of_processes() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("crm/contacts.jsonl");
        let mut one = Book::open(&path).expect("a book");
        let mut other = Book::open(&path).expect("the same book");

        let batch = [request("k1", "u1"), request("k1", "u1"), request("k2", "u1")];
        let entered = one.enter(&batch).expect("written");
        assert!(matches!(&entered[0], Entered::Made(contact) if contact.id == "c-00001"));
        assert!(entered[1..].iter().all(|entered| matches!(entered, Entered::Found(_))));
        let entered = other.enter(&[request("k1", "u1"), request("k1", "u2"), request("k3", "u3")]);
        let entered = entered.expect("written");
        assert!(matches!(&entered[0], Entered::Found(contact) if contact.id == "c-00001"));
        assert_eq!(entered[1], Entered::KeyReused);
        assert!(matches!(&entered[2], Entered::Made(contact) if contact.id == "c-00002"));
        assert_eq!(one.contacts().expect("read").len(), 2);
    }

    #[test]
    fn a_half_line_left_by_a_kill_is_not_a_contact() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("contacts.jsonl");
        Book::open(&path).expect("a book").enter(&[request("k1", "u1")]).expect("written");
        let mut file = std::fs::File::options().append(true).open(&path).expect("the file");
        file.write_all(b"{\"id\":\"c-00002\",\"user").expect("half a line");
        let mut book = Book::open(&path).expect("a book");
        assert_eq!(book.contacts().expect("read").len(), 1);
        book.enter(&[request("k2", "u2")]).expect("written");
        assert_eq!(Book::open(&path).expect("a book").contacts().expect("read").len(), 2);
    }
}
