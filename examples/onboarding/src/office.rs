//! Everything a run works with: the database, the providers, and the runtime on top of them.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use do_runtime::prelude::*;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool};

use crate::crm::{Crm, CrmProcess};
use crate::mail::{Mailer, Outbox};
use crate::options::Options;
use crate::trouble::Trouble;
use crate::users;
use crate::workspaces::Workspaces;

/// What is open during a run.
#[derive(Debug)]
pub(crate) struct Office {
    /// Runs the actions.
    pub(crate) app: Runtime,
    /// The file that holds the users and, beside them, the records of the actions.
    pub(crate) pool: SqlitePool,
    /// Where the mails are; none when they go over SMTP.
    pub(crate) outbox: Option<Outbox>,
    /// The CRM, unless another was named; it ends with this.
    _crm: Option<CrmProcess>,
}

impl Office {
    /// Makes what is not there, and starts.
    pub(crate) async fn open(options: &Options) -> Result<Self> {
        let data = options.data.as_path();
        fs::create_dir_all(data).with_context(|| format!("cannot make {}", data.display()))?;
        let pool = users_database(data).await?;
        let trouble = Trouble::at_rate(options.fail_rate);
        let (mailer, outbox) = match &options.smtp {
            Some(server) => (Mailer::to_smtp(&server.host, server.port, trouble), None),
            None => {
                let outbox = Outbox::open(data.join("outbox"))?;
                (Mailer::to_outbox(outbox.clone(), trouble), Some(outbox))
            }
        };
        let (crm, process) = match &options.crm {
            Some(url) => (Crm::at(url)?, None),
            None => {
                let process = CrmProcess::start(data.to_owned(), options.fail_rate).await?;
                (Crm::at(process.url())?, Some(process))
            }
        };
        let app = Runtime::with_pool(pool.clone())
            .provide(mailer)
            .provide(crm)
            .provide(Workspaces::open(data.join("workspaces"), trouble)?)
            .start()
            .await?;
        Ok(Self { app, pool, outbox, _crm: process })
    }
}

async fn users_database(data: &Path) -> Result<SqlitePool> {
    let path = data.join("onboarding.db");
    let options = SqliteConnectOptions::new().filename(&path).create_if_missing(true);
    let pool = SqlitePool::connect_with(options)
        .await
        .with_context(|| format!("cannot open {}", path.display()))?;
    users::create_table(&pool).await?;
    Ok(pool)
}
