//! The only place that reads time: a clock that can be put in another's place.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// An instant in milliseconds since 1970 UTC, saturating at both ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The instant that many milliseconds after 1970 UTC.
    #[must_use]
    pub const fn from_unix_ms(ms: i64) -> Self {
        Self(ms)
    }

    /// Milliseconds since 1970 UTC.
    #[must_use]
    pub const fn unix_ms(self) -> i64 {
        self.0
    }

    /// The instant that much later, or the last one there is.
    #[must_use]
    pub fn plus(self, gap: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(gap.as_millis()).unwrap_or(i64::MAX)))
    }

    /// How long after `earlier` this is; zero when it is not after it.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        let ms = self.0.saturating_sub(earlier.0);
        Duration::from_millis(u64::try_from(ms).unwrap_or(0))
    }
}

impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Self {
        match time.duration_since(UNIX_EPOCH) {
            Ok(after) => Self(0).plus(after),
            Err(before) => {
                let ms = i64::try_from(before.duration().as_millis()).unwrap_or(i64::MAX);
                Self(ms.saturating_neg())
            }
        }
    }
}

/// `2026-11-30T13:28:01.000Z`.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let days = self.0.div_euclid(86_400_000);
        let ms = self.0.rem_euclid(86_400_000);
        let (year, month, day) = civil_date(days);
        let (hours, minutes) = (ms / 3_600_000, ms / 60_000 % 60);
        let (seconds, ms) = (ms / 1000 % 60, ms % 1000);
        write!(f, "{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}.{ms:03}Z")
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Year, month and day of a number of days since 1970, by the proleptic Gregorian calendar:
/// years begin in March, so that the leap day is the last of its year.
fn civil_date(days: i64) -> (i64, i64, i64) {
    const DAYS_PER_ERA: i64 = 146_097;
    let days = days + 719_468;
    let era = days.div_euclid(DAYS_PER_ERA);
    let day_of_era = days.rem_euclid(DAYS_PER_ERA);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

/// A wait that a clock gives.
pub type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Where the runtime and its store take time from.
pub trait Clock: fmt::Debug + Send + Sync + 'static {
    /// Wall-clock time. It may jump.
    fn now(&self) -> Timestamp;

    /// Time since some fixed point, which never goes back.
    fn monotonic(&self) -> Duration;

    /// Ends once `gap` has passed on the monotonic clock.
    fn sleep(&self, gap: Duration) -> Sleep;

    /// Goes on by itself, so that a thread may wait by the machine's time. False for a clock that
    /// is moved by hand.
    fn is_real(&self) -> bool {
        true
    }
}

/// The machine's clock; waits go through tokio.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct SystemClock {
    start: tokio::time::Instant,
}

impl SystemClock {
    /// The machine's clock.
    #[must_use]
    pub fn new() -> Self {
        Self { start: tokio::time::Instant::now() }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the wall clock")]
    fn now(&self) -> Timestamp {
        SystemTime::now().into()
    }

    fn monotonic(&self) -> Duration {
        self.start.elapsed()
    }

    #[expect(clippy::disallowed_methods, reason = "the one place that waits")]
    fn sleep(&self, gap: Duration) -> Sleep {
        Box::pin(tokio::time::sleep(gap))
    }
}

/// Blocks this thread, by the machine's clock: for threads of our own, never in a future.
#[cfg(any(test, feature = "sqlite", feature = "testing"))]
pub(crate) fn block(gap: Duration) {
    std::thread::sleep(gap);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_utc() {
        for (ms, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_796_040_000_123, "2026-11-30T12:00:00.123Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(Timestamp::from_unix_ms(ms).to_string(), text);
        }
    }

    #[test]
    fn saturates() {
        let last = Timestamp::from_unix_ms(i64::MAX);
        assert_eq!(last.plus(Duration::MAX), last);
        assert_eq!(Timestamp::from_unix_ms(5).since(last), Duration::ZERO);
        assert!(!last.to_string().is_empty());
    }
}
