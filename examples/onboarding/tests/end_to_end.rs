//! The built program from outside: what is on the disk is counted, not what the program says.

#![expect(clippy::expect_used, reason = "a test that cannot go on says so")]

mod world;

use std::sync::Arc;

use do_runtime::clock::SystemClock;
use do_runtime::store::sqlite::Sqlite;
use do_runtime::store::{Filter, Store as _};
use world::{World, export_of};

#[test]
fn a_second_run_executes_nothing_and_replays_all() {
    let world = World::new();
    let first = world.run(&[]).summary();
    assert_eq!((first.rows, first.bad_rows), (1000, 14));
    assert_eq!((first.failed, first.parked, first.in_doubt), (0, 0, 0));
    assert!(first.users > 900, "{first:?}");
    world.check_everything_once(first.users);
    let before = world.files();

    let second = world.run(&[]).summary();
    assert_eq!((second.executed, second.joined), (0, 0), "{second:?}");
    assert_eq!(second.replayed, first.executed + first.replayed + first.joined);
    assert_eq!((second.failed, second.parked, second.in_doubt), (0, 0, 0));
    assert_eq!(second.users, first.users);
    assert_eq!(world.files(), before, "a replay touches nothing");
}

#[test]
fn the_same_id_or_the_same_address_is_the_same_user() {
    let world = World::new();
    let file = world.write(
        "people.csv",
        "id,email,name,plan\n\
         u1,a@example.com,Ada,free\n\
         u2, A@Example.com ,Ada,team\n\
         u1,b@example.com,Ada L.,free\n\
         u3,c@example.com,Grace,free\n\
         u3,A@example.com,Grace,free\n",
    );
    let run = world.run(&[&file]);
    let summary = run.summary();
    assert_eq!((summary.rows, summary.bad_rows, summary.users), (5, 0, 2));
    assert_eq!(summary.failed, 1, "{}", run.stdout);
    assert!(
        run.stdout.contains(
            "line 6 (A@example.com): the id is that of user u3, the address that of user u1"
        ),
        "{}",
        run.stdout
    );
    world.check_everything_once(2);
    // The same with one row at a time and with all at once, and again after that.
    let again = world.run(&[&file, "--concurrency", "1"]).summary();
    assert_eq!((again.executed, again.failed, again.users), (0, 1, 2));
}

#[test]
fn bad_rows_are_reported_and_stop_nothing() {
    let world = World::new();
    let file = world.write(
        "people.csv",
        "\u{feff}id;email;name\r\n;a@example.com;A\r\n\r\nu2;b@example.com;\"B\r\n\
         u3;c@example.com;C\r\nu4;nobody;D\r\n",
    );
    let run = world.run(&[&file]);
    let summary = run.summary();
    assert_eq!((summary.rows, summary.bad_rows, summary.users, summary.executed), (4, 3, 1, 4));
    for reason in ["line 2: the id is missing", "line 4: a quote", "line 6: `nobody`"] {
        assert!(run.stdout.contains(reason), "{}", run.stdout);
    }
}

#[test]
fn providers_that_fail_at_random_are_tried_again() {
    let world = World::new();
    let file = world.write("people.csv", &export_of(60));
    let run = world.run(&[&file, "--fail-rate", "0.4"]);
    let summary = run.summary();
    assert_eq!((summary.users, summary.executed), (60, 240), "{}", run.stdout);
    assert_eq!((summary.failed, summary.parked, summary.in_doubt), (0, 0, 0), "{}", run.stdout);
    world.check_everything_once(60);
}

#[test]
fn a_provider_that_is_gone_parks_and_the_next_run_goes_on() {
    let world = World::new();
    let file = world.write("people.csv", &export_of(5));
    let nobody = world.closed_port();
    let run = world.run(&[&file, "--crm", &format!("http://127.0.0.1:{nobody}")]);
    let summary = run.summary();
    assert_eq!((summary.executed, summary.parked), (15, 5), "{}", run.stdout);
    let summary = world.run(&[&file]).summary();
    assert_eq!((summary.executed, summary.replayed, summary.parked), (5, 15, 0));
    world.check_everything_once(5);
}

#[test]
fn after_kill_9_at_any_moment_the_next_run_completes() {
    let export = export_of(200);
    // The moments: as soon as so many mails, contacts and workspaces are there.
    for moment in [0, 1, 7, 40, 150, 400] {
        let world = World::new();
        let file = world.write("people.csv", &export);
        world.run_and_kill(&[&file], moment);
        let run = world.run(&[&file]);
        let summary = run.summary();
        assert_eq!((summary.users, summary.failed, summary.parked), (200, 0, 0), "{}", run.stdout);
        world.check_nothing_twice();
        let sent = world.mails().len();
        // Those in flight at the kill: in the outbox or not, nobody but a person may say.
        assert!(sent + summary.in_doubt >= 200);
        assert_eq!(run.stdout.contains("--resolve "), summary.in_doubt > 0);
        // Nothing is settled by running again.
        let third = world.run(&[&file]).summary();
        assert_eq!((third.executed, third.in_doubt), (0, summary.in_doubt));
        assert_eq!(world.mails().len(), sent);
    }
}

#[test]
fn mails_in_doubt_are_settled_by_a_person() {
    let export = export_of(200);
    for decision in ["sent", "unsent"] {
        let world = World::new();
        let file = world.write("people.csv", &export);
        // One mail is in doubt for certain: it goes to a server that never answers.
        let silent = world.silent_server();
        world.run_and_kill_when_connected(&[&file, "--smtp", &silent.address()], &silent);
        let doubt = world.run(&[&file]).summary();
        assert!(doubt.in_doubt > 0, "{doubt:?}");
        assert_eq!(doubt.users, 200);
        let sent = world.mails().len();

        let run = world.run(&[&file, "--resolve", decision]);
        let settled = run.summary();
        assert_eq!(settled.in_doubt, 0, "{}", run.stdout);
        let more = if decision == "sent" { 0 } else { doubt.in_doubt };
        assert_eq!(world.mails().len(), sent + more);
        world.check_nothing_twice();
        let last = world.run(&[&file]).summary();
        assert_eq!((last.executed, last.replayed, last.in_doubt), (0, 800, 0));
    }
}

#[test]
fn a_decision_straight_after_the_kill_settles_what_was_in_flight() {
    let world = World::new();
    let file = world.write("people.csv", &export_of(20));
    let silent = world.silent_server();
    world.run_and_kill_when_connected(&[&file, "--smtp", &silent.address()], &silent);
    let summary = world.run(&[&file, "--resolve=unsent"]).summary();
    assert_eq!((summary.users, summary.in_doubt), (20, 0));
    world.check_everything_once(20);
}

#[test]
fn a_workspace_made_by_hand_is_taken_over() {
    let world = World::new();
    let file = world.write("people.csv", &export_of(3));
    world.make_workspace_by_hand("u1", "precious.txt");
    let summary = world.run(&[&file]).summary();
    assert_eq!((summary.executed, summary.failed), (12, 0));
    assert_eq!(world.workspace_files("u1"), ["precious.txt"]);
    assert_eq!(world.workspace_files("u2").len(), 3);
}

#[test]
fn two_runs_at_the_same_time_share_the_work() {
    let world = World::new();
    let file = world.write("people.csv", &export_of(150));
    let (one, other) = world.run_two(&[&file]);
    assert_eq!((one.users, other.users), (150, 150));
    assert_eq!(one.executed + other.executed, 600, "{one:?} {other:?}");
    world.check_everything_once(150);
}

#[test]
fn mails_go_over_smtp_as_they_are() {
    let world = World::new();
    let server = world.smtp_server();
    let file = world.write("one.csv", "id,email,name\nu1,ada@example.com,Адa\n");
    let summary = world.run(&[&file, "--smtp", &server.address()]).summary();
    assert_eq!((summary.executed, summary.failed), (4, 0));
    let mails = server.mails();
    assert_eq!(mails.len(), 1);
    assert!(mails[0].contains("To: =?utf-8?b?") && mails[0].contains("<ada@example.com>"));
    assert!(mails[0].contains("Message-ID: <"), "{}", mails[0]);
    assert_eq!(world.mails().len(), 0, "none in the outbox");
}

#[test]
fn a_mail_refused_for_good_fails_and_is_tried_again_on_demand() {
    let world = World::new();
    let server = world.smtp_server();
    let file = world.write("two.csv", "id,email\nu1,refused@example.com\nu2,ada@example.com\n");
    let smtp = server.address();
    let run = world.run(&[&file, "--smtp", &smtp]);
    let summary = run.summary();
    assert_eq!((summary.executed, summary.failed), (7, 1), "{}", run.stdout);
    assert!(run.stdout.contains("user u1 (refused@example.com)"), "{}", run.stdout);
    let again = world.run(&[&file, "--smtp", &smtp]).summary();
    assert_eq!((again.executed, again.replayed, again.failed), (0, 7, 1));
    // The outbox takes it.
    let retried = world.run(&[&file, "--retry"]).summary();
    assert_eq!((retried.executed + retried.joined + retried.replayed, retried.failed), (8, 0));
    assert_eq!((world.mails(), server.mails().len()), (vec!["refused@example.com".to_owned()], 1));
}

#[test]
fn a_crm_that_is_killed_forgets_nothing() {
    let (world, elsewhere) = (World::new(), World::new());
    let file = world.write("people.csv", &export_of(30));
    let crm = elsewhere.crm();
    world.run(&[&file, "--crm", crm.url()]);
    assert_eq!((elsewhere.contacts().len(), world.contacts().len()), (30, 0));
    drop(crm);
    // Another application that does not know of the first one.
    let (crm, other) = (elsewhere.crm(), World::new());
    assert_eq!(other.run(&[&file, "--crm", crm.url()]).summary().executed, 120);
    assert_eq!(elsewhere.contacts().len(), 30);
}

#[test]
fn a_file_that_cannot_be_read_is_an_error_and_makes_nothing() {
    let world = World::new();
    let output = world.refused(&["no-such-file.csv"]);
    assert!(output.contains("no-such-file.csv"), "{output}");
    let file = world.write("wrong.csv", "name,phone\nAda,1\n");
    assert!(world.refused(&[&file]).contains("no column `id`"));
    assert!(!world.data().exists());
}

#[test]
fn the_later_steps_are_given_the_user_of_the_first() {
    let world = World::new();
    let file = world.write("people.csv", &export_of(3));
    assert_eq!(world.run(&[&file]).summary().executed, 12);
    let mut contacts = world.contacts();
    contacts.sort();
    assert_eq!(contacts, ["\"u1\"", "\"u2\"", "\"u3\""]);
    let workspaces = world.workspaces();
    let names: Vec<_> = workspaces.iter().filter_map(|path| path.file_name()?.to_str()).collect();
    assert_eq!(names, ["u1", "u2", "u3"]);
}

#[tokio::test]
async fn the_four_steps_run_in_order() {
    let world = World::new();
    let file = world.write("people.csv", &export_of(1));
    assert_eq!(world.run(&[&file]).summary().executed, 4);
    let address = format!("sqlite://{}", world.data().join("onboarding.db").display());
    let store = Sqlite::open(&address, Arc::new(SystemClock::new())).expect("it opens");
    let page = store.list(Filter::default()).await.expect("it is read");
    let steps = page.executions.iter().rev().map(|execution| &*execution.identity.action);
    let expected = ["create-user", "send-welcome-email", "add-to-crm", "provision-workspace"];
    assert_eq!(steps.collect::<Vec<_>>(), expected);
}
