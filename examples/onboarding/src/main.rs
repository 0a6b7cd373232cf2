//! Onboards the people of a sign-up export: a user record, a welcome mail, a CRM entry and a
//! workspace for each, once, however often it is run and however it ended the last time.

mod actions;
mod advice;
mod crm;
mod disk;
mod mail;
mod options;
mod people;
mod report;
mod run;
mod settle;
mod signups;
mod trouble;
mod users;
mod workspaces;

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use clap::Parser as _;
use do_runtime::prelude::*;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool};
use tokio::time::Instant;

use advice::Advisor;
use crm::{Crm, CrmProcess};
use mail::{Mailer, Outbox};
use options::{Command, Options};
use report::Report;
use run::Run;
use signups::Export;
use trouble::Trouble;
use workspaces::Workspaces;

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

    let data = options.data.as_path();
    fs::create_dir_all(data).with_context(|| format!("cannot make {}", data.display()))?;
    let trouble = Trouble::at_rate(options.fail_rate);
    let pool = users_database(data).await?;
    let outbox = match options.smtp {
        Some(_) => None,
        None => Some(Outbox::open(data.join("outbox"))?),
    };
    let mailer = match (&options.smtp, &outbox) {
        (Some(server), _) => Mailer::to_smtp(&server.host, server.port, trouble),
        (None, Some(outbox)) => Mailer::to_outbox(outbox.clone(), trouble),
        (None, None) => unreachable!("there is an outbox unless mails go over SMTP"),
    };
    let started_crm = match options.crm {
        Some(_) => None,
        None => Some(CrmProcess::start(data.to_owned(), options.fail_rate).await?),
    };
    let url = started_crm.as_ref().map(CrmProcess::url).or(options.crm.as_ref());
    let crm = Crm::at(url.context("there is a CRM, ours or another")?)?;
    let workspaces = Workspaces::open(data.join("workspaces"), trouble)?;

    let app = Runtime::with_pool(pool.clone())
        .provide(mailer)
        .provide(crm)
        .provide(workspaces)
        .start()
        .await?;
    if let Some(decision) = options.resolve {
        let settled = settle::mails(&app, decision, &options.users, outbox.as_ref()).await?;
        eprintln!("{settled} mails in doubt were settled");
    }
    if options.retry {
        eprintln!("{} are tried again", settle::retry(&app).await?);
    }

    let run = Run::new(app.clone(), Advisor::new(outbox), people::together(signups));
    let interrupted = tokio::spawn(stop_on_ctrl_c(Arc::clone(&run)));
    run.finish(options.concurrency).await;
    interrupted.abort();
    run.note_what_else_is_in_doubt().await?;
    app.drain("30s").await?;

    let report = Report {
        order: &run::ORDER,
        rows,
        bad: &bad,
        users: users::count(&pool).await?,
        tally: &run.tally(),
        took: started.elapsed(),
    };
    print!("{}", report.text());
    if options.json {
        println!("{}", report.json()?);
    }
    Ok(())
}

/// The file that holds the users and, beside them, the records of the actions.
async fn users_database(data: &Path) -> Result<SqlitePool> {
    let path = data.join("onboarding.db");
    let options = SqliteConnectOptions::new().filename(&path).create_if_missing(true);
    let pool = SqlitePool::connect_with(options)
        .await
        .with_context(|| format!("cannot open {}", path.display()))?;
    users::create_table(&pool).await?;
    Ok(pool)
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
