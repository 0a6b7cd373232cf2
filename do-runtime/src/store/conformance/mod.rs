//! One suite for every store: each promise of the trait [`Store`](super::Store) is a case.
//!
//! A store's tests write one [`Harness`] and one line:
//!
//! ```
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! use do_runtime::store::conformance::{Differences, Harness};
//! use do_runtime::store::memory::Memory;
//! use do_runtime::store::{Answer, Store};
//! use do_runtime::testing::ManualClock;
//!
//! struct InMemory {
//!     clock: ManualClock,
//!     memory: Memory,
//! }
//!
//! impl InMemory {
//!     fn new() -> Self {
//!         let clock = ManualClock::new();
//!         Self { memory: Memory::new(Arc::new(clock.clone())), clock }
//!     }
//! }
//!
//! impl Harness for InMemory {
//!     fn open(&self) -> Answer<'_, Arc<dyn Store>> {
//!         let store: Arc<dyn Store> = Arc::new(self.memory.reopen());
//!         Box::pin(std::future::ready(Ok(store)))
//!     }
//!
//!     fn advance(&self, gap: Duration) {
//!         self.clock.advance(gap);
//!     }
//!
//!     fn differences(&self) -> Differences {
//!         Differences::none()
//!     }
//! }
//!
//! do_runtime::store_conformance!(InMemory::new());
//! ```
//!
//! A harness has data of its own, and each case gets a fresh harness. Where stores differ, the
//! harness says so in [`Differences`], and the case then expects the other behaviour: no case is
//! skipped.

#![expect(clippy::expect_used, reason = "an expectation that fails is a test that fails")]

mod claims;
mod due;
mod harness;
mod lasting;
mod leases;
mod list;
#[macro_use]
mod macros;
mod model;
mod processes;
mod reads;
mod records;
mod retention;
mod stale;
mod subject;
mod transactions;
mod values;

use std::fmt;

pub use harness::{Boxed, Differences, Harness, OwnTransaction, Rows};
pub use model::{Step, compare};
pub use processes::work;

/// One promise, and how it is tested.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Case {
    /// The promise in words.
    pub name: &'static str,
    test: for<'a> fn(&'a dyn Harness) -> Boxed<'a, ()>,
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Case").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Runs every case, each on a fresh harness.
///
/// # Panics
/// When the store breaks a promise.
pub fn run<H: Harness>(fresh: impl Fn() -> H) {
    for case in CASES {
        run_case(case.name, &fresh());
    }
}

/// Runs one case.
///
/// # Panics
/// When the store breaks the promise, or there is no such case.
pub fn run_case(name: &str, harness: &dyn Harness) {
    let case = CASES.iter().find(|case| case.name == name).expect("a case of that name");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime for the case");
    runtime.block_on((case.test)(harness));
}

macro_rules! cases {
    ($($module:ident: $($name:ident)*;)*) => {
        /// Every case.
        pub const CASES: &[Case] = &[$($(
            Case { name: stringify!($name), test: |harness| Box::pin($module::$name(harness)) },
        )*)*];
    };
}

cases! {
    claims:
        a_claim_is_granted_once
        a_submission_is_accepted_once
        a_claim_may_be_visible_before_it_is_synced
        only_a_claim_or_a_submission_comes_first
        of_64_claimers_one_is_granted
        a_claim_whose_answer_was_lost_is_found_again
        the_whole_identity_counts;
    records:
        the_epoch_rises_with_each_verb_of_an_operator_and_with_nothing_else
        each_event_is_recorded_with_its_entry
        what_is_not_allowed_writes_nothing
        an_unknown_row_is_gone
        a_new_round_may_bring_another_request
        of_16_ends_one_is_recorded
        of_16_further_claims_one_is_recorded;
    stale:
        a_zombie_writes_nothing
        another_token_writes_nothing
        an_older_state_writes_nothing
        a_late_success_counts_while_its_token_is_the_last
        an_end_whose_answer_was_lost_is_found_again;
    values:
        values_come_back_byte_for_byte
        texts_come_back_as_they_were
        requests_come_back_as_they_were
        states_come_back_as_they_were;
    reads:
        gets_by_identity_and_by_key_in_its_scope
        a_history_has_each_change_once
        finds_by_one_field_of_the_key
        finds_what_was_claimed_before_reopening;
    list:
        lists_newest_first_by_filter
        lists_page_by_page
        pages_hold_while_rows_are_added
        a_filter_without_a_limit_has_one;
    due:
        waiting_is_due_when_its_time_has_come
        only_what_waits_is_due
        running_on_an_instance_that_is_gone_is_due
        only_listed_actions_are_due
        what_is_due_comes_in_pages;
    leases:
        renewals_rise_and_all_are_told
        a_lease_is_over_by_the_stores_clock
        a_dead_process_is_known_where_the_store_can_know
        leases_do_not_move_executions
        an_instance_is_told_of_while_something_runs_on_it;
    retention:
        a_success_becomes_a_tombstone_when_it_is_over
        a_failure_loses_its_parameters_and_text
        what_is_not_final_is_never_touched
        prunes_at_most_as_many_as_it_is_told
        pruning_takes_the_right_of_older_readers
        the_longest_retention_never_ends;
    lasting:
        reopening_keeps_everything
        a_claim_outlasts_its_process
        a_dropped_future_leaves_whole_writes
        a_closed_store_refuses
        two_handles_share_everything;
    processes:
        several_processes_share_it;
    transactions:
        a_commit_brings_rows_and_outcome
        a_rollback_leaves_neither
        a_lost_right_rolls_back
        an_event_that_is_not_allowed_rolls_back
        a_body_that_ends_its_transaction_is_found_out
        a_commit_that_the_database_refuses_leaves_neither
        a_claim_within_stands_with_its_transaction
        a_claim_within_meets_what_is_there;
    model:
        it_follows_the_model;
}
