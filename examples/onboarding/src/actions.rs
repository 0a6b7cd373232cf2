//! The four actions. Each does one thing to the world; none has a word about retries in its body.

use do_runtime::prelude::*;
use serde::{Deserialize, Serialize};
use sqlx::SqliteConnection;

use crate::crm::{ContactId, Crm, NewContact};
use crate::mail::{Letter, Mailer};
use crate::signups::Plan;
use crate::users::{self, TwoUsers, User, UserId, address_of};
use crate::workspaces::{Found, WorkspaceId, Workspaces};

/// Makes a user, or finds the one who has this id or this address.
///
/// A transaction in the file of the records: exactly once. A repeat may bring another name or
/// plan; the first one counts.
#[action(key(id, email = address_of(&email)), ignore(name, plan))]
pub(crate) async fn create_user(
    db: &mut SqliteConnection,
    id: UserId,
    email: String,
    name: String,
    plan: Plan,
) -> Result<User> {
    match users::matching(db, &id, &email).await?.as_slice() {
        [] => {
            let user = User { id, email, name, plan };
            users::insert(db, &user).await?;
            Ok(user)
        }
        [known] => Ok(known.clone()),
        [by_id, by_address, ..] => {
            let (by_id, by_address) = (by_id.id.clone(), by_address.id.clone());
            Err(TwoUsers { by_id, by_address }).permanent()?
        }
    }
}

/// The Message-ID of a mail that was sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct MessageId(pub(crate) String);

/// Sends the welcome mail. No mail provider can be asked whether it sent one: once.
#[action(key(user_id, template), once, retry(attempts = 25, max = "400ms"))]
pub(crate) async fn send_welcome_email(
    mailer: &Mailer,
    attempt: &Attempt,
    user_id: UserId,
    template: String,
    email: String,
    name: String,
) -> Result<MessageId> {
    let letter = Letter {
        message_id: attempt.downstream_key("mail").to_string(),
        user_id: &user_id,
        name: &name,
        email: &email,
        template: &template,
    };
    Ok(MessageId(mailer.send(&letter).await?))
}

/// Enters the user into the CRM, which knows a request it has seen by its key: repeatable.
#[action(key(user_id), repeatable, retry(attempts = 25, max = "400ms"))]
pub(crate) async fn add_to_crm(
    crm: &Crm,
    attempt: &Attempt,
    user_id: UserId,
    email: String,
    name: String,
) -> Result<ContactId> {
    let contact = NewContact { user_id: user_id.0, email, name };
    crm.enter(&contact, attempt.downstream_key("crm").to_string()).await
}

/// Makes the user's workspace, unless there is one.
///
/// A directory that was made is seen at once, so its absence can be believed soon after an end
/// that nobody knows.
#[action(
    key(user_id),
    check(find_workspace, settle = "100ms"),
    retry(attempts = 25, max = "400ms")
)]
pub(crate) async fn provision_workspace(
    workspaces: &Workspaces,
    user_id: UserId,
    plan: Plan,
) -> Result<WorkspaceId> {
    match workspaces.make(&user_id, plan).await? {
        Found::Workspace(workspace) => Ok(workspace),
        Found::Nothing => Err("the workspace was removed while it was made").transient()?,
        Found::Other(what) => Err(format!("{what}: move it away")).permanent()?,
    }
}

async fn find_workspace(
    workspaces: &Workspaces,
    user_id: UserId,
    plan: Plan,
) -> Result<Option<WorkspaceId>> {
    Ok(match workspaces.find(&user_id, plan).await? {
        Found::Workspace(workspace) => Some(workspace),
        // Making it will say what is in the way.
        Found::Nothing | Found::Other(_) => None,
    })
}
