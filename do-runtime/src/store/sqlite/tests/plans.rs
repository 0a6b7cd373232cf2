//! Query plans: no statement of a call's path looks at every row.

use rusqlite::Connection;

use super::Place;
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
    let due = plan(&connection, queries::DUE);
    assert!(due.contains("do_execution_due") && due.contains("do_execution_running"), "{due}");
    drop(store);
}
