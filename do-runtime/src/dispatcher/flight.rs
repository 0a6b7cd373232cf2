//! Single flight: where calls of one key meet within a process.
//!
//! A flight stands for one execution as long as somebody pursues it or waits for it here. At most
//! one pilot pursues it at a time: claim, attempt, outcome, on a task of its own, so that a caller
//! that goes away stops nothing. Everybody else has a seat and hears the news. A success that was
//! run here was *executed* by exactly one seat: the one that began, if it still waits, else the one
//! that sent the last pilot.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::error::Error;
use crate::record::{Execution, Identity, Status};

/// The latest that is known of the execution a flight pursues.
#[derive(Debug, Clone)]
pub(crate) enum News {
    /// Nothing yet.
    Quiet,
    /// The claim was sent and its fate is not known.
    ClaimUnknown,
    /// The attempt runs.
    Running(Arc<Execution>),
    /// The effect may be there and its outcome cannot be written yet.
    Unrecorded(Arc<Execution>, Arc<str>),
    /// A pursuit is over. Each seat that was taken then hears it.
    Landed(Landing),
}

/// How a pursuit ended.
#[derive(Debug, Clone)]
pub(crate) enum Landing {
    /// It ran no attempt, or one that is no longer the one that counts: ask the store.
    AskAgain,
    /// It ran an attempt, and this came of it, executed by that seat.
    Ran(Arc<Execution>, Option<SeatId>),
    /// It could not be pursued.
    Broken(Error),
}

impl Landing {
    /// An attempt ran and nothing goes on by itself.
    fn is_end(&self) -> bool {
        matches!(self, Self::Ran(execution, _) if execution.state.status != Status::Waiting)
    }
}

/// A seat's number within the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SeatId(u64);

/// All flights of a process.
#[derive(Debug)]
pub(crate) struct Flights {
    inner: Mutex<Inner>,
    per_key: usize,
    in_all: usize,
    piloted: watch::Sender<usize>,
}

#[derive(Debug, Default)]
struct Inner {
    flights: HashMap<Identity, Flight>,
    seats: usize,
    last_seat: u64,
}

#[derive(Debug)]
struct Flight {
    news: watch::Sender<News>,
    piloted: bool,
    seats: Vec<Taken>,
    owner: Option<SeatId>,
}

/// A seat that is taken, and the end that it has not heard of yet: what is said to all may be
/// overtaken by the next word, an end may not.
#[derive(Debug)]
struct Taken {
    id: SeatId,
    end: Option<Landing>,
}

/// A place to hear what becomes of an execution; given back when dropped.
#[derive(Debug)]
pub(crate) struct Seat {
    flights: Arc<Flights>,
    identity: Identity,
    id: SeatId,
    news: watch::Receiver<News>,
}

/// The duty to pursue an execution. The pursuit is over when it is dropped.
#[derive(Debug)]
pub(crate) struct Pilot {
    flights: Arc<Flights>,
    identity: Identity,
    sent_by: Option<SeatId>,
    landing: Option<Landing>,
}

impl Flights {
    /// With limits on the waiters of one key, and of all.
    pub(crate) fn new(per_key: usize, in_all: usize) -> Arc<Self> {
        let piloted = watch::Sender::new(0);
        Arc::new(Self { inner: Mutex::default(), per_key, in_all, piloted })
    }

    /// Takes a seat; none when there are too many waiters.
    pub(crate) fn board(self: &Arc<Self>, identity: &Identity) -> Option<Seat> {
        let mut inner = self.inner();
        if inner.seats >= self.in_all {
            return None;
        }
        let id = SeatId(inner.last_seat + 1);
        let flight = inner.flights.entry(identity.clone()).or_insert_with(Flight::new);
        if flight.seats.len() >= self.per_key {
            return None;
        }
        flight.seats.push(Taken { id, end: None });
        let mut news = flight.news.subscribe();
        // What was said before does not concern a newcomer, unless it goes on.
        if flight.piloted {
            news.mark_changed();
        }
        inner.seats += 1;
        inner.last_seat = id.0;
        Some(Seat { flights: Arc::clone(self), identity: identity.clone(), id, news })
    }

    /// Takes the duty to pursue an execution, for nobody who waits; none if somebody has it.
    pub(crate) fn pursue(self: &Arc<Self>, identity: &Identity) -> Option<Pilot> {
        self.take_off(identity, None)
    }

    /// How many executions are pursued, now and later.
    pub(crate) fn piloted(&self) -> watch::Receiver<usize> {
        self.piloted.subscribe()
    }

    fn take_off(self: &Arc<Self>, identity: &Identity, sent_by: Option<SeatId>) -> Option<Pilot> {
        let mut inner = self.inner();
        let flight = inner.flights.entry(identity.clone()).or_insert_with(Flight::new);
        if flight.piloted {
            return None;
        }
        flight.piloted = true;
        if flight.owner.is_none() {
            flight.owner = sent_by;
        }
        flight.news.send_replace(News::Quiet);
        self.piloted.send_modify(|piloted| *piloted += 1);
        Some(Pilot {
            flights: Arc::clone(self),
            identity: identity.clone(),
            sent_by,
            landing: None,
        })
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Flight {
    fn new() -> Self {
        let news = watch::Sender::new(News::Quiet);
        Self { news, piloted: false, seats: Vec::new(), owner: None }
    }

    fn land(&mut self, landing: Landing) {
        self.piloted = false;
        if landing.is_end() {
            self.owner = None;
        }
        for taken in &mut self.seats {
            // The first end is the one that it waits for.
            if !taken.end.as_ref().is_some_and(Landing::is_end) {
                taken.end = Some(landing.clone());
            }
        }
        self.news.send_replace(News::Landed(landing));
    }
}

impl Seat {
    /// This seat's number.
    pub(crate) const fn id(&self) -> SeatId {
        self.id
    }

    /// Takes the duty to pursue; none if somebody has it.
    pub(crate) fn pilot(&self) -> Option<Pilot> {
        self.flights.take_off(&self.identity, Some(self.id))
    }

    /// Whether somebody pursues it here.
    pub(crate) fn is_piloted(&self) -> bool {
        self.flights.inner().flights.get(&self.identity).is_some_and(|flight| flight.piloted)
    }

    /// The next news. Never ends while the seat is taken and nothing happens.
    pub(crate) async fn news(&mut self) -> News {
        loop {
            if let Some(end) = self.end() {
                return News::Landed(end);
            }
            if self.news.changed().await.is_err() {
                return News::Landed(Landing::AskAgain);
            }
            let news = self.news.borrow_and_update().clone();
            // An end that came before this word is heard first, and only at the seat.
            if let Some(end) = self.end() {
                return News::Landed(end);
            }
            if !matches!(news, News::Landed(_)) {
                return news;
            }
        }
    }

    fn end(&self) -> Option<Landing> {
        let mut inner = self.flights.inner();
        let flight = inner.flights.get_mut(&self.identity)?;
        flight.seats.iter_mut().find(|taken| taken.id == self.id)?.end.take()
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut inner = self.flights.inner();
        inner.seats = inner.seats.saturating_sub(1);
        let Some(flight) = inner.flights.get_mut(&self.identity) else { return };
        flight.seats.retain(|taken| taken.id != self.id);
        if flight.owner == Some(self.id) {
            flight.owner = None;
        }
        if flight.seats.is_empty() && !flight.piloted {
            inner.flights.remove(&self.identity);
        }
    }
}

impl Pilot {
    /// The execution that is pursued.
    pub(crate) const fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Tells all seats.
    pub(crate) fn tell(&self, news: News) {
        if let Some(flight) = self.flights.inner().flights.get(&self.identity) {
            flight.news.send_replace(news);
        }
    }

    /// An attempt ran, and this came of it.
    pub(crate) fn ran(mut self, execution: Arc<Execution>) {
        let owner = self.flights.inner().flights.get(&self.identity).and_then(|f| f.owner);
        self.landing = Some(Landing::Ran(execution, owner.or(self.sent_by)));
    }

    /// No attempt that counts ran here: whoever waits asks the store again.
    pub(crate) fn ask_again(mut self) {
        self.landing = Some(Landing::AskAgain);
    }

    /// It could not be pursued.
    pub(crate) fn broken(mut self, error: Error) {
        self.landing = Some(Landing::Broken(error));
    }
}

impl Drop for Pilot {
    /// Lands. A pursuit that was cut short says so to whoever waits.
    fn drop(&mut self) {
        let landing = self.landing.take().unwrap_or_else(|| Landing::Broken(Error::interrupted()));
        {
            let mut inner = self.flights.inner();
            if let Some(flight) = inner.flights.get_mut(&self.identity) {
                flight.land(landing);
                if flight.seats.is_empty() {
                    inner.flights.remove(&self.identity);
                }
            }
        }
        self.flights.piloted.send_modify(|piloted| *piloted = piloted.saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::{Fingerprint, Key, KeyFields};
    use crate::policy::Class;
    use crate::record::{Claim, Event, InstanceId, Request, RowId, Token};

    fn identity() -> Identity {
        let fields = KeyFields::caller("k").unwrap();
        Identity::new("s", "a", Key::derived("s", "a", 1, &fields))
    }

    fn parked(text: &str) -> Arc<Execution> {
        let at = crate::clock::Timestamp::from_unix_ms(0);
        let fields = KeyFields::caller("k").unwrap();
        let request = Request::new(1, fields, Fingerprint::new([0; 16], &[]), None);
        let claim =
            Claim::new(Token::from_bytes([1; 16]), InstanceId::from_bytes([1; 16]), Class::Once);
        let event = Event::Claimed(claim);
        let begun = Execution::begin(RowId(1), identity(), request, &event, at).unwrap();
        let failure = crate::failure::FailureRecord::new(text);
        Arc::new(begun.apply(&Event::Parked { failure, ran: true }, None, at).unwrap())
    }

    #[tokio::test]
    async fn an_end_is_heard_though_the_next_pursuit_has_begun() {
        let flights = Flights::new(9, 9);
        let mut first = flights.board(&identity()).unwrap();
        first.pilot().unwrap().ran(parked("one"));
        let mut second = flights.board(&identity()).unwrap();
        let pilot = second.pilot().unwrap();
        pilot.tell(News::ClaimUnknown);
        pilot.ran(parked("two"));
        for (seat, text) in [(&mut first, "one"), (&mut second, "two")] {
            let News::Landed(Landing::Ran(execution, by)) = seat.news().await else {
                panic!("not the end")
            };
            assert_eq!(execution.state.failure.as_ref().unwrap().message, text);
            assert_eq!(by, Some(seat.id()), "each executed its own");
        }
    }

    #[tokio::test]
    async fn a_newcomer_hears_of_what_goes_on_and_not_of_what_is_over() {
        let flights = Flights::new(9, 9);
        let first = flights.board(&identity()).unwrap();
        first.pilot().unwrap().ran(parked("one"));
        let mut late = flights.board(&identity()).unwrap();
        assert!(!late.is_piloted());
        let pilot = first.pilot().unwrap();
        pilot.tell(News::ClaimUnknown);
        assert!(late.is_piloted());
        assert!(matches!(late.news().await, News::ClaimUnknown));
        let mut later = flights.board(&identity()).unwrap();
        assert!(matches!(later.news().await, News::ClaimUnknown));
        drop(pilot);
        for seat in [&mut late, &mut later] {
            assert!(matches!(seat.news().await, News::Landed(Landing::Broken(_))));
        }
    }

    #[test]
    fn seats_have_limits_and_are_given_back() {
        let flights = Flights::new(2, 3);
        let other = Identity::new("other", "a", identity().key);
        let first = flights.board(&identity()).unwrap();
        let _second = flights.board(&identity()).unwrap();
        assert!(flights.board(&identity()).is_none(), "two of one key");
        let _third = flights.board(&other).unwrap();
        assert!(flights.board(&other).is_none(), "three in all");
        drop(first);
        assert!(flights.board(&other).is_some());
    }
}
