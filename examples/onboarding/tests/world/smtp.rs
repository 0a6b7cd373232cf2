//! A mail server of its own: one that takes every mail, or one that never says a word.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// Listens until the test ends.
pub(crate) struct SmtpServer {
    port: u16,
    seen: Arc<Mutex<Seen>>,
}

#[derive(Default)]
struct Seen {
    connections: Vec<TcpStream>,
    mails: Vec<String>,
}

impl SmtpServer {
    pub(crate) fn start(answers: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let seen = Arc::new(Mutex::new(Seen::default()));
        let known = Arc::clone(&seen);
        std::thread::spawn(move || {
            for connection in listener.incoming().map_while(Result::ok) {
                let open = connection.try_clone().expect("a second handle");
                known.lock().expect("no panic before").connections.push(open);
                if answers {
                    let known = Arc::clone(&known);
                    std::thread::spawn(move || {
                        if let Some(mail) = receive(connection) {
                            known.lock().expect("no panic before").mails.push(mail);
                        }
                    });
                }
            }
        });
        Self { port, seen }
    }

    pub(crate) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(crate) fn was_connected(&self) -> bool {
        !self.seen.lock().expect("no panic before").connections.is_empty()
    }

    pub(crate) fn mails(&self) -> Vec<String> {
        self.seen.lock().expect("no panic before").mails.clone()
    }
}

/// One session; returns the mail that it brought.
fn receive(mut connection: TcpStream) -> Option<String> {
    let mut lines = BufReader::new(connection.try_clone().ok()?).lines().map_while(Result::ok);
    connection.write_all(b"220 test\r\n").ok()?;
    let mut mail = None;
    while let Some(line) = lines.next() {
        let answer: &[u8] = match line.get(..4)?.to_ascii_uppercase().as_str() {
            "EHLO" => b"250-test\r\n250-8BITMIME\r\n250 SMTPUTF8\r\n",
            "DATA" => {
                connection.write_all(b"354 go on\r\n").ok()?;
                let body: Vec<String> = lines.by_ref().take_while(|line| line != ".").collect();
                mail = Some(body.join("\n"));
                b"250 taken\r\n"
            }
            "QUIT" => b"221 bye\r\n",
            "RCPT" if line.contains("refused") => b"550 nobody here\r\n",
            _ => b"250 ok\r\n",
        };
        if connection.write_all(answer).is_err() {
            break;
        }
    }
    mail
}
