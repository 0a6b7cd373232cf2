//! What to do about each thing that is not done: the line to type, wherever there is one.

use do_runtime::{Error, ErrorKind};

use crate::mail::Outbox;
use crate::options::same_again;
use crate::report::{Open, OpenState, WHOSE};
use crate::run::ORDER;

/// Knows the lines to type.
#[derive(Debug)]
pub(crate) struct Advisor {
    /// Where the mails are; none when they went over SMTP.
    outbox: Option<Outbox>,
}

impl Advisor {
    /// For mails that went into that outbox, or over SMTP.
    pub(crate) const fn new(outbox: Option<Outbox>) -> Self {
        Self { outbox }
    }

    /// What the error of a call means. `user` is the id once there is one.
    pub(crate) fn of_error(&self, action: &str, who: &str, user: &str, error: &Error) -> Open {
        let state = match error.kind() {
            ErrorKind::InDoubt => OpenState::InDoubt,
            ErrorKind::Parked => OpenState::Parked,
            ErrorKind::InProgress
            | ErrorKind::Unrecorded
            | ErrorKind::Overloaded
            | ErrorKind::StoreUnavailable
            | ErrorKind::Draining => OpenState::Waiting,
            _ => OpenState::Failed,
        };
        let message = error.failure().map_or(error.message(), |failure| &failure.message);
        self.open(action, who, user, state, message)
    }

    /// How something stands that is not done, and what to do.
    pub(crate) fn open(
        &self,
        action: &str,
        who: &str,
        user: &str,
        state: OpenState,
        message: &str,
    ) -> Open {
        let again = |more: &str| same_again(std::env::args_os(), more).trim_end().to_owned();
        let advice = match state {
            OpenState::InDoubt if action == ORDER[1] => self.of_mail(user),
            OpenState::InDoubt => vec![format!("safe to try again:  {}", again("--retry"))],
            OpenState::Parked => {
                vec![format!("repair the cause, then run it again:  {}", again(""))]
            }
            OpenState::Failed if action == ORDER[0] => {
                vec![format!("correct the row, then run it again:  {}", again(""))]
            }
            OpenState::Failed => {
                vec![format!("remove the cause, then try it again:  {}", again("--retry"))]
            }
            OpenState::Waiting => vec![format!("it goes on; look again:  {}", again(""))],
        };
        Open {
            action: action.to_owned(),
            state,
            who: who.to_owned(),
            user: user.to_owned(),
            message: message.to_owned(),
            advice,
        }
    }

    /// What a person would look up about a mail in doubt.
    fn of_mail(&self, user: &str) -> Vec<String> {
        let line = |decision: &str| {
            let more = format!("--resolve {decision}{WHOSE}");
            same_again(std::env::args_os(), &more)
        };
        match self.outbox.as_ref().map(|outbox| outbox.mails_to(user)) {
            Some(Ok(mails)) if mails.is_empty() => {
                vec![format!("the outbox does not have it; send it:  {}", line("unsent"))]
            }
            Some(Ok(_)) => vec![format!("the outbox has it; settle it:  {}", line("sent"))],
            Some(Err(_)) | None => vec![
                "the mail server's log knows.".to_owned(),
                format!("if it was sent:  {}", line("sent")),
                format!("if it was not:   {}", line("unsent")),
            ],
        }
    }
}
