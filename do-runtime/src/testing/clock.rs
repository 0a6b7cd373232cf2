//! A clock that stands still until a test moves it.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use crate::clock::{Clock, Sleep, Timestamp};

/// A clock that a test moves by hand; clones are one clock.
///
/// It begins at 2026-01-01 12:00 UTC, so that a test reads the same on every day.
#[derive(Debug, Clone)]
pub struct ManualClock {
    hands: Arc<Mutex<Hands>>,
}

impl ManualClock {
    /// A clock at [`ManualClock::START`].
    #[must_use]
    pub fn new() -> Self {
        Self::at(Self::START)
    }

    /// When a clock begins.
    pub const START: Timestamp = Timestamp::from_unix_ms(1_767_268_800_000);

    /// A clock at that time.
    #[must_use]
    pub fn at(wall: Timestamp) -> Self {
        let hands =
            Hands { wall, monotonic: Duration::ZERO, sleepers: BTreeMap::new(), registered: 0 };
        Self { hands: Arc::new(Mutex::new(hands)) }
    }

    /// Moves both hands on, and wakes whoever slept until then, the earliest first.
    ///
    /// A woken task runs when its runtime lets it, so it reads the time after the whole advance.
    pub fn advance(&self, gap: Duration) {
        let woken = self.hands().advance(gap);
        woken.into_iter().for_each(Waker::wake);
    }

    /// Moves on to the end of the shortest sleep there is, and says how far that was; none when
    /// nobody sleeps.
    pub fn advance_to_next(&self) -> Option<Duration> {
        let (gap, woken) = {
            let mut hands = self.hands();
            let (deadline, _) = *hands.sleepers.keys().next()?;
            let gap = deadline.saturating_sub(hands.monotonic);
            (gap, hands.advance(gap))
        };
        woken.into_iter().for_each(Waker::wake);
        Some(gap)
    }

    /// Runs a future to its end, moving on to the next sleep's end whenever nothing else can go
    /// on. Days pass in an instant. For the memory store on a runtime of one thread: what another
    /// thread does takes no time of this clock.
    pub async fn run<F: Future>(&self, future: F) -> F::Output {
        let mut future = std::pin::pin!(future);
        loop {
            for _ in 0..Self::TURNS {
                tokio::select! {
                    biased;
                    output = &mut future => return output,
                    () = tokio::task::yield_now() => {}
                }
            }
            self.advance_to_next();
        }
    }

    /// How often other tasks get their turn before the clock is moved.
    const TURNS: usize = 50;

    /// Moves the wall clock alone, by that many milliseconds: what an administrator does, or NTP.
    /// Nobody is woken.
    pub fn jump(&self, by_ms: i64) {
        let mut hands = self.hands();
        hands.wall = Timestamp::from_unix_ms(hands.wall.unix_ms().saturating_add(by_ms));
    }

    /// How many sleep now.
    #[must_use]
    pub fn sleepers(&self) -> usize {
        self.hands().sleepers.len()
    }

    fn hands(&self) -> MutexGuard<'_, Hands> {
        // No code of others runs under this lock, so its state is whole.
        self.hands.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for ManualClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        self.hands().wall
    }

    fn monotonic(&self) -> Duration {
        self.hands().monotonic
    }

    fn sleep(&self, gap: Duration) -> Sleep {
        let place = self.hands().register(gap);
        Box::pin(Sleeper { clock: self.clone(), place })
    }

    fn is_real(&self) -> bool {
        false
    }
}

/// The end of a sleep by the monotonic hand, and a number that tells two sleeps apart.
type Place = (Duration, u64);

#[derive(Debug)]
struct Hands {
    wall: Timestamp,
    monotonic: Duration,
    sleepers: BTreeMap<Place, Option<Waker>>,
    registered: u64,
}

impl Hands {
    fn register(&mut self, gap: Duration) -> Place {
        self.registered += 1;
        let place = (self.monotonic.saturating_add(gap), self.registered);
        if !gap.is_zero() {
            self.sleepers.insert(place, None);
        }
        place
    }

    /// Moves the hands; gives those to wake, in the order of their sleeps' ends.
    fn advance(&mut self, gap: Duration) -> Vec<Waker> {
        self.wall = self.wall.plus(gap);
        self.monotonic = self.monotonic.saturating_add(gap);
        let later = self.sleepers.split_off(&(self.monotonic, u64::MAX));
        std::mem::replace(&mut self.sleepers, later).into_values().flatten().collect()
    }
}

/// One sleep; it leaves the clock when it is dropped.
#[derive(Debug)]
struct Sleeper {
    clock: ManualClock,
    place: Place,
}

impl Future for Sleeper {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        // A waker is the runtime's code, so it is made and destroyed outside the lock.
        let new = context.waker().clone();
        let old = match self.clock.hands().sleepers.get_mut(&self.place) {
            Some(waker) => waker.replace(new),
            None => return Poll::Ready(()),
        };
        drop(old);
        Poll::Pending
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        let removed = self.clock.hands().sleepers.remove(&self.place);
        drop(removed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Wake;

    use super::*;

    struct Bell {
        order: Arc<AtomicUsize>,
        rung_as: AtomicUsize,
    }

    impl Wake for Bell {
        fn wake(self: Arc<Self>) {
            let number = self.order.fetch_add(1, Ordering::Relaxed) + 1;
            self.rung_as.store(number, Ordering::Relaxed);
        }
    }

    #[test]
    fn wakes_sleepers_in_order_and_only_those_whose_time_has_come() {
        let clock = ManualClock::new();
        let order = Arc::new(AtomicUsize::new(0));
        let mut sleeps: Vec<_> = [30, 10, 20, 10, 40]
            .into_iter()
            .map(|seconds| {
                let bell =
                    Arc::new(Bell { order: Arc::clone(&order), rung_as: AtomicUsize::new(0) });
                let mut sleep = clock.sleep(Duration::from_secs(seconds));
                let waker = Waker::from(Arc::clone(&bell));
                assert!(sleep.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
                (sleep, bell)
            })
            .collect();
        clock.advance(Duration::from_secs(30));
        let rung: Vec<_> =
            sleeps.iter().map(|(_, bell)| bell.rung_as.load(Ordering::Relaxed)).collect();
        assert_eq!(rung, [4, 1, 3, 2, 0]);
        let mut context = Context::from_waker(Waker::noop());
        for (at, (sleep, _)) in sleeps.iter_mut().enumerate() {
            assert_eq!(sleep.as_mut().poll(&mut context).is_ready(), at < 4);
        }
        assert_eq!(clock.sleepers(), 1);
        assert_eq!(clock.advance_to_next(), Some(Duration::from_secs(10)));
        assert_eq!(clock.advance_to_next(), None);
    }

    #[test]
    fn both_hands_move_together_and_the_wall_clock_jumps_alone() {
        let clock = ManualClock::new();
        let sleep = clock.sleep(Duration::from_secs(1));
        clock.advance(Duration::from_millis(900));
        clock.jump(-7_200_000);
        clock.jump(3_600_000);
        assert_eq!(clock.monotonic(), Duration::from_millis(900));
        let moved = clock.now().unix_ms() - ManualClock::START.unix_ms();
        assert_eq!(moved, 900 - 3_600_000);
        assert_eq!(clock.sleepers(), 1);
        drop(sleep);
        assert_eq!(clock.sleepers(), 0);
    }

    #[tokio::test]
    async fn no_sleep_at_all_ends_at_once() {
        ManualClock::new().sleep(Duration::ZERO).await;
    }
}
