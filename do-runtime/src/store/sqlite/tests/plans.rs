//! Query plans: no statement of a call's path looks at every row.

use rusqlite::Connection;

use super::Place;
use crate::record::Status;
use crate::store::Filter;
use crate::store::sqlite::{queries, statements};

fn plan(connection: &Connection, statement: &str) -> String {
    let mut explain = connection
        .prepare(&format!("EXPLAIN QUERY PLAN {statement}"))
        .expect("a statement of this schema");
    let count = explain.parameter_count();
    let rows = explain
        .query_map(rusqlite::params_from_iter(vec![1; count]), |row| row.get::<_, String>(3))
        .expect("a plan");
    rows.collect::<Result<Vec<_>, _>>().expect("a plan").join("; ")
}

#[test]
fn no_statement_reads_the_whole_table() {
    let place = Place::new();
    let store = place.open();
    let connection = place.other();
    for statement in [
        statements::INSERT,
        statements::UPDATE,
        statements::UPDATE_REQUEST,
        statements::ENTRY,
        statements::BY_ROW,
        statements::BY_KEY,
        statements::HISTORY,
        queries::DUE,
        queries::NEXT_DUE,
        queries::FOUND,
    ] {
        let plan = plan(&connection, statement);
        assert!(!plan.contains("SCAN do_"), "{statement}: {plan}");
    }
    drop(store);
}

#[test]
fn what_operators_list_is_read_from_an_index() {
    let place = Place::new();
    let store = place.open();
    let connection = place.other();
    for statuses in [
        &[Status::InDoubt][..],
        &[Status::Parked, Status::InDoubt],
        &[Status::Failed, Status::Parked, Status::InDoubt],
        &[Status::Waiting],
        &[Status::Running],
    ] {
        let all = statuses.iter().fold(Filter::default(), |filter, status| filter.status(*status));
        for filter in [all.clone(), all.action("send-mail").scope("acme")] {
            let (statement, _) = queries::selection(&filter);
            let plan = plan(&connection, &statement);
            assert!(plan.contains("USING") && plan.contains("INDEX do_"), "{statement}: {plan}");
        }
    }
    drop(store);
}
