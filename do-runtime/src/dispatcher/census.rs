//! Which instances are alive, as this one has seen it.
//!
//! A lease is over when the store's clock says so **and** this observer has seen no renewal for one
//! lease on its own monotonic clock: a wall clock that jumps makes nobody dead. Who did not look,
//! because it slept or could not reach the store, has seen nothing. A process that is known to be
//! dead is dead at once.

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
    /// How often a renewal of mine came when my lease was over.
    lapses: u64,
}

/// My lease at one moment; [`Census::has_lapsed`] tells whether it held ever since.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Standing(u64);

#[derive(Debug, Clone, Copy)]
struct Observation {
    renewals: u64,
    since: Duration,
    /// When it was last looked at.
    looked: Duration,
    over: bool,
    dead: bool,
}

impl Census {
    pub(crate) fn new(me: InstanceId, lease: Duration) -> Self {
        Self { me, lease, observed: Mutex::default() }
    }

    /// Takes in what a heartbeat brought. `asked` and `answered` are when it was sent and came back,
    /// on the monotonic clock: my own lease holds at least from the first.
    pub(crate) fn update(&self, seen: &[Seen], asked: Duration, answered: Duration) {
        let mut observed = self.observed();
        let before = observed.renewed.replace(asked);
        if before.is_some_and(|before| answered.saturating_sub(before) >= self.lease) {
            observed.lapses += 1;
        }
        let before = std::mem::take(&mut observed.others);
        for instance in seen.iter().filter(|seen| seen.instance != self.me) {
            let since = match before.get(&instance.instance) {
                Some(old) if old.renewals == instance.renewals => old.since,
                _ => answered,
            };
            let observation = Observation {
                renewals: instance.renewals,
                since,
                looked: asked,
                over: instance.over,
                dead: instance.dead,
            };
            observed.others.insert(instance.instance, observation);
        }
    }

    /// What is known of an instance. One that the store no longer lists was removed as dead.
    pub(crate) fn liveness(&self, instance: InstanceId) -> Liveness {
        if instance == self.me {
            return Liveness::Alive;
        }
        let observed = self.observed();
        match observed.others.get(&instance) {
            // Not seen yet, or removed since; the next heartbeat tells.
            None => Liveness::Alive,
            Some(seen) if seen.dead => Liveness::Dead,
            Some(seen) if seen.over && seen.looked.saturating_sub(seen.since) >= self.lease => {
                Liveness::LeaseOver
            }
            Some(_) => Liveness::Alive,
        }
    }

    /// The instances that are gone: whose running executions somebody must end.
    pub(crate) fn gone(&self) -> Vec<InstanceId> {
        let known: Vec<InstanceId> = self.observed().others.keys().copied().collect();
        known.into_iter().filter(|instance| self.liveness(*instance) != Liveness::Alive).collect()
    }

    /// How much of my own lease is left; bodies that others may repeat stop when it is over.
    pub(crate) fn lease_left(&self, monotonic: Duration) -> Duration {
        let observed = self.observed();
        observed
            .renewed
            .map_or(self.lease, |renewed| (renewed + self.lease).saturating_sub(monotonic))
    }

    /// My lease as it stands now.
    pub(crate) fn standing(&self) -> Standing {
        Standing(self.observed().lapses)
    }

    /// My lease was over at some moment since then, so others may have taken over.
    pub(crate) fn has_lapsed(&self, since: Standing, monotonic: Duration) -> bool {
        self.standing() != since || self.lease_left(monotonic).is_zero()
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

    fn look(census: &Census, seen: &[Seen], at: u64) {
        let at = Duration::from_secs(at);
        census.update(seen, at, at);
    }

    #[test]
    fn a_lease_is_over_by_both_clocks_or_not_at_all() {
        let census = Census::new(id(0), LEASE);
        let over = |renewals| Seen::new(id(1), renewals, true, false);
        look(&census, &[over(1)], 0);
        look(&census, &[over(1)], 14);
        assert_eq!(census.liveness(id(1)), Liveness::Alive, "seen less than a lease ago");
        look(&census, &[over(1)], 15);
        assert_eq!(census.liveness(id(1)), Liveness::LeaseOver);
        look(&census, &[Seen::new(id(1), 2, false, false)], 16);
        look(&census, &[Seen::new(id(1), 2, false, false)], 60);
        assert_eq!(census.liveness(id(1)), Liveness::Alive, "the store's clock says no");
        look(&census, &[over(3)], 61);
        look(&census, &[over(3)], 75);
        assert_eq!(census.liveness(id(1)), Liveness::Alive);
        look(&census, &[over(3)], 76);
        assert_eq!(census.liveness(id(1)), Liveness::LeaseOver, "61 + 15, not 75 + 15");
    }

    #[test]
    fn who_did_not_look_has_seen_nothing() {
        let census = Census::new(id(0), LEASE);
        let over = Seen::new(id(1), 1, true, false);
        let at = Duration::from_secs;
        // It is renewed when the answer comes, at the latest; the next look must be a lease later.
        census.update(&[over], at(0), at(10));
        assert_eq!(census.liveness(id(1)), Liveness::Alive, "however long it slept since");
        census.update(&[over], at(24), at(40));
        assert_eq!(census.liveness(id(1)), Liveness::Alive);
        census.update(&[over], at(41), at(41));
        assert_eq!(census.liveness(id(1)), Liveness::LeaseOver);
    }

    #[test]
    fn a_lease_that_was_renewed_too_late_has_lapsed() {
        let census = Census::new(id(0), LEASE);
        let at = Duration::from_secs;
        look(&census, &[], 0);
        let standing = census.standing();
        assert!(!census.has_lapsed(standing, at(14)));
        assert!(census.has_lapsed(standing, at(15)));
        look(&census, &[], 14);
        assert!(!census.has_lapsed(standing, at(28)));
        // Asked in time, and done too late.
        census.update(&[], at(28), at(29));
        assert!(census.has_lapsed(standing, at(30)), "it was over at 29");
        assert!(!census.has_lapsed(census.standing(), at(30)));
    }

    #[test]
    fn the_dead_are_dead_at_once_and_i_am_alive() {
        let census = Census::new(id(0), LEASE);
        look(&census, &[Seen::new(id(0), 1, true, true), Seen::new(id(1), 1, false, true)], 0);
        assert_eq!(census.liveness(id(0)), Liveness::Alive);
        assert_eq!(census.liveness(id(1)), Liveness::Dead);
        assert_eq!(census.gone(), [id(1)]);
        assert_eq!(census.lease_left(Duration::from_secs(10)), Duration::from_secs(5));
        assert_eq!(census.lease_left(LEASE * 2), Duration::ZERO);
    }
}
