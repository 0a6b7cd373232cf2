//! The model: a run of steps on the store under test and on [`Memory`], which must agree.
//!
//! Instants are compared in whole minutes since the first execution, so that a store may have a
//! clock of its own; gaps and advances are chosen so that nothing becomes due at the very minute
//! at which it is asked for.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use super::Harness;
use super::subject::{
    ACTION, HOUR, MINUTE, SCOPE, author, check_history, claimed_by, due_on, failure, identity,
    instance, request, request_with, value,
};
use crate::audit::StateEntry;
use crate::clock::Timestamp;
use crate::key::node_of;
use crate::policy::Class;
use crate::record::{Claim, Due, Event, Execution, Resolved, RowId, Token};
use crate::store::memory::Memory;
use crate::store::{Change, Claimed, Filter, KeyField, NewExecution, Recorded, Store, StoreError};
use crate::testing::ManualClock;

/// One step of a run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Step {
    /// A first event for this user's execution, if there is none.
    Begin {
        /// The user.
        user: u8,
        /// Claimed or submitted.
        event: Event,
    },
    /// An event on the execution as it was last seen, or as it was seen so many answers ago.
    Record {
        /// The user.
        user: u8,
        /// The event.
        event: Event,
        /// Answers since; 0 is the last.
        ago: usize,
        /// With another request.
        other_request: bool,
    },
    /// Both clocks move on.
    Advance(Duration),
    /// A pruner comes by.
    Prune,
    /// An instance renews its lease.
    Heartbeat(u8),
    /// The store under test is closed and opened again.
    Reopen,
}

impl Step {
    /// A step out of a random number; users are 0 to `users` - 1.
    #[must_use]
    pub fn of(random: u64, users: u8) -> Self {
        let mut dice = Dice(random);
        let user = dice.below(users.into());
        let user = u8::try_from(user).unwrap_or(0);
        match dice.below(20) {
            0..3 => Self::Begin { user, event: dice.first_event() },
            3..15 => {
                let event = dice.event();
                let ago = if dice.below(6) == 0 { dice.below(4) } else { 0 };
                let takes_one = matches!(event, Event::Claimed(_) | Event::Submitted { .. });
                Self::Record { user, event, ago, other_request: takes_one && dice.below(3) == 0 }
            }
            15..17 => Self::Advance(MINUTE * 10 * dice.count(1, 30)),
            17 => Self::Prune,
            18 => Self::Heartbeat(dice.byte(1, 5)),
            _ => Self::Reopen,
        }
    }
}

/// Takes the steps on a store of the harness and on a [`Memory`], and compares every answer.
///
/// # Panics
/// When they differ.
pub async fn compare(harness: &dyn Harness, steps: impl IntoIterator<Item = Step>) {
    let clock = ManualClock::new();
    let memory = Memory::new(Arc::new(clock.clone()));
    let store = harness.open().await.expect("the store opens");
    let mut both = Both { store, memory, origins: None, seen: HashMap::new() };
    for (number, step) in steps.into_iter().enumerate() {
        match &step {
            Step::Begin { user, event } => both.begin(*user, event).await,
            Step::Record { user, event, ago, other_request } => {
                both.record(*user, event, *ago, *other_request).await;
            }
            Step::Advance(gap) => {
                clock.advance(*gap);
                harness.advance(*gap);
            }
            Step::Prune => both.prune().await,
            Step::Heartbeat(number) => both.heartbeat(*number).await,
            Step::Reopen => {
                both.store.close().await.expect("the store closes");
                both.store = harness.open().await.expect("the store opens again");
            }
        }
        if number % 64 == 0 {
            both.compare_all(harness).await;
        }
    }
    both.compare_all(harness).await;
}

pub(super) async fn it_follows_the_model(harness: &dyn Harness) {
    let mut dice = Dice(2026);
    compare(harness, (0..3000).map(|_| Step::of(dice.next(), 40))).await;
}

/// An execution as both stores gave it.
type Pair = (Arc<Execution>, Arc<Execution>);

struct Both {
    store: Arc<dyn Store>,
    memory: Memory,
    /// When the first execution was created, by each store's clock.
    origins: Option<(Timestamp, Timestamp)>,
    seen: HashMap<u8, Vec<Pair>>,
}

fn name(user: u8) -> String {
    format!("user {user}")
}

impl Both {
    async fn begin(&mut self, user: u8, event: &Event) {
        let name = name(user);
        let claim = NewExecution::new(identity(&name), request(&name), event.clone(), author());
        let answers = (self.store.claim(claim.clone()).await, self.memory.claim(claim).await);
        match answers {
            (Ok(Claimed::Granted(one)), Ok(Claimed::Granted(other))) => {
                self.origins.get_or_insert((one.created, other.created));
                self.saw(user, (one, other));
            }
            (Ok(Claimed::Existing(one)), Ok(Claimed::Existing(other))) => {
                self.saw(user, (one, other));
            }
            (one, other) => panic!("claims differ: {one:?} and {other:?}"),
        }
    }

    async fn record(&mut self, user: u8, event: &Event, ago: usize, other_request: bool) {
        let Some(seen) = self.seen.get(&user) else { return };
        let Some(at) = seen.len().checked_sub(1 + ago) else { return };
        let (one, other) = seen[at].clone();
        let change = |before| {
            let change = Change::new(before, event.clone(), author());
            if other_request { change.request(request_with(&name(user), "other")) } else { change }
        };
        let answers =
            (self.store.record(change(one)).await, self.memory.record(change(other)).await);
        match answers {
            (Ok(Recorded::Done(one)), Ok(Recorded::Done(other)))
            | (Ok(Recorded::Lost(one)), Ok(Recorded::Lost(other))) => self.saw(user, (one, other)),
            (Err(StoreError::NotAllowed(one)), Err(StoreError::NotAllowed(other))) => {
                assert_eq!(one, other);
            }
            (one, other) => panic!("{} differs: {one:?} and {other:?}", event.word()),
        }
    }

    async fn prune(&self) {
        let pruned = self.store.prune(author(), 1000).await;
        assert_eq!(pruned, self.memory.prune(author(), 1000).await);
    }

    async fn heartbeat(&self, number: u8) {
        let lease = MINUTE * 25;
        let overs = async |store: &dyn Store| {
            let seen = store.heartbeat(instance(number), lease).await.expect("it is renewed");
            let mut overs: Vec<_> = seen.iter().map(|seen| (seen.instance, seen.over)).collect();
            overs.sort_unstable();
            overs
        };
        let (told, known) = (overs(&*self.store).await, overs(&self.memory).await);
        // A store that knows who is dead may forget those.
        assert!(told.iter().all(|one| known.contains(one)), "{told:?} and {known:?}");
        assert!(told.contains(&(instance(number), false)), "{told:?}");
    }

    fn saw(&mut self, user: u8, pair: Pair) {
        assert_eq!(self.plain(&pair.0, false), self.plain(&pair.1, true));
        self.seen.entry(user).or_default().push(pair);
    }

    /// The execution without what stores may choose: its row, and the origin of time.
    fn plain(&self, execution: &Execution, of_memory: bool) -> Execution {
        let at = |time| self.minutes(time, of_memory);
        let mut plain = execution.clone();
        plain.row = RowId(0);
        plain.created = at(plain.created);
        plain.changed = at(plain.changed);
        let state = &mut plain.state;
        state.round_began = state.round_began.map(at);
        state.due = state.due.map(at);
        state.ended = state.ended.map(at);
        state.keep_until = state.keep_until.map(at);
        if let Some(end) = &mut state.last_end {
            end.at = at(end.at);
        }
        plain
    }

    fn minutes(&self, time: Timestamp, of_memory: bool) -> Timestamp {
        let Some((one, other)) = self.origins else { return time };
        let origin = if of_memory { other } else { one };
        let since = time.unix_ms().saturating_sub(origin.unix_ms()).saturating_add(30_000);
        Timestamp::from_unix_ms(since.div_euclid(60_000))
    }

    async fn compare_all(&self, harness: &dyn Harness) {
        harness.settled().await;
        let (one, other) = (self.everything(false).await, self.everything(true).await);
        assert_eq!(one, other);
    }

    async fn everything(&self, of_memory: bool) -> Everything {
        let store: &dyn Store = if of_memory { &self.memory } else { &*self.store };
        let plain = |executions: &[Arc<Execution>]| -> Vec<Execution> {
            executions.iter().map(|execution| self.plain(execution, of_memory)).collect()
        };
        let page = store.list(Filter::default().limit(1000)).await.expect("it lists");
        let mut histories = Vec::new();
        for execution in &page.executions {
            let mut entries = store.history(execution.row).await.expect("it has a history");
            check_history(execution, &entries);
            for entry in &mut entries {
                entry.at = self.minutes(entry.at, of_memory);
            }
            histories.push(entries);
        }
        let due = store.due(due_on(&[1, 3])).await.expect("the due are read");
        let mut found = Vec::new();
        for (field, value) in [("kind", "welcome"), ("user", "user 1")] {
            let node = node_of(value).expect("a text can be part of a key");
            let wanted = KeyField::new(SCOPE.into(), ACTION.into(), field.into(), node, 1000);
            found.push(plain(&store.find(wanted).await.expect("it finds")));
        }
        Everything {
            executions: plain(&page.executions),
            histories,
            due: plain(&due.executions),
            next_due: due.next_due.map(|due| self.minutes(due, of_memory)),
            found,
        }
    }
}

#[derive(Debug, PartialEq)]
struct Everything {
    executions: Vec<Execution>,
    histories: Vec<Vec<StateEntry>>,
    due: Vec<Execution>,
    next_due: Option<Timestamp>,
    found: Vec<Vec<Execution>>,
}

/// Splitmix64: a few random numbers without a dependency.
struct Dice(u64);

impl Dice {
    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound.max(1)).unwrap_or(1);
        usize::try_from(self.next() % bound).unwrap_or(0)
    }

    fn byte(&mut self, from: u8, to: u8) -> u8 {
        u8::try_from(self.below(usize::from(to - from) + 1)).unwrap_or(0) + from
    }

    fn count(&mut self, from: u32, to: u32) -> u32 {
        u32::from(self.byte(u8::try_from(from).unwrap_or(0), u8::try_from(to).unwrap_or(0)))
    }

    fn coin(&mut self) -> bool {
        self.next().is_multiple_of(2)
    }

    /// An odd number of five minutes; clocks move by ten.
    fn gap(&mut self) -> Duration {
        MINUTE * (5 + 10 * self.count(0, 12))
    }

    fn keep(&mut self) -> Option<Duration> {
        (self.below(3) > 0).then(|| self.gap())
    }

    fn class(&mut self) -> Class {
        [Class::Transaction, Class::Repeatable, Class::Check, Class::Once][self.below(4)]
    }

    fn claimed(&mut self) -> Event {
        if self.coin() {
            return claimed_by(self.byte(1, 200), self.byte(1, 4));
        }
        let token = Token::from_bytes([self.byte(1, 200); 16]);
        Event::Claimed(Claim::new(token, instance(self.byte(1, 4)), self.class()))
    }

    fn first_event(&mut self) -> Event {
        if self.coin() {
            return self.claimed();
        }
        Event::Submitted { class: self.class(), due: Due::After(self.gap()) }
    }

    fn event(&mut self) -> Event {
        let value = value(&self.below(1000).to_string());
        let failure = failure(&format!("failure {}", self.below(1000)));
        match self.below(20) {
            0..5 => self.claimed(),
            5 => Event::Submitted { class: self.class(), due: Due::After(self.gap()) },
            6 => Event::NotThere,
            7 => Event::Succeeded { value, found: self.coin(), keep: self.keep() },
            8 => Event::Failed { failure, keep: self.gap() },
            9 => Event::RetryLater { failure: None, unknown: self.coin(), gap: self.gap() },
            10 => Event::AskLater { failure: self.coin().then_some(failure), gap: self.gap() },
            11 => Event::Released,
            12 => Event::Parked { failure, ran: self.coin() },
            13 => Event::Doubted { failure, permanent: self.coin(), ran: self.coin() },
            14 => Event::LateFailure { failure },
            15 | 16 => Event::Died { known: self.coin() },
            17 => Event::Retried,
            18 => [Event::Pruned, Event::Expired, Event::Forgotten][self.below(3)].clone(),
            _ => Event::Resolved(match self.below(3) {
                0 => Resolved::Succeeded { value, keep: self.keep() },
                1 => Resolved::Failed { failure, keep: HOUR + self.gap() },
                _ => Resolved::NotDone,
            }),
        }
    }
}
