//! The successes that were answered last: a replay from here reads nothing.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use crate::key::Key;
use crate::record::{Execution, Value};

/// Executions above this, answer and parameters together, are not kept.
const LARGEST_BYTES: usize = 64 << 10;

/// The cache answers for that long after the store's epoch was last seen.
const TRUSTED_FOR: Duration = Duration::from_secs(1);

/// A bounded cache of successes. A success is final, so what is here is true until its retention
/// ends, which whoever asks must test, or an operator's verb touches it, which raises the store's
/// epoch: with another epoch all is forgotten, and without a look at it nothing is answered.
#[derive(Debug)]
pub(crate) struct Cache {
    generations: RwLock<Generations>,
    size: usize,
}

/// Two generations: when the young one is full it becomes the old one, and what was not asked for
/// since then goes.
#[derive(Debug, Default)]
struct Generations {
    young: HashMap<Key, Arc<Execution>>,
    old: HashMap<Key, Arc<Execution>>,
    epoch: u64,
    /// When the epoch was last seen, on the monotonic clock.
    seen: Option<Duration>,
}

impl Cache {
    /// Keeps at least the last `size` successes that were asked for, and at most twice as many.
    pub(crate) fn new(size: usize) -> Self {
        Self { generations: RwLock::default(), size }
    }

    /// The store's epoch was this, when it was asked at that time.
    pub(crate) fn saw(&self, epoch: u64, asked: Duration) {
        let mut generations = self.generations.write().unwrap_or_else(PoisonError::into_inner);
        if generations.epoch != epoch {
            *generations = Generations { epoch, ..Generations::default() };
        }
        generations.seen = Some(asked);
    }

    /// The success of that key, if the epoch was seen lately.
    pub(crate) fn success(&self, key: &Key, now: Duration) -> Option<Arc<Execution>> {
        let old = {
            let generations = self.generations.read().unwrap_or_else(PoisonError::into_inner);
            let seen = generations.seen?;
            if now.saturating_sub(seen) > TRUSTED_FOR {
                return None;
            }
            if let Some(hit) = generations.young.get(key) {
                return Some(Arc::clone(hit));
            }
            Arc::clone(generations.old.get(key)?)
        };
        self.keep(&old);
        Some(old)
    }

    /// Keeps a success, unless it is large.
    pub(crate) fn keep(&self, execution: &Arc<Execution>) {
        if self.size == 0 || bytes_of(execution) > LARGEST_BYTES {
            return;
        }
        let mut generations = self.generations.write().unwrap_or_else(PoisonError::into_inner);
        if generations.young.len() >= self.size {
            generations.old = std::mem::take(&mut generations.young);
        }
        generations.young.insert(execution.identity.key, Arc::clone(execution));
    }
}

fn bytes_of(execution: &Execution) -> usize {
    let value = match &execution.state.value {
        Some(Value::Json(bytes)) => bytes.len(),
        Some(Value::Missing { reason }) => reason.len(),
        None => 0,
    };
    let request = &execution.request;
    let params = request.params.as_ref().map_or(0, |params| params.len());
    value + params + request.fields.as_json().len()
}
