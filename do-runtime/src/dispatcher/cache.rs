//! The successes that were answered last: a replay from here reads nothing.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use crate::key::Key;
use crate::record::{Execution, Value};

/// Executions above this, answer and parameters together, are not kept.
const LARGEST_BYTES: usize = 64 << 10;

/// A bounded cache of successes. A success is final, so what is here is true until its retention
/// ends, which whoever asks must test.
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
}

impl Cache {
    /// Keeps at least the last `size` successes that were asked for, and at most twice as many.
    pub(crate) fn new(size: usize) -> Self {
        Self { generations: RwLock::default(), size }
    }

    /// The success of that key.
    pub(crate) fn success(&self, key: &Key) -> Option<Arc<Execution>> {
        let old = {
            let generations = self.generations.read().unwrap_or_else(PoisonError::into_inner);
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
