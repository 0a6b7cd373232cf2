//! What a report looks like.

use std::time::Duration;

use super::{Done, Open, OpenState, Report, Tally, WHOSE};
use crate::signups::BadRow;

#[test]
fn a_report_says_what_came_of_it_and_what_to_do() {
    let mut tally = Tally::default();
    tally.count("create-user", Done::Executed);
    tally.count("create-user", Done::Replayed);
    for (execution, user, decision) in
        [("k1", "u1", "sent"), ("k2", "u 2", "unsent"), ("k1", "u1", "sent")]
    {
        tally.note(
            execution.to_owned(),
            Open {
                action: "send".to_owned(),
                state: OpenState::InDoubt,
                who: format!("user {user}"),
                user: user.to_owned(),
                message: "the process ended".to_owned(),
                advice: vec![format!("settle: onboarding --resolve {decision}{WHOSE}")],
            },
        );
    }
    let bad = [BadRow { line: 7, reason: "the id is missing".to_owned() }];
    let report = Report {
        order: &["create-user", "send"],
        rows: 3,
        bad: &bad,
        left: 0,
        users: 1,
        tally: &tally,
        took: Duration::from_micros(1_234_567),
    };
    assert_eq!(
        report.json().expect("json"),
        concat!(
            r#"{"rows":3,"bad_rows":1,"users":1,"executed":1,"replayed":1,"joined":0,"#,
            r#""failed":0,"parked":0,"in_doubt":2,"seconds":1.235}"#
        )
    );
    assert_eq!(
        report.text(),
        "rows that cannot be used
  line 7: the id is missing

in doubt: send
  user u1: the process ended
    settle: onboarding --resolve sent --user u1

in doubt: send
  user u 2: the process ended
    settle: onboarding --resolve unsent --user 'u 2'

action       executed  replayed    joined    failed    parked  in doubt
create-user         1         1         0         0         0         0
send                0         0         0         0         0         2

3 rows, 1 of them unusable; 1 users; 1.2 s
"
    );
}
