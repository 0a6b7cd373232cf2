//! The world outside: a process of its own that only appends and syncs what it is told.
//!
//! `effect-ledger FILE` listens on a port of 127.0.0.1, which it prints, and answers each line that
//! it was sent with `ok` once the line is in the file and synced. The line `lines` is answered with
//! all that was written. It ends with its standard input. It is never killed.

#![expect(clippy::unwrap_used, reason = "a program of the tests: whatever fails, fails them")]

use std::fs::{File, read_to_string};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

fn main() {
    let path = PathBuf::from(std::env::args_os().nth(1).unwrap());
    let file = File::options().create(true).append(true).open(&path).unwrap();
    let file = Arc::new(Mutex::new(file));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    println!("{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for client in listener.incoming() {
            let (file, path) = (Arc::clone(&file), path.clone());
            std::thread::spawn(move || serve(client.unwrap(), &file, &path));
        }
    });
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
}

/// A client that was killed in the middle of a line has said nothing.
fn serve(client: TcpStream, file: &Mutex<File>, path: &PathBuf) {
    let mut answers = client.try_clone().unwrap();
    for line in BufReader::new(client).lines() {
        let Ok(line) = line else { return };
        let answer = if line == "lines" {
            let lines = read_to_string(path).unwrap();
            format!("{}\n{lines}", lines.lines().count())
        } else {
            let mut file = file.lock().unwrap();
            file.write_all(format!("{line}\n").as_bytes()).unwrap();
            file.sync_data().unwrap();
            "ok\n".to_owned()
        };
        if answers.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}
