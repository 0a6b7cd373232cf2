//! Waiting for the end of an execution by its identity, whoever runs it: what a handle does.

use std::sync::Arc;
use std::time::Duration;

use super::flight::Seat;
use super::wait::{ASK_AGAIN, is_lasting};
use super::{Dispatcher, Error, ErrorKind, How, Settled, overloaded};
use crate::record::{Execution, Identity, Status};
use crate::store::Which;

impl Dispatcher {
    /// Waits for the end of an execution, whoever runs it.
    pub(crate) async fn follow(
        self: &Arc<Self>,
        identity: &Identity,
        wait: Duration,
    ) -> Result<Settled, Error> {
        let mut seat = self.flights.board(identity).ok_or_else(overloaded)?;
        let deadline = self.clock.sleep(wait);
        tokio::pin!(deadline);
        let mut latest: Option<Arc<Execution>> = None;
        loop {
            let found = tokio::select! {
                biased;
                found = self.store.get(Which::Identity(identity.clone())) => found,
                () = &mut deadline => return Err(not_ended(latest.as_deref(), identity)),
            };
            match found {
                Ok(Some(execution)) => {
                    if !matches!(execution.state.status, Status::Running | Status::Waiting) {
                        let how = if latest.is_some() { How::Joined } else { How::Replayed };
                        return self.answer(execution, how);
                    }
                    self.take_up_if_due(&seat, &execution);
                    latest = Some(execution);
                }
                Ok(None) => {
                    return Err(Error::new(
                        ErrorKind::NotFound,
                        "it is not accepted: the transaction it was submitted in is not committed",
                    ));
                }
                Err(error) if is_lasting(&error) && !seat.is_piloted() => {
                    return Err(not_ended(latest.as_deref(), identity));
                }
                // It was accepted: a store that is away says nothing about it.
                Err(_) => {}
            }
            tokio::select! {
                biased;
                _ = seat.news() => {}
                () = self.clock.sleep(self.ask_every(ASK_AGAIN)) => {}
                () = &mut deadline => return Err(not_ended(latest.as_deref(), identity)),
            }
        }
    }
}

impl Dispatcher {
    /// Runs what is due, for whoever waits: bodies that wait for what they submitted may hold all
    /// the places that the rescuer has.
    fn take_up_if_due(self: &Arc<Self>, seat: &Seat, execution: &Arc<Execution>) {
        if self.works
            && execution.state.is_due(self.store.now())
            && let Some(pilot) = seat.pilot()
        {
            let found = Some(Arc::clone(execution));
            tokio::spawn(Arc::clone(self).pursue(pilot, None, found));
        }
    }
}

/// It goes on after the wait.
pub(super) fn not_ended(latest: Option<&Execution>, identity: &Identity) -> Error {
    let action = &identity.action;
    latest.map_or_else(
        || {
            Error::new(
                ErrorKind::InProgress,
                format!(
                    "`{action}` is under way and the store does not answer; call again to learn \
                     its end"
                ),
            )
        },
        Error::in_progress,
    )
}
