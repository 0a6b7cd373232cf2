//! Starts the CRM as a process of its own, and again should it end.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result};
use reqwest::Url;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;

use super::server::LISTENING;

/// A running CRM. It ends with the last of this value, or with this process.
#[derive(Debug)]
pub(crate) struct CrmProcess {
    url: Url,
    keeper: JoinHandle<()>,
}

impl CrmProcess {
    /// Starts a CRM on the data in that directory.
    pub(crate) async fn start(data: PathBuf, fail_rate: f64) -> Result<Self> {
        let (child, url) = spawn(&data, 0, fail_rate).await?;
        let port = url.port().context("the CRM did not tell its port")?;
        let keeper = tokio::spawn(keep(child, data, port, fail_rate));
        Ok(Self { url, keeper })
    }

    /// Where it listens; the same for as long as this value lives.
    pub(crate) const fn url(&self) -> &Url {
        &self.url
    }
}

impl Drop for CrmProcess {
    fn drop(&mut self) {
        self.keeper.abort();
    }
}

/// A CRM that ends is started again on its port: until then our requests are refused, which is
/// a failure without effect.
async fn keep(mut child: Child, data: PathBuf, port: u16, fail_rate: f64) {
    // Waiting for a process closes its input, which would tell this one to end.
    let mut held_open = child.stdin.take();
    let mut pause = tokio::time::interval(Duration::from_millis(500));
    loop {
        let ended = child.wait().await;
        drop(held_open.take());
        match ended {
            Ok(status) => eprintln!("the CRM ended ({status}) and is started again"),
            Err(error) => eprintln!("the CRM is lost ({error}) and is started again"),
        }
        loop {
            pause.tick().await;
            match spawn(&data, port, fail_rate).await {
                Ok((started, _)) => {
                    child = started;
                    held_open = child.stdin.take();
                    break;
                }
                Err(error) => eprintln!("the CRM does not start: {error:#}"),
            }
        }
    }
}

async fn spawn(data: &std::path::Path, port: u16, fail_rate: f64) -> Result<(Child, Url)> {
    let program = std::env::current_exe().context("cannot find this program to start the CRM")?;
    let mut command = Command::new(program);
    let arguments: [OsString; 6] = [
        "crm".into(),
        "--until-stdin-closes".into(),
        format!("--port={port}").into(),
        format!("--fail-rate={fail_rate}").into(),
        "--data".into(),
        data.into(),
    ];
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
    // Ctrl-C in a terminal is meant for the program that drains, not for its CRM.
    #[cfg(unix)]
    command.process_group(0);
    let mut child = command.spawn().context("cannot start the CRM")?;
    let stdout = child.stdout.take().context("the CRM has no output")?;
    let mut lines = BufReader::new(stdout).lines();
    let line = lines.next_line().await?.context("the CRM ended before it listened")?;
    let url = line.strip_prefix(LISTENING).context("the CRM did not say where it listens")?;
    let url = url.parse()?;
    Ok((child, url))
}
