//! Fault points: named places in the runtime at which a test steps in.
//!
//! The runtime names a place with `fault!("post_claim")`, which is nothing unless the feature
//! `testing` is on. A test in the same process arms it:
//!
//! ```
//! use do_runtime::testing::fault::{Faults, Strike};
//!
//! let faults = Faults::on_this_thread();
//! faults.arm("post_claim", 2, Strike::Panic);
//! // … the second claim from here on panics; a point that is never hit fails the test.
//! # std::mem::forget(faults);
//! ```
//!
//! A test of another process gives it the environment variable `DO_FAULT=post_claim:2=abort`
//! (several with commas between them; `abort`, `kill`, `stop`, `exit`, `err`, `panic`, `delay` or
//! `delay(250)` milliseconds), and finds each hit as a line in the file that `DO_FAULT_LOG` names:
//! a point that has no line was never hit. [`points`] lists all there are.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::ThreadId;
use std::time::Duration;

/// What happens at a point.
#[derive(Clone)]
#[non_exhaustive]
pub enum Strike {
    /// The process ends at once, like a crash.
    Abort,
    /// The process is killed (`SIGKILL`).
    Kill,
    /// The process stops until somebody continues it (`SIGSTOP`).
    Stop,
    /// The process exits with [`EXIT_CODE`], without destructors.
    Exit,
    /// The thread sleeps.
    Delay(Duration),
    /// A point that can fail fails.
    Fail,
    /// The point panics.
    Panic,
    /// This is run.
    Run(Arc<dyn Fn() + Send + Sync>),
}

impl fmt::Debug for Strike {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Abort => f.write_str("Abort"),
            Self::Kill => f.write_str("Kill"),
            Self::Stop => f.write_str("Stop"),
            Self::Exit => f.write_str("Exit"),
            Self::Delay(gap) => f.debug_tuple("Delay").field(gap).finish(),
            Self::Fail => f.write_str("Fail"),
            Self::Panic => f.write_str("Panic"),
            Self::Run(_) => f.write_str("Run"),
        }
    }
}

/// How a process ends that a point made exit.
pub const EXIT_CODE: i32 = 86;

/// The faults of one test; dropping it disarms them.
///
/// # Panics
/// Dropping panics when an armed point was not hit often enough, unless a panic is under way.
#[derive(Debug)]
pub struct Faults {
    thread: Option<ThreadId>,
    number: u64,
    /// Tests that strike on every thread of the process take turns.
    _turn: Option<MutexGuard<'static, ()>>,
}

impl Faults {
    /// Strikes on any thread. Other such tests of this process wait; tests that use no faults do
    /// not, so what they do counts as hits, too.
    #[must_use]
    pub fn everywhere() -> Self {
        static TURN: Mutex<()> = Mutex::new(());
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        Self { thread: None, number: registry().next_number(), _turn: Some(turn) }
    }

    /// Strikes on this thread only, so that tests do not disturb each other: for a runtime of one
    /// thread, and for points that no store's own thread passes.
    #[must_use]
    pub fn on_this_thread() -> Self {
        let thread = std::thread::current().id();
        Self { thread: Some(thread), number: registry().next_number(), _turn: None }
    }

    /// Strikes at the `nth` hit of that point from now on; 1 is the next.
    pub fn arm(&self, point: &'static str, nth: u64, strike: Strike) {
        let left = nth.max(1);
        let armed = Armed { of: Some(self.number), thread: self.thread, point, left, strike };
        registry().armed.push(armed);
    }

    /// Whether nothing is armed any more.
    #[must_use]
    pub fn all_struck(&self) -> bool {
        registry().armed.iter().all(|armed| armed.of != Some(self.number))
    }
}

impl Drop for Faults {
    fn drop(&mut self) {
        let of_mine = |armed: &mut Armed| armed.of == Some(self.number);
        let unhit: Vec<Armed> = registry().armed.extract_if(.., of_mine).collect();
        if !std::thread::panicking() {
            assert!(unhit.is_empty(), "fault points that were not hit: {unhit:?}");
        }
    }
}

/// The name of a point in the code. Made by the macro.
#[derive(Debug)]
pub struct Point(&'static str);

inventory::collect!(Point);

impl Point {
    #[doc(hidden)]
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self(name)
    }
}

/// The names of all points that are compiled in, sorted.
#[must_use]
pub fn points() -> Vec<&'static str> {
    let mut names: Vec<&str> = inventory::iter::<Point>().map(|point| point.0).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// How often each point was hit in this process, by any thread.
#[must_use]
pub fn hits() -> BTreeMap<&'static str, u64> {
    registry().hits.clone()
}

/// A point that cannot fail was reached.
///
/// # Panics
/// When a strike says so, or asks it to fail.
pub fn hit(point: &'static str) {
    assert!(!fails(point), "the fault point `{point}` has no way to fail");
}

/// A point was reached; whether it must fail.
///
/// # Panics
/// When a strike says so.
#[must_use]
pub fn fails(point: &'static str) -> bool {
    let mut fails = false;
    // Strikes are taken out first: what they run may hit points again.
    let strikes = registry().hit(point);
    for strike in strikes {
        match strike {
            Strike::Abort => std::process::abort(),
            Strike::Kill => signal("-KILL"),
            Strike::Stop => signal("-STOP"),
            Strike::Exit => std::process::exit(EXIT_CODE),
            Strike::Delay(gap) => crate::clock::block(gap),
            Strike::Fail => fails = true,
            Strike::Panic => panic!("the fault point `{point}` was struck"),
            Strike::Run(run) => run(),
        }
    }
    fails
}

#[derive(Debug)]
struct Armed {
    /// Whose; none: the environment's.
    of: Option<u64>,
    /// Where; none: on every thread.
    thread: Option<ThreadId>,
    point: &'static str,
    left: u64,
    strike: Strike,
}

#[derive(Debug, Default)]
struct Registry {
    hits: BTreeMap<&'static str, u64>,
    armed: Vec<Armed>,
    log: Option<std::fs::File>,
    numbers: u64,
}

fn registry() -> MutexGuard<'static, Registry> {
    static REGISTRY: OnceLock<Mutex<Registry>> = OnceLock::new();
    let registry = REGISTRY.get_or_init(|| Mutex::new(Registry::of_environment()));
    registry.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Registry {
    fn of_environment() -> Self {
        let armed = match std::env::var("DO_FAULT") {
            Ok(text) => match parse(&text) {
                Some(armed) => armed,
                None => panic!("DO_FAULT takes name:n=strike, and not `{text}`"),
            },
            Err(_) => Vec::new(),
        };
        let log = std::env::var_os("DO_FAULT_LOG").map(|path| {
            let file = std::fs::File::options().create(true).append(true).open(path);
            file.unwrap_or_else(|error| panic!("DO_FAULT_LOG cannot be written: {error}"))
        });
        Self { armed, log, ..Self::default() }
    }

    const fn next_number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    fn hit(&mut self, point: &'static str) -> Vec<Strike> {
        *self.hits.entry(point).or_default() += 1;
        if let Some(log) = &mut self.log {
            // One write for the line: processes that share the file do not mix their lines.
            let written = log.write_all(format!("{point}\n").as_bytes());
            assert!(written.is_ok(), "DO_FAULT_LOG cannot be written: {written:?}");
        }
        let here = std::thread::current().id();
        let strikes = |armed: &mut Armed| {
            let concerned =
                armed.point == point && armed.thread.is_none_or(|thread| thread == here);
            armed.left -= u64::from(concerned);
            concerned && armed.left == 0
        };
        self.armed.extract_if(.., strikes).map(|armed| armed.strike).collect()
    }
}

/// `name:n=strike`, and more of them after commas.
fn parse(text: &str) -> Option<Vec<Armed>> {
    text.split(',')
        .map(|one| {
            let (place, strike) = one.trim().split_once('=')?;
            let (point, nth) = place.rsplit_once(':').unwrap_or((place, "1"));
            let left = nth.parse().ok().filter(|nth| *nth > 0)?;
            let strike = match strike {
                "abort" => Strike::Abort,
                "kill" => Strike::Kill,
                "stop" => Strike::Stop,
                "exit" => Strike::Exit,
                "err" => Strike::Fail,
                "panic" => Strike::Panic,
                "delay" => Strike::Delay(Duration::from_millis(100)),
                delay => {
                    let ms = delay.strip_prefix("delay(")?.strip_suffix(')')?;
                    Strike::Delay(Duration::from_millis(ms.parse().ok()?))
                }
            };
            // Read once per process.
            let point = Box::leak(point.to_owned().into_boxed_str());
            Some(Armed { of: None, thread: None, point, left, strike })
        })
        .collect()
}

/// Through `kill`, as a library without unsafe code cannot send signals. Returns once somebody
/// continued a process that was stopped.
fn signal(which: &str) {
    let pid = std::process::id().to_string();
    let sent = std::process::Command::new("kill").args([which, &pid]).status();
    assert!(sent.is_ok_and(|status| status.success()), "`kill {which}` does not work here");
    // A signal may arrive a moment after it was sent; this thread goes no further.
    if which == "-KILL" {
        std::thread::park();
    }
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    fn fallible() -> Result<(), &'static str> {
        crate::fault!("test_fallible", return Err("struck"));
        Ok(())
    }

    #[test]
    fn strikes_at_the_nth_hit_once() {
        let faults = Faults::on_this_thread();
        faults.arm("test_fallible", 3, Strike::Fail);
        let ends: Vec<bool> = (0..5).map(|_| fallible().is_err()).collect();
        assert_eq!(ends, [false, false, true, false, false]);
        assert!(faults.all_struck());
        assert!(hits()["test_fallible"] >= 5);
        assert!(points().contains(&"test_fallible"));
    }

    #[test]
    fn runs_and_panics_where_it_is_told() {
        let count = Arc::new(AtomicU64::new(0));
        let faults = Faults::on_this_thread();
        let counted = Arc::clone(&count);
        let run = Strike::Run(Arc::new(move || {
            counted.fetch_add(1, Ordering::Relaxed);
        }));
        faults.arm("test_run", 1, run.clone());
        faults.arm("test_run", 2, run);
        faults.arm("test_run", 3, Strike::Panic);
        hit("test_run");
        hit("test_run");
        assert_eq!(count.load(Ordering::Relaxed), 2);
        assert!(catch_unwind(|| hit("test_run")).is_err());
        hit("test_run");
    }

    #[test]
    fn another_thread_is_not_struck() {
        let faults = Faults::on_this_thread();
        faults.arm("test_thread", 1, Strike::Fail);
        assert!(!std::thread::spawn(|| fails("test_thread")).join().expect("it ends"));
        assert!(fails("test_thread"));
        let everywhere = Faults::everywhere();
        everywhere.arm("test_thread", 1, Strike::Fail);
        assert!(std::thread::spawn(|| fails("test_thread")).join().expect("it ends"));
    }

    #[test]
    fn a_point_that_is_never_hit_fails_the_test() {
        let unhit = catch_unwind(|| {
            let faults = Faults::on_this_thread();
            faults.arm("test_unhit", 2, Strike::Fail);
            hit("test_unhit");
        });
        assert!(unhit.is_err());
        assert!(!fails("test_unhit"), "it was disarmed");
        let no_way = catch_unwind(|| {
            let faults = Faults::on_this_thread();
            faults.arm("test_no_way", 1, Strike::Fail);
            hit("test_no_way");
        });
        assert!(no_way.is_err());
    }

    #[test]
    fn reads_the_environments_words() {
        let armed = parse("post_claim:2=abort, pre_commit=delay(250),a:b:3=err").expect("words");
        let read: Vec<_> = armed
            .iter()
            .map(|armed| (armed.point, armed.left, format!("{:?}", armed.strike)))
            .collect();
        assert_eq!(
            read,
            [
                ("post_claim", 2, "Abort".to_owned()),
                ("pre_commit", 1, "Delay(250ms)".to_owned()),
                ("a:b", 3, "Fail".to_owned()),
            ]
        );
        for wrong in ["", "x", "x=", "x:0=abort", "x:y=abort", "x:1=explode", "x:1=delay(y)"] {
            assert!(parse(wrong).is_none(), "{wrong}");
        }
    }
}
