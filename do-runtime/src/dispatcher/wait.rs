//! A call that waits for its answer: it looks at what is recorded, has it pursued, and hears what
//! comes of it.
//!
//! A caller that joined an attempt gets the end of that attempt, also one that is not final, and
//! never begins another round because of it. Once something is under way, a store that does not
//! answer is no answer: the caller waits on, and is told at the end of its wait that it goes on.

use std::sync::Arc;
use std::time::Duration;

use super::flight::{Landing, News, Seat, SeatId};
use super::follow::not_ended;
use super::{
    Asked, Decision, Dispatcher, Error, ErrorKind, How, Settled, attempt, draining, key_reused,
    overloaded, would_deadlock,
};
use crate::record::{Execution, Status};
use crate::store::{StoreError, Which};

/// A caller that waits for another process asks the store this often.
pub(super) const ASK_AGAIN: Duration = Duration::from_millis(100);

/// What a look at the record gives.
enum Look {
    Answer(Arc<Execution>, How),
    /// Nothing yet: listen that long.
    Listen(Duration),
}

impl Dispatcher {
    /// Runs, joins or replays a call; waits at most `wait`.
    pub(crate) async fn execute(
        self: Arc<Self>,
        asked: Arc<Asked>,
        wait: Duration,
    ) -> Result<Settled, Error> {
        if attempt::in_transaction() {
            return Err(would_deadlock());
        }
        if let Some(hit) = self.cache.success(&asked.identity.key, self.clock.monotonic()) {
            match self.decide(&hit, &asked, None) {
                Decision::Replay => return Ok(Settled { execution: hit, how: How::Replayed }),
                Decision::KeyReused(names) => return Err(key_reused(&hit, &names)),
                _ => {}
            }
        }
        let mut seat = self.flights.board(&asked.identity).ok_or_else(overloaded)?;
        let deadline = self.clock.sleep(wait);
        tokio::pin!(deadline);
        let mut waited = Waited::default();
        loop {
            let look = tokio::select! {
                biased;
                look = self.look(&asked, &seat, &mut waited) => look?,
                () = &mut deadline => return Err(waited.over(&asked)),
            };
            let pause = match look {
                Look::Answer(execution, how) => return self.answer(execution, how),
                Look::Listen(pause) => pause,
            };
            tokio::select! {
                biased;
                news = seat.news() => {
                    if let Some(answer) = self.hear(news, &asked, seat.id(), &mut waited)? {
                        return self.answer(answer.0, answer.1);
                    }
                }
                () = self.clock.sleep(pause) => {}
                () = &mut deadline => return Err(waited.over(&asked)),
            }
        }
    }

    /// What is recorded now, and what that means for a call: an answer, or something to wait for.
    /// Sends a pilot where the call may claim and nobody is at it.
    async fn look(
        self: &Arc<Self>,
        asked: &Arc<Asked>,
        seat: &Seat,
        waited: &mut Waited,
    ) -> Result<Look, Error> {
        if waited.skip_look {
            waited.skip_look = false;
            return Ok(Look::Listen(waited.pause(self)));
        }
        let found = match self.store.get(Which::Identity(asked.identity.clone())).await {
            Ok(found) => found,
            Err(error) if seat.is_piloted() || (waited.has_begun() && !is_lasting(&error)) => {
                waited.joined = true;
                return Ok(Look::Listen(self.ask_every(ASK_AGAIN)));
            }
            Err(_) if waited.has_begun() => {
                return Err(std::mem::take(waited).over(asked));
            }
            Err(StoreError::Closed) => return Err(draining()),
            Err(error) => return Err(Error::unavailable(&error)),
        };
        let before = std::mem::replace(&mut waited.latest, found.clone());
        if let (Some(before), Some(found)) = (before, &found)
            && is_end_of(&before, found)
        {
            return Ok(Look::Answer(Arc::clone(found), How::Joined));
        }
        let how = if waited.joined { How::Joined } else { How::Replayed };
        let decision = found.as_ref().map(|found| self.decide(found, asked, None));
        match (decision, found) {
            (Some(Decision::Replay), Some(_)) if waited.lingers(seat) => {
                return Ok(Look::Listen(self.ask_every(ASK_AGAIN)));
            }
            (Some(Decision::Replay), Some(found)) => return Ok(Look::Answer(found, how)),
            (Some(Decision::Expired | Decision::InDoubt), Some(found)) => {
                return Err(Error::from_execution(&found));
            }
            (Some(Decision::KeyReused(names)), Some(found)) => {
                return Err(key_reused(&found, &names));
            }
            (Some(Decision::Join), _) => waited.joined = true,
            (Some(Decision::Claim { .. } | Decision::TakeOver { .. } | Decision::GoOn), found)
            | (None, found) => {
                if let Some(pilot) = seat.pilot() {
                    waited.claimed = true;
                    tokio::spawn(Arc::clone(self).pursue(pilot, Some(Arc::clone(asked)), found));
                }
                waited.joined = true;
            }
            (Some(_), None) => {}
        }
        Ok(Look::Listen(waited.pause(self)))
    }

    /// What news mean for a seat: an answer, a reason to look again, or to go on listening.
    fn hear(
        &self,
        news: News,
        asked: &Asked,
        seat: SeatId,
        waited: &mut Waited,
    ) -> Result<Option<(Arc<Execution>, How)>, Error> {
        waited.skip_look = true;
        match news {
            News::Quiet => {}
            News::ClaimUnknown => waited.claimed = true,
            News::Running(execution) => {
                if let Decision::KeyReused(names) = self.decide(&execution, asked, None) {
                    return Err(key_reused(&execution, &names));
                }
                waited.joined = true;
                waited.latest = Some(execution);
            }
            News::Unrecorded(execution, why) => {
                waited.latest = Some(execution);
                waited.unrecorded = Some(why);
            }
            News::Landed(Landing::AskAgain) => {
                waited.skip_look = false;
                waited.unrecorded = None;
            }
            News::Landed(Landing::Broken(error)) => return Err(error),
            News::Landed(Landing::Ran(execution, executed_by)) => {
                waited.unrecorded = None;
                if let Decision::KeyReused(names) = self.decide(&execution, asked, None) {
                    return Err(key_reused(&execution, &names));
                }
                let parts = &asked.prepared.fingerprint;
                if !execution.request.fingerprint.differing(parts).is_empty() {
                    // Another request ended without effect: this one may begin its own round.
                    waited.skip_look = false;
                    waited.latest = None;
                    return Ok(None);
                }
                let how = if executed_by == Some(seat) { How::Executed } else { How::Joined };
                if execution.state.status != Status::Waiting {
                    return Ok(Some((execution, how)));
                }
                waited.latest = Some(execution);
            }
        }
        Ok(None)
    }

    pub(super) fn answer(&self, execution: Arc<Execution>, how: How) -> Result<Settled, Error> {
        if execution.state.status != Status::Succeeded {
            let error = Error::from_execution(&execution);
            return Err(if how == How::Replayed { error.replayed() } else { error });
        }
        self.cache.keep(&execution);
        Ok(Settled { execution, how })
    }
}

/// What a waiting call has learnt so far.
#[derive(Debug, Default)]
struct Waited {
    /// Somebody was at it when this call came or since.
    joined: bool,
    /// A claim of this call was sent.
    claimed: bool,
    /// The news said enough: listen on without asking the store.
    skip_look: bool,
    latest: Option<Arc<Execution>>,
    /// Why the end of the attempt cannot be written yet.
    unrecorded: Option<Arc<str>>,
    /// How often the record was ahead of the news.
    lingered: u8,
}

impl Waited {
    /// Something is under way, here or elsewhere, that this call waits for.
    const fn has_begun(&self) -> bool {
        self.claimed || self.joined
    }

    /// The record shows the end of what this call waits for, and the pursuit is about to say so: only
    /// that tells who executed it. Not for ever, if the pursuit hangs.
    fn lingers(&mut self, seat: &Seat) -> bool {
        const TIMES: u8 = 10;
        let lingers = self.joined && self.lingered < TIMES && seat.is_piloted();
        self.lingered += u8::from(lingers);
        lingers
    }

    /// Until when to listen before asking the store again.
    fn pause(&self, dispatcher: &Dispatcher) -> Duration {
        let third = dispatcher.census.lease() / 3;
        let ask_again = dispatcher.ask_every(ASK_AGAIN);
        match &self.latest {
            Some(execution) if execution.state.status == Status::Waiting => {
                let now = dispatcher.store.now();
                let due = execution.state.due.map_or(ask_again, |due| due.since(now));
                due.clamp(Duration::from_millis(1), ask_again)
            }
            Some(execution) if execution.state.instance == Some(dispatcher.census.me()) => third,
            Some(_) => ask_again,
            None => third,
        }
    }

    /// The wait is over.
    fn over(self, asked: &Asked) -> Error {
        let begun = self.has_begun();
        match (self.latest, self.unrecorded) {
            (Some(execution), Some(why)) => Error::unrecorded(&execution, &why),
            (Some(execution), None) => Error::in_progress(&execution),
            (None, _) if begun => not_ended(None, &asked.identity),
            (None, _) => Error::new(
                ErrorKind::StoreUnavailable,
                "nothing was started: the store did not answer within the wait",
            ),
        }
    }
}

/// The store will not answer again in this process.
pub(super) const fn is_lasting(error: &StoreError) -> bool {
    matches!(error, StoreError::Stopped(_) | StoreError::Closed)
}

/// `found` is the end, not a success, of the round that `before` saw under way.
fn is_end_of(before: &Execution, found: &Execution) -> bool {
    let under_way = matches!(before.state.status, Status::Running | Status::Waiting);
    let ended = matches!(found.state.status, Status::Failed | Status::Parked | Status::InDoubt);
    under_way && ended && before.state.round == found.state.round
}
