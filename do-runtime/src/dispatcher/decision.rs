//! What an existing record answers: one function, one order, on every path.
//!
//! The order is that of the table in the documentation of [`decide`]. The store, single flight and
//! the cache all ask here, so that no path can skip a test.

use crate::clock::Timestamp;
use crate::key::FingerprintPart;
use crate::policy::Class;
use crate::record::{Execution, InstanceId, Status, Token};

/// What the one who asks knows.
#[derive(Debug)]
pub(crate) struct View<'a> {
    /// The request's own parts, to compare with the recorded ones; none: no request, the record
    /// is only taken up again.
    pub(crate) parts: Option<&'a [FingerprintPart]>,
    /// The action's class as today's code has it.
    pub(crate) class: Class,
    /// Now, by the store's clock.
    pub(crate) now: Timestamp,
    /// The token of a claim of mine whose answer may have been lost.
    pub(crate) mine: Option<Token>,
}

/// What is known of the instance that holds a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Liveness {
    /// Its lease holds, or nothing is known against it.
    Alive,
    /// Its lease is over.
    LeaseOver,
    /// Its process is known to be dead.
    Dead,
}

/// What to do about an existing record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Its answer is gone, and nothing runs again.
    Expired,
    /// The key was used for another request; these parameters differ.
    KeyReused(Vec<String>),
    /// Give the recorded success or failure.
    Replay,
    /// My own claim committed although its answer was lost: go on.
    GoOn,
    /// Only a decision ends the doubt.
    InDoubt,
    /// Wait with the others.
    Join,
    /// Claim it; whether the request replaces the recorded one.
    Claim {
        /// A new round begins, under the request that was made now.
        new_round: bool,
    },
    /// End the attempt of an instance that is gone, then ask again.
    TakeOver {
        /// Its process is known to be dead.
        known: bool,
    },
}

/// Decides, in this order: expired · other request · a final answer · my own claim · in doubt ·
/// waiting or parked · running.
pub(crate) fn decide(
    execution: &Execution,
    view: &View<'_>,
    liveness: impl FnOnce(InstanceId) -> Liveness,
) -> Decision {
    let state = &execution.state;
    let over = state.is_over(view.now);
    if state.status == Status::Expired || (state.status == Status::Succeeded && over) {
        return Decision::Expired;
    }
    let differing =
        view.parts.map(|parts| execution.request.fingerprint.differing(parts)).unwrap_or_default();
    let nothing_happened = matches!(state.status, Status::Failed | Status::Parked);
    if !differing.is_empty() {
        if nothing_happened {
            return Decision::Claim { new_round: true };
        }
        return Decision::KeyReused(differing);
    }
    match state.status {
        Status::Succeeded => Decision::Replay,
        Status::Failed if state.keep_until.is_some() && !over => Decision::Replay,
        Status::Failed | Status::Parked => Decision::Claim { new_round: true },
        Status::Running if state.token == view.mine && view.mine.is_some() => Decision::GoOn,
        Status::InDoubt if state.may_continue_in_doubt(view.class) => {
            Decision::Claim { new_round: false }
        }
        Status::InDoubt => Decision::InDoubt,
        Status::Waiting if state.is_due(view.now) => Decision::Claim { new_round: false },
        Status::Waiting => Decision::Join,
        Status::Running => match state.instance.map(liveness) {
            Some(Liveness::Alive) => Decision::Join,
            Some(Liveness::LeaseOver) => Decision::TakeOver { known: false },
            Some(Liveness::Dead) | None => Decision::TakeOver { known: true },
        },
        Status::Expired => Decision::Expired,
    }
}
