//! Which instances are alive, as this one has seen it.
//!
//! A lease is over when the store's clock says so **and** this observer has seen no renewal for one
//! lease on its own monotonic clock: a wall clock that jumps makes nobody dead. A process that is
//! known to be dead is dead at once.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::decision::Liveness;
use crate::record::InstanceId;
use crate::store::Seen;

/// What this instance has seen of all others, and of its own lease.
#[derive(Debug)]
pub(crate) struct Census {
    me: InstanceId,
    lease: Duration,
    observed: Mutex<Observed>,
}

#[derive(Debug, Default)]
struct Observed {
    others: HashMap<InstanceId, Observation>,
    renewed: Option<Duration>,
}

#[derive(Debug, Clone, Copy)]
struct Observation {
    renewals: u64,
    since: Duration,
    over: bool,
    dead: bool,
}

impl Census {
    pub(crate) fn new(me: InstanceId, lease: Duration) -> Self {
        Self { me, lease, observed: Mutex::default() }
    }

    /// Takes in what a heartbeat brought. `asked` is when it was sent, on the monotonic clock: my
    /// own lease holds at least from then.
    pub(crate) fn update(&self, seen: &[Seen], asked: Duration) {
        let mut observed = self.observed();
        observed.renewed = Some(asked);
        let before = std::mem::take(&mut observed.others);
        for instance in seen.iter().filter(|seen| seen.instance != self.me) {
            let since = match before.get(&instance.instance) {
                Some(old) if old.renewals == instance.renewals => old.since,
                _ => asked,
            };
            let observation = Observation {
                renewals: instance.renewals,
                since,
                over: instance.over,
                dead: instance.dead,
            };
            observed.others.insert(instance.instance, observation);
        }
    }

    /// What is known of an instance. One that the store no longer lists was removed as dead.
    pub(crate) fn liveness(&self, instance: InstanceId, monotonic: Duration) -> Liveness {
        if instance == self.me {
            return Liveness::Alive;
        }
        let observed = self.observed();
        match observed.others.get(&instance) {
            // Not seen yet, or removed since; the next heartbeat tells.
            None => Liveness::Alive,
            Some(seen) if seen.dead => Liveness::Dead,
            Some(seen) if seen.over && monotonic.saturating_sub(seen.since) >= self.lease => {
                Liveness::LeaseOver
            }
            Some(_) => Liveness::Alive,
        }
    }

    /// The instances that are gone: whose running executions somebody must end.
    pub(crate) fn gone(&self, monotonic: Duration) -> Vec<InstanceId> {
        let known: Vec<InstanceId> = self.observed().others.keys().copied().collect();
        known
            .into_iter()
            .filter(|instance| self.liveness(*instance, monotonic) != Liveness::Alive)
            .collect()
    }

    /// How much of my own lease is left; bodies that others may repeat stop when it is over.
    pub(crate) fn lease_left(&self, monotonic: Duration) -> Duration {
        let observed = self.observed();
        observed
            .renewed
            .map_or(self.lease, |renewed| (renewed + self.lease).saturating_sub(monotonic))
    }

    pub(crate) const fn me(&self) -> InstanceId {
        self.me
    }

    pub(crate) const fn lease(&self) -> Duration {
        self.lease
    }

    fn observed(&self) -> MutexGuard<'_, Observed> {
        self.observed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEASE: Duration = Duration::from_secs(15);

    fn id(n: u8) -> InstanceId {
        InstanceId::from_bytes([n; 16])
    }

    #[test]
    fn a_lease_is_over_by_both_clocks_or_not_at_all() {
        let census = Census::new(id(0), LEASE);
        let at = Duration::from_secs;
        census.update(&[Seen::new(id(1), 1, true, false)], at(0));
        assert_eq!(census.liveness(id(1), at(14)), Liveness::Alive, "seen less than a lease ago");
        assert_eq!(census.liveness(id(1), at(15)), Liveness::LeaseOver);
        census.update(&[Seen::new(id(1), 2, false, false)], at(16));
        assert_eq!(census.liveness(id(1), at(60)), Liveness::Alive, "the store's clock says no");
        census.update(&[Seen::new(id(1), 2, true, false)], at(20));
        assert_eq!(census.liveness(id(1), at(30)), Liveness::Alive);
        assert_eq!(census.liveness(id(1), at(31)), Liveness::LeaseOver, "16 + 15, not 20 + 15");
    }

    #[test]
    fn the_dead_are_dead_at_once_and_i_am_alive() {
        let census = Census::new(id(0), LEASE);
        census.update(
            &[Seen::new(id(0), 1, true, true), Seen::new(id(1), 1, false, true)],
            Duration::ZERO,
        );
        assert_eq!(census.liveness(id(0), LEASE * 9), Liveness::Alive);
        assert_eq!(census.liveness(id(1), Duration::ZERO), Liveness::Dead);
        assert_eq!(census.gone(Duration::ZERO), [id(1)]);
        assert_eq!(census.lease_left(Duration::from_secs(10)), Duration::from_secs(5));
        assert_eq!(census.lease_left(LEASE * 2), Duration::ZERO);
    }
}
