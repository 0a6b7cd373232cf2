//! Onboards the people of a sign-up export: a user record, a welcome mail, a CRM entry and a
//! workspace for each, once, however often it is run and however it ended the last time.

mod actions;
mod advice;
mod crm;
mod disk;
mod mail;
mod office;
mod options;
mod people;
mod records;
mod report;
mod run;
mod settle;
mod signups;
mod trouble;
mod users;
mod workspaces;

use std::fs;
use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use clap::Parser as _;
use tokio::time::Instant;

use advice::Advisor;
use office::Office;
use options::{Command, Options};
use report::Report;
use run::Run;
use signups::Export;
use trouble::Trouble;

/// The export that is read when no other is named.
const SHIPPED: &[u8] = include_bytes!("../signups.csv");

#[tokio::main]
async fn main() -> ExitCode {
    let options = Options::parse();
    let ended = match &options.command {
        Some(Command::Crm { data, port, fail_rate, until_stdin_closes }) => {
            crm::serve(data, *port, Trouble::at_rate(*fail_rate), *until_stdin_closes).await
        }
        None => onboard(&options).await,
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn onboard(options: &Options) -> Result<()> {
    let started = Instant::now();
    let export = match &options.file {
        None => Export::read(SHIPPED)?,
        Some(file) => {
            let bytes =
                fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
            Export::read(&bytes).with_context(|| format!("cannot use {}", file.display()))?
        }
    };
    let rows = export.rows();
    let Export { signups, bad } = export;

    let office = Office::open(options).await?;
    let app = &office.app;
    if let Some(decision) = options.resolve {
        let outbox = office.outbox.as_ref();
        let settled = settle::mails(app, decision, &options.users, outbox).await?;
        eprintln!("mails in doubt that were settled: {settled}");
    }
    if options.retry {
        eprintln!("tried again: {}", settle::retry(app).await?);
    }

    let advisor = Advisor::new(office.outbox.clone());
    let run = Run::new(app.clone(), advisor, people::together(signups));
    let interrupted = tokio::spawn(stop_on_ctrl_c(Arc::clone(&run)));
    run.finish(options.concurrency).await;
    interrupted.abort();
    run.note_what_else_is_in_doubt().await?;
    app.drain("30s").await?;
    let users = users::count(&office.pool).await?;
    office.pool.close().await;

    let report = Report {
        order: &run::ORDER,
        rows,
        bad: &bad,
        left: run.left(),
        users,
        tally: &run.tally(),
        took: started.elapsed(),
    };
    let mut text = report.text();
    if options.json {
        text.push_str(&report.json()?);
        text.push('\n');
    }
    std::io::stdout().write_all(text.as_bytes()).context("cannot print the report")
}

/// The first Ctrl-C lets the people under way be finished, the second ends at once. Either is
/// safe, and so is `kill -9`.
async fn stop_on_ctrl_c(run: Arc<Run>) {
    if tokio::signal::ctrl_c().await.is_ok() {
        eprintln!("finishing what is under way; Ctrl-C again ends at once");
        run.stop();
        if tokio::signal::ctrl_c().await.is_ok() {
            std::process::exit(130);
        }
    }
}
