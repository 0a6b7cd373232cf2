//! What a person decided: settles mails in doubt, and tries again what is asked for.

use std::sync::Arc;

use anyhow::Result;
use do_runtime::record::{Execution, Status};
use do_runtime::store::Filter;
use do_runtime::{Resolution, Runtime};

use crate::actions::MessageId;
use crate::mail::Outbox;
use crate::options::Decision;
use crate::run::ORDER;

/// Settles the mails in doubt, all or those to the users named; returns how many.
pub(crate) async fn mails(
    app: &Runtime,
    decision: Decision,
    users: &[String],
    outbox: Option<&Outbox>,
) -> Result<usize> {
    let mut settled = 0;
    for execution in all(app, Filter::default().action(ORDER[1]).status(Status::InDoubt)).await? {
        let user = user_of(&execution);
        if !users.is_empty() && !users.contains(&user) {
            continue;
        }
        let (resolution, reason) = match decision {
            Decision::Sent => {
                let message_id = MessageId(message_id(outbox, &user));
                (Resolution::succeeded(&message_id)?, "run with --resolve sent")
            }
            Decision::Unsent => (Resolution::NotDone, "run with --resolve unsent"),
        };
        app.as_principal("operator")
            .resolve(execution.identity.key, resolution)
            .because(reason)
            .await?;
        settled += 1;
    }
    Ok(settled)
}

/// Tries again what failed and, mails apart, what is in doubt; returns how many.
pub(crate) async fn retry(app: &Runtime) -> Result<usize> {
    let wanted = Filter::default().status(Status::Failed).status(Status::InDoubt);
    let mut retried = 0;
    for execution in all(app, wanted).await? {
        let in_doubt = execution.state.status == Status::InDoubt;
        if in_doubt && *execution.identity.action == *ORDER[1] {
            continue;
        }
        app.as_principal("operator")
            .retry(execution.identity.key)
            .because("run with --retry")
            .await?;
        retried += 1;
    }
    Ok(retried)
}

/// All executions of a filter, not its first page only.
pub(crate) async fn all(app: &Runtime, mut filter: Filter) -> Result<Vec<Arc<Execution>>> {
    let mut executions = Vec::new();
    loop {
        let page = app.list(filter.clone()).await?;
        executions.extend(page.executions);
        match page.next {
            Some(next) => filter = filter.before(next),
            None => return Ok(executions),
        }
    }
}

/// The user that an execution of the last three actions is about; empty for others.
pub(crate) fn user_of(execution: &Execution) -> String {
    let fields = execution.request.fields.readable();
    let user = fields.into_iter().find(|(name, _)| name == "user_id");
    user.map(|(_, value)| value).unwrap_or_default()
}

fn message_id(outbox: Option<&Outbox>, user: &str) -> String {
    let mails = outbox.and_then(|outbox| outbox.mails_to(user).ok()).unwrap_or_default();
    let found = mails.last().and_then(|mail| Outbox::message_id_of(mail).ok().flatten());
    found.unwrap_or_else(|| "not known".to_owned())
}
