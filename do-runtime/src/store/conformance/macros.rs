//! The macro that makes a test of each case.

/// Makes one `#[test]` of each case; each evaluates the expression for a fresh
/// [`Harness`](crate::store::conformance::Harness).
#[macro_export]
macro_rules! store_conformance {
    ($harness:expr) => {
        $crate::store_conformance! { @tests $harness;
            a_claim_is_granted_once
            a_submission_is_accepted_once
            a_claim_may_be_visible_before_it_is_synced
            only_a_claim_or_a_submission_comes_first
            of_64_claimers_one_is_granted
            a_claim_whose_answer_was_lost_is_found_again
            the_whole_identity_counts
            each_event_is_recorded_with_its_entry
            the_epoch_rises_with_each_verb_of_an_operator_and_with_nothing_else
            what_is_not_allowed_writes_nothing
            an_unknown_row_is_gone
            a_new_round_may_bring_another_request
            of_16_ends_one_is_recorded
            of_16_further_claims_one_is_recorded
            a_zombie_writes_nothing
            another_token_writes_nothing
            an_older_state_writes_nothing
            a_late_success_counts_while_its_token_is_the_last
            an_end_whose_answer_was_lost_is_found_again
            values_come_back_byte_for_byte
            texts_come_back_as_they_were
            requests_come_back_as_they_were
            states_come_back_as_they_were
            gets_by_identity_and_by_key_in_its_scope
            a_history_has_each_change_once
            finds_by_one_field_of_the_key
            finds_what_was_claimed_before_reopening
            lists_newest_first_by_filter
            lists_page_by_page
            pages_hold_while_rows_are_added
            a_filter_without_a_limit_has_one
            waiting_is_due_when_its_time_has_come
            only_what_waits_is_due
            running_on_an_instance_that_is_gone_is_due
            only_listed_actions_are_due
            what_is_due_comes_in_pages
            renewals_rise_and_all_are_told
            a_lease_is_over_by_the_stores_clock
            a_dead_process_is_known_where_the_store_can_know
            leases_do_not_move_executions
            an_instance_is_told_of_while_something_runs_on_it
            a_success_becomes_a_tombstone_when_it_is_over
            a_failure_loses_its_parameters_and_text
            what_is_not_final_is_never_touched
            prunes_at_most_as_many_as_it_is_told
            pruning_takes_the_right_of_older_readers
            the_longest_retention_never_ends
            reopening_keeps_everything
            a_claim_outlasts_its_process
            a_dropped_future_leaves_whole_writes
            a_closed_store_refuses
            two_handles_share_everything
            several_processes_share_it
            a_commit_brings_rows_and_outcome
            a_rollback_leaves_neither
            a_lost_right_rolls_back
            an_event_that_is_not_allowed_rolls_back
            a_body_that_ends_its_transaction_is_found_out
            a_commit_that_the_database_refuses_leaves_neither
            a_claim_within_stands_with_its_transaction
            a_claim_within_meets_what_is_there
            it_follows_the_model
        }
    };
    (@tests $harness:expr; $($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                $crate::store::conformance::run_case(stringify!($name), &$harness);
            }
        )*

        #[test]
        fn every_case_is_run() {
            let run = [$(stringify!($name)),*];
            let cases = $crate::store::conformance::CASES;
            let missing: Vec<_> =
                cases.iter().map(|case| case.name).filter(|name| !run.contains(name)).collect();
            assert!(missing.is_empty(), "cases without a test: {missing:?}");
        }
    };
}
