//! An outside world that counts: how often each effect happened, and how each try ends.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Gate;
use crate::failure::{Failure, Result};

/// How one try of an effect ends.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Ending {
    /// It takes effect and says so.
    Succeed,
    /// No effect; it may help to try again.
    Transient,
    /// No effect; trying again cannot help.
    Permanent,
    /// No effect; somebody has to repair something first.
    Repair,
    /// No effect, and an error without a class.
    Unclassified,
    /// Waits at the gate, then takes effect and says so.
    HangBefore(Gate),
    /// Takes effect, then waits at the gate before it says so.
    HangAfter(Gate),
    /// Takes effect, and the answer is an error without a class: a lost reply.
    ApplyThenFail,
    /// No effect, and a panic.
    Panic,
    /// Takes effect, then panics.
    ApplyThenPanic,
}

/// Counts the effects of each key. Clones are one counter, so that an action can be given one:
/// `.provide(effects.clone())`.
#[derive(Debug, Clone, Default)]
pub struct EffectCounter {
    keys: Arc<Mutex<HashMap<String, Tries>>>,
}

#[derive(Debug, Default)]
struct Tries {
    starts: u64,
    effects: u64,
    script: VecDeque<Ending>,
}

impl EffectCounter {
    /// A counter of nothing so far.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The next tries of that key end so, one after the other; then they succeed.
    pub fn script(&self, key: impl Into<String>, ends: impl IntoIterator<Item = Ending>) {
        self.keys().entry(key.into()).or_default().script.extend(ends);
    }

    /// Tries the effect of that key: the number of the effect, from 1.
    ///
    /// # Errors
    /// As the script says.
    ///
    /// # Panics
    /// As the script says.
    pub async fn apply(&self, key: impl AsRef<str>) -> Result<u64> {
        let key = key.as_ref();
        match self.start(key) {
            Ending::Succeed => Ok(self.count(key)),
            Ending::Transient => Err(Failure::new("not now").transient()),
            Ending::Permanent => Err(Failure::new("never").permanent()),
            Ending::Repair => Err(Failure::new("repair me").repair()),
            Ending::Unclassified => Err(Failure::new("something went wrong")),
            Ending::HangBefore(gate) => {
                gate.pass().await;
                Ok(self.count(key))
            }
            Ending::HangAfter(gate) => {
                let number = self.count(key);
                gate.pass().await;
                Ok(number)
            }
            Ending::ApplyThenFail => {
                self.count(key);
                Err(Failure::new("the reply was lost"))
            }
            Ending::Panic => panic!("a scripted panic before the effect of {key}"),
            Ending::ApplyThenPanic => {
                self.count(key);
                panic!("a scripted panic after the effect of {key}")
            }
        }
    }

    /// How often that effect was tried.
    #[must_use]
    pub fn starts(&self, key: &str) -> u64 {
        self.keys().get(key).map_or(0, |tries| tries.starts)
    }

    /// How often that effect happened.
    #[must_use]
    pub fn effects(&self, key: &str) -> u64 {
        self.keys().get(key).map_or(0, |tries| tries.effects)
    }

    /// The number of the last effect of that key, as a check asks for it; none if there is none.
    #[must_use]
    pub fn find(&self, key: &str) -> Option<u64> {
        Some(self.effects(key)).filter(|effects| *effects > 0)
    }

    /// How often any effect happened.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.keys().values().map(|tries| tries.effects).sum()
    }

    fn start(&self, key: &str) -> Ending {
        let mut keys = self.keys();
        let tries = keys.entry(key.to_owned()).or_default();
        tries.starts += 1;
        tries.script.pop_front().unwrap_or(Ending::Succeed)
    }

    fn count(&self, key: &str) -> u64 {
        let mut keys = self.keys();
        let tries = keys.entry(key.to_owned()).or_default();
        tries.effects += 1;
        tries.effects
    }

    fn keys(&self) -> MutexGuard<'_, HashMap<String, Tries>> {
        // Only counts are changed under the lock.
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::FailureClass;

    #[tokio::test]
    async fn follows_its_script_and_counts() {
        let effects = EffectCounter::new();
        effects.script(
            "ada",
            [Ending::Transient, Ending::Permanent, Ending::Unclassified, Ending::ApplyThenFail],
        );
        let mut classes = Vec::new();
        for _ in 0..4 {
            let failure = effects.apply("ada").await.expect_err("as the script says");
            classes.push(failure.stated_class());
        }
        let transient = Some(FailureClass::Transient);
        assert_eq!(classes, [transient, Some(FailureClass::Permanent), None, None]);
        assert_eq!((effects.starts("ada"), effects.effects("ada")), (4, 1));
        assert_eq!(effects.apply("ada").await.expect("the script is over"), 2);
        assert_eq!(effects.apply("bob").await.expect("another key"), 1);
        assert_eq!((effects.find("eve"), effects.find("bob"), effects.total()), (None, Some(1), 3));
    }

    #[tokio::test]
    async fn hangs_before_or_after_the_effect() {
        for (after, so_far) in [(false, 0), (true, 1)] {
            let (effects, gate) = (EffectCounter::new(), Gate::new());
            let held = gate.clone();
            let hang = if after { Ending::HangAfter(held) } else { Ending::HangBefore(held) };
            effects.script("ada", [hang]);
            let trying = tokio::spawn({
                let effects = effects.clone();
                async move { effects.apply("ada").await.map_err(|failure| failure.to_string()) }
            });
            gate.reached_by(1).await;
            assert_eq!(effects.effects("ada"), so_far);
            gate.open();
            assert_eq!(trying.await.expect("it ends"), Ok(1));
        }
    }

    #[tokio::test]
    async fn panics_before_or_after_the_effect() {
        let effects = EffectCounter::new();
        effects.script("ada", [Ending::Panic, Ending::ApplyThenPanic]);
        for so_far in [0, 1] {
            let tried = effects.clone();
            let ended = tokio::spawn(async move { drop(tried.apply("ada").await) }).await;
            assert!(ended.is_err_and(|error| error.is_panic()));
            assert_eq!(effects.effects("ada"), so_far);
        }
    }
}
