//! Accepting a call: durably, to be run in the background.

use std::any::Any;
use std::sync::Arc;

use super::{
    Accepted, Asked, Decision, Dispatcher, Error, ErrorKind, attempt, key_reused, overloaded,
    would_deadlock,
};
use crate::record::{Due, Event, Execution, Status};
use crate::store::{Change, Claimed, Recorded, StoreError};

/// How often a submission that others overtake asks again before it gives up.
const TRIES: usize = 16;

impl Dispatcher {
    /// Accepts a call to be run in the background.
    pub(crate) async fn submit(self: Arc<Self>, asked: Arc<Asked>, due: Due) -> Accepted {
        if attempt::in_transaction() {
            return Err(would_deadlock());
        }
        self.refuse_if_draining()?;
        let class = asked.prepared.definition.policy.class;
        let event = Event::Submitted { class, due };
        let mut found = None;
        for _ in 0..TRIES {
            let existing = match found.take() {
                Some(existing) => existing,
                None => match self.store.claim(self.new_execution(&asked, event.clone())).await {
                    Ok(Claimed::Granted(execution)) => return Ok(self.accepted(execution)),
                    Ok(Claimed::Existing(existing)) => existing,
                    Err(error) => return Err(submit_failed(&error)),
                },
            };
            let new_round = match self.decide(&existing, &asked, None) {
                Decision::Expired | Decision::InDoubt => {
                    return Err(Error::from_execution(&existing));
                }
                Decision::KeyReused(names) => return Err(key_reused(&existing, &names)),
                Decision::Claim { new_round } if existing.state.status != Status::Waiting => {
                    new_round
                }
                _ => return Ok(self.accepted(existing)),
            };
            let author = asked.author.clone();
            let mut change = Change::new(existing, event.clone(), author);
            if new_round {
                change = change.request(self.request(&asked.prepared));
            }
            match self.store.record(change).await {
                Ok(Recorded::Done(execution)) => return Ok(self.accepted(execution)),
                Ok(Recorded::Lost(current)) => found = Some(current),
                Ok(Recorded::Gone) => {}
                Err(error) => return Err(submit_failed(&error)),
            }
        }
        Err(overloaded())
    }

    /// Accepts a call within the caller's own transaction; it runs once that commits.
    pub(crate) async fn submit_within(
        &self,
        connection: &mut (dyn Any + Send),
        asked: &Asked,
        due: Due,
    ) -> Accepted {
        self.refuse_if_draining()?;
        let class = asked.prepared.definition.policy.class;
        let new = self.new_execution(asked, Event::Submitted { class, due });
        let existing = match self.store.claim_within(connection, new).await {
            Ok(Claimed::Granted(execution)) => return Ok(execution),
            Ok(Claimed::Existing(existing)) => existing,
            Err(error) => return Err(submit_failed(&error)),
        };
        match self.decide(&existing, asked, None) {
            Decision::Expired | Decision::InDoubt => Err(Error::from_execution(&existing)),
            Decision::KeyReused(names) => Err(key_reused(&existing, &names)),
            Decision::Claim { new_round: true } => Err(Error::new(
                ErrorKind::NotAllowed,
                "it ended before, and a new round cannot begin within a transaction: submit it \
                 without .within(..)",
            )
            .of_execution(&existing)),
            _ => Ok(existing),
        }
    }

    fn accepted(&self, execution: Arc<Execution>) -> Arc<Execution> {
        if execution.state.status == Status::Waiting {
            self.due.notify_one();
        }
        execution
    }
}

fn submit_failed(error: &StoreError) -> Error {
    match error {
        StoreError::Unknown(_) => Error::new(
            ErrorKind::InProgress,
            format!("{error}; submit the same call again to learn whether it was accepted"),
        ),
        _ => Error::unavailable(error),
    }
}
