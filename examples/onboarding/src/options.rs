//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Parser, Subcommand, ValueEnum};
use reqwest::Url;

/// Onboards the people of a sign-up export: user record, welcome mail, CRM entry, workspace.
///
/// Each person once, however often this is run and however it ended the last time.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true)]
pub(crate) struct Options {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    /// The export, CSV with columns `id`, `email`, `name`, `plan`; the shipped one if left out
    pub(crate) file: Option<PathBuf>,

    /// Where users, mails, contacts and workspaces go
    #[arg(long, value_name = "DIR", default_value = "onboarding-data")]
    pub(crate) data: PathBuf,

    /// How many people are onboarded at the same time
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = concurrency)]
    pub(crate) concurrency: usize,

    /// Send the mails to this SMTP server (plain) instead of writing them to DIR/outbox
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) smtp: Option<HostAndPort>,

    /// Use the CRM at this address instead of starting one
    #[arg(long, value_name = "URL", value_parser = plain_http)]
    pub(crate) crm: Option<Url>,

    /// Let the providers fail at random, with this probability from 0 to 1
    #[arg(long, value_name = "P", default_value_t = 0.0, value_parser = probability)]
    pub(crate) fail_rate: f64,

    /// Print one JSON object as the last line
    #[arg(long)]
    pub(crate) json: bool,

    /// First settle the mails in doubt, then go on
    #[arg(long, value_name = "DECISION")]
    pub(crate) resolve: Option<Decision>,

    /// Settle only the mails to these users
    #[arg(long = "user", value_name = "ID", requires = "resolve")]
    pub(crate) users: Vec<String>,

    /// Also try again what failed, and what is in doubt and safe to repeat
    #[arg(long)]
    pub(crate) retry: bool,
}

/// Other things this program does.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Be the CRM: serve contacts over HTTP, durably
    Crm {
        /// Where the contacts go: DIR/crm/contacts.jsonl
        #[arg(long, value_name = "DIR", default_value = "onboarding-data")]
        data: PathBuf,
        /// Port on 127.0.0.1; 0 takes one that is free
        #[arg(long, default_value_t = 0)]
        port: u16,
        /// Fail at random, with this probability from 0 to 1
        #[arg(long, value_name = "P", default_value_t = 0.0, value_parser = probability)]
        fail_rate: f64,
        /// End with the process that started this one
        #[arg(long, hide = true)]
        until_stdin_closes: bool,
    },
}

/// What a person found out about the mails in doubt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Decision {
    /// They were sent: done
    Sent,
    /// They were not: send them now
    Unsent,
}

/// `HOST:PORT`, also `[::1]:25`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HostAndPort {
    pub(crate) host: String,
    pub(crate) port: u16,
}

impl FromStr for HostAndPort {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const SHAPE: &str = "write it as HOST:PORT, for example localhost:25";
        let (host, port) = text.rsplit_once(':').ok_or(SHAPE)?;
        let port = port.parse().map_err(|_| SHAPE)?;
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        if host.is_empty() { Err(SHAPE) } else { Ok(Self { host: host.to_owned(), port }) }
    }
}

fn concurrency(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number @ 1..=1024) => Ok(number),
        _ => Err("a whole number from 1 to 1024 is needed".to_owned()),
    }
}

fn plain_http(text: &str) -> Result<Url, String> {
    match text.parse::<Url>() {
        Ok(url) if url.scheme() == "http" => Ok(url),
        _ => Err("an address that begins with http:// is needed; there is no TLS here".to_owned()),
    }
}

fn probability(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(number @ 0.0..=1.0) => Ok(number),
        _ => Err("a number from 0 to 1 is needed".to_owned()),
    }
}

/// The line to type to run this again with other options at its end: as it was called, without
/// what was decided in that call, and with providers that work.
pub(crate) fn same_again(arguments: impl Iterator<Item = OsString>, more: &str) -> String {
    let mut line = String::new();
    let mut skip_value = false;
    for argument in arguments {
        let argument = argument.to_string_lossy();
        if std::mem::take(&mut skip_value) || argument == "--retry" {
            continue;
        }
        let decided = ["--resolve", "--user", "--fail-rate"];
        if decided.contains(&argument.as_ref()) {
            skip_value = true;
            continue;
        }
        if decided.iter().any(|name| argument.starts_with(&format!("{name}="))) {
            continue;
        }
        line.push_str(&quoted(&argument));
        line.push(' ');
    }
    line + more
}

/// For a POSIX shell.
pub(crate) fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
    if !argument.is_empty() && argument.chars().all(plain) {
        argument.to_owned()
    } else {
        format!("'{}'", argument.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::{HostAndPort, Options, same_again};

    #[test]
    fn the_command_line_is_consistent() {
        Options::command().debug_assert();
    }

    #[test]
    fn the_line_to_type_repeats_the_call_and_not_its_decisions() {
        let called = [
            "target/x/onboarding",
            "my file.csv",
            "--user",
            "a",
            "--data=d",
            "--fail-rate",
            "0.5",
            "--retry",
            "--resolve=sent",
            "--user=b",
            "--json",
        ];
        let line = same_again(called.iter().map(Into::into), "--resolve unsent");
        assert_eq!(line, "target/x/onboarding 'my file.csv' --data=d --json --resolve unsent");
    }

    #[test]
    fn hosts_and_ports() {
        let read = |text: &str| text.parse::<HostAndPort>().map(|at| (at.host, at.port));
        assert_eq!(read("localhost:25"), Ok(("localhost".to_owned(), 25)));
        assert_eq!(read("[::1]:2525"), Ok(("::1".to_owned(), 2525)));
        for wrong in ["localhost", ":25", "localhost:", "localhost:70000", "localhost:smtp"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
