//! Actions that borrow a transaction: effect, outcome and audit entry commit together, or none.

use std::sync::OnceLock;

use sqlx::SqliteConnection;

use super::harness::*;

/// A SQLite store with a table that bodies write to.
async fn bench() -> Bench {
    let bench = Bench::sqlite();
    db::prepare(bench.file()).await;
    bench
}

fn call(
    bench: &Bench,
    id: &str,
) -> do_runtime::action::Call<impl do_runtime::action::Action<Return = Result<String>>> {
    transaction(id.to_owned(), bench.world.name())
}

// R9, P.1: a reader on another connection never sees a part.
#[tokio::test]
async fn row_and_record_appear_together() {
    let bench = bench().await;
    let app = bench.start().await;
    bench.world.script([Step::AppliesThenHangs]);
    let task = tokio::spawn(app.execute(call(&bench, "1")).receipt());
    bench.world.until_bodies(1).await;
    let lookup = app.lookup(call(&bench, "1")).await.unwrap();
    assert_eq!(lookup.execution.unwrap().state.status, Status::Running, "the claim is visible");
    assert!(db::rows(bench.file()).await.is_empty(), "the row is not");
    bench.world.release();
    let receipt = task.await.unwrap().unwrap();
    assert_eq!(receipt.how, How::Executed);
    assert_eq!(db::rows(bench.file()).await, ["1"]);
    assert_eq!(words(&app, receipt.execution).await, ["claimed", "succeeded"]);
    let again = app.execute(call(&bench, "1")).receipt().await.unwrap();
    assert_eq!((again.how, again.json), (How::Replayed, receipt.json));
    assert_eq!(db::rows(bench.file()).await, ["1"]);
}

// S5, I6: every end but a success rolls back, and means no effect.
#[tokio::test]
async fn whatever_is_no_success_leaves_no_row() {
    use FailureClass::{InDoubt, Permanent, Repair, Transient};
    let bench = bench().await;
    let app = bench.start().await;
    for (at, (step, expected)) in [
        (Step::AppliesThenFails(Some(Permanent)), Some(ErrorKind::Failed)),
        (Step::AppliesThenFails(Some(Repair)), Some(ErrorKind::Parked)),
        (Step::AppliesThenFails(Some(Transient)), None),
        (Step::AppliesThenFails(Some(InDoubt)), None),
        (Step::AppliesThenFails(None), None),
        (Step::AppliesThenPanics, None),
    ]
    .into_iter()
    .enumerate()
    {
        let id = at.to_string();
        bench.world.script([step]);
        let answer = app.execute(call(&bench, &id)).receipt().await;
        let rows = db::rows(bench.file()).await;
        match (expected, answer) {
            (Some(kind), Err(error)) => {
                assert_eq!((error.kind(), error.effect()), (kind, Effect::None), "{step:?}");
                assert!(!rows.contains(&id), "{step:?}");
            }
            (None, Ok(receipt)) => {
                assert_eq!((receipt.how, receipt.attempts), (How::Executed, 2), "{step:?}");
                assert_eq!(rows.iter().filter(|row| **row == id).count(), 1, "{step:?}");
                let expected = ["claimed", "retry", "claimed", "succeeded"];
                assert_eq!(words(&app, receipt.execution).await, expected, "no doubt: {step:?}");
            }
            (expected, answer) => panic!("{step:?}: {expected:?} {answer:?}"),
        }
    }
}

#[action(key(id), timeout = "100ms", retry(attempts = 1))]
async fn brief(db: &mut SqliteConnection, id: String, world: String) -> Result<String> {
    World::named(&world).write(db, &id).await
}

// S5
#[tokio::test]
async fn a_time_out_rolls_back() {
    let bench = bench().await;
    let app = bench.start_with(brief).await;
    bench.world.script([Step::AppliesThenHangs]);
    let error = app.execute(brief("1".into(), bench.world.name())).await.unwrap_err();
    assert_eq!((error.kind(), error.effect()), (ErrorKind::Parked, Effect::None));
    assert!(error.message().contains("time-out of 100ms"), "{error}");
    assert!(db::rows(bench.file()).await.is_empty());
    let execution = app.get(error.execution().unwrap()).await.unwrap().unwrap();
    assert!(!execution.state.doubt);
    app.execute(brief("1".into(), bench.world.name())).await.unwrap();
    assert_eq!(db::rows(bench.file()).await, ["1"]);
}

#[action(key(id), timeout = "1m", retry(attempts = 1))]
async fn slow(db: &mut SqliteConnection, id: String, world: String) -> Result<String> {
    World::named(&world).write(db, &id).await
}

// S5, F56: it holds the file's only write lock, so it may do so for 2 s, whatever `timeout` says.
#[tokio::test]
async fn a_body_that_holds_the_write_lock_too_long_is_rolled_back() {
    let bench = bench().await;
    let app = bench.start_with((slow, once)).await;
    bench.world.script([Step::AppliesThenHangs]);
    let held = tokio::spawn(app.execute(slow("1".into(), bench.world.name())).into_future());
    bench.world.until_bodies(1).await;
    // Others wait for the lock meanwhile, and nobody is taken over.
    let other = tokio::spawn(app.execute(once("2".into(), "n".into())).receipt());
    let error = held.await.unwrap().unwrap_err();
    assert_eq!((error.kind(), error.effect()), (ErrorKind::Parked, Effect::None));
    assert!(error.message().contains("write lock for more than 2"), "{error}");
    assert_eq!(error.failure().unwrap().class, Some(FailureClass::Transient));
    assert_eq!(other.await.unwrap().unwrap().how, How::Executed);
    assert!(db::rows(bench.file()).await.is_empty());
}

#[action(key(id), timeout = "30s", retry(attempts = 1))]
async fn ends_by_itself(db: &mut SqliteConnection, id: String, by: String) -> Result<()> {
    sqlx::query("INSERT INTO effect (id) VALUES (?)").bind(&id).execute(&mut *db).await?;
    // Whatever it says: the body goes on as if nothing had happened.
    let _ = sqlx::raw_sql(sqlx::AssertSqlSafe(by)).execute(&mut *db).await.is_ok();
    Ok(())
}

// S5: stopped or found out, it ends in doubt; nothing of it is committed in silence.
#[tokio::test]
async fn a_body_that_ends_its_transaction_by_itself_is_in_doubt() {
    let bench = bench().await;
    let app = bench.start_with(ends_by_itself).await;
    for (at, by) in ["COMMIT", "ROLLBACK", "END; BEGIN"].into_iter().enumerate() {
        let error = app.execute(ends_by_itself(at.to_string(), by.into())).await.unwrap_err();
        assert_eq!((error.kind(), error.effect()), (ErrorKind::InDoubt, Effect::Unknown), "{by}");
        assert!(error.message().contains("ended its transaction by itself"), "{error}");
    }
    // The connections are not used again: others begin clean.
    let ok = app.execute(ends_by_itself("9".into(), "SELECT 1".into())).await;
    ok.unwrap();
    assert_eq!(db::rows(bench.file()).await, ["9"]);
}

/// The runtime that bodies of this file reach out to.
static INNER: OnceLock<Runtime> = OnceLock::new();

#[action(key(id), retry(attempts = 1))]
async fn reaches_out(db: &mut SqliteConnection, id: String, how: String) -> Result<String> {
    sqlx::query("INSERT INTO effect (id) VALUES (?)").bind(&id).execute(&mut *db).await?;
    let app = INNER.get().unwrap();
    let inner = once(id.clone(), "inner".into());
    let refused = match how.as_str() {
        "execute" => app.execute(inner).await.unwrap_err(),
        "submit" => app.submit(inner).await.unwrap_err(),
        "replay" => app.execute(once("done".into(), "n".into())).await.unwrap_err(),
        _ => {
            app.submit(inner).within(db).await?;
            return Ok("accepted".into());
        }
    };
    Ok(refused.code().to_owned())
}

// S5: at once, not by a time-out; what is submitted within it is accepted with it.
#[tokio::test]
async fn a_body_cannot_wait_for_the_lock_that_it_holds() {
    let bench = bench().await;
    let app = bench.start_with((reaches_out, once)).await;
    INNER.set(app.clone()).unwrap();
    app.execute(once("done".into(), "n".into())).await.unwrap();
    for how in ["execute", "submit", "replay"] {
        let code = app.execute(reaches_out(how.into(), how.into())).await.unwrap();
        assert_eq!(code, "would_deadlock", "{how}");
    }
    assert_eq!(bench.world.effects(), 1);
    let code = app.execute(reaches_out("within".into(), "within".into())).await.unwrap();
    assert_eq!(code, "accepted");
    assert_eq!(app.execute(once("within".into(), "inner".into())).await.unwrap(), "within/2");
}

// R23, R33: the action's own unique index settles what one key cannot.
#[tokio::test]
async fn a_broken_constraint_is_a_permanent_failure() {
    let bench = bench().await;
    let app = bench.start_with((transaction, ends_by_itself)).await;
    app.execute(call(&bench, "1")).await.unwrap();
    let error = app.execute(ends_by_itself("1".into(), "SELECT 1".into())).await.unwrap_err();
    assert_eq!((error.kind(), error.effect()), (ErrorKind::Failed, Effect::None));
    assert_eq!(error.failure().unwrap().class, Some(FailureClass::Permanent));
    assert_eq!(db::rows(bench.file()).await, ["1"]);
}

// R23
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_callers_of_many_keys_leave_one_row_each() {
    let bench = bench().await;
    let app = bench.start().await;
    let tasks: Vec<_> = (0..128)
        .map(|at| tokio::spawn(app.execute(call(&bench, &(at % 16).to_string())).receipt()))
        .collect();
    let mut executed = 0;
    for task in tasks {
        executed += usize::from(task.await.unwrap().unwrap().how == How::Executed);
    }
    assert_eq!((executed, db::rows(bench.file()).await.len()), (16, 16));
}

#[action(key(id), once, retry(attempts = 2, max = "2ms"))]
async fn mixed_once(db: &mut SqliteConnection, world: &World, id: String) -> Result<String> {
    sqlx::query("INSERT INTO effect (id) VALUES (?)").bind(&id).execute(&mut *db).await?;
    world.act(&id).await
}

#[action(key(id), repeatable, retry(attempts = 2, max = "2ms"))]
async fn mixed_repeatable(db: &mut SqliteConnection, world: &World, id: String) -> Result<String> {
    sqlx::query("INSERT INTO effect (id) VALUES (?)").bind(&id).execute(&mut *db).await?;
    world.act(&id).await
}

// S5: with something else borrowed the declared class decides; a rollback undoes only the rows.
#[tokio::test]
async fn a_transaction_that_borrows_something_else_follows_its_class() {
    use FailureClass::{Permanent, Transient};
    let bench = bench().await;
    let app = bench.start_with((mixed_once, mixed_repeatable, transaction)).await;
    for (id, step, kind) in [
        ("none", Step::AppliesThenFails(None), ErrorKind::InDoubt),
        ("panic", Step::AppliesThenPanics, ErrorKind::InDoubt),
        ("permanent", Step::Fails(Some(Permanent)), ErrorKind::Failed),
    ] {
        bench.world.script([step]);
        let error = app.execute(mixed_once(id.into())).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{id}");
        assert!(db::rows(bench.file()).await.is_empty(), "{id}");
    }
    bench.world.script([Step::AppliesThenFails(None)]);
    let receipt = app.execute(mixed_repeatable("again".into())).receipt().await.unwrap();
    let expected = ["claimed", "unknown", "claimed", "succeeded"];
    assert_eq!(words(&app, receipt.execution).await, expected);
    bench.world.script([Step::Fails(Some(Transient))]);
    let receipt = app.execute(mixed_once("later".into())).receipt().await.unwrap();
    assert_eq!(words(&app, receipt.execution).await, ["claimed", "retry", "claimed", "succeeded"]);
    assert_eq!(db::rows(bench.file()).await, ["again", "later"]);
    // The database's own error says nothing about the rest.
    let error = app.execute(mixed_once_twice("dup".into())).await.map(drop);
    assert_eq!(error.unwrap_err().kind(), ErrorKind::UnknownAction);
    let app = bench.start_with(mixed_once_twice).await;
    let error = app.execute(mixed_once_twice("again".into())).await.unwrap_err();
    assert_eq!((error.kind(), error.effect()), (ErrorKind::InDoubt, Effect::Unknown));
}

#[action(key(id), once)]
async fn mixed_once_twice(db: &mut SqliteConnection, world: &World, id: String) -> Result<String> {
    let value = world.act(&id).await?;
    sqlx::query("INSERT INTO effect (id) VALUES (?)").bind(&id).execute(&mut *db).await?;
    Ok(value)
}

// S5: a commit whose answer is lost is asked after with the lock: done, or tried again.
#[tokio::test]
async fn a_commit_whose_answer_is_lost_is_found_out() {
    let bench = bench().await;
    let (builder, faulty) = bench.faulty();
    let app = builder.only((transaction, mixed_once)).start().await.unwrap();
    for (id, fault, attempts) in
        [("applied", Fault::LostAfter, 1), ("lost", Fault::LostBefore, 2), ("busy", Fault::Down, 2)]
    {
        faulty.fail(Point::Commit, fault, 1);
        let receipt = app.execute(call(&bench, id)).receipt().await.unwrap();
        assert_eq!((receipt.how, receipt.attempts), (How::Executed, attempts), "{id}");
    }
    assert_eq!(db::rows(bench.file()).await, ["applied", "lost", "busy"]);
    // With something else borrowed only the recorded outcome is known to be a success.
    faulty.fail(Point::Commit, Fault::LostAfter, 1);
    let receipt = app.execute(mixed_once("mixed applied".into())).receipt().await.unwrap();
    assert_eq!((receipt.how, receipt.attempts), (How::Executed, 1));
    faulty.fail(Point::Commit, Fault::LostBefore, 1);
    let error = app.execute(mixed_once("mixed lost".into())).await.unwrap_err();
    assert_eq!((error.kind(), error.effect()), (ErrorKind::InDoubt, Effect::Unknown));
    assert_eq!(db::rows(bench.file()).await.len(), 4);
}

// F20: no lock, no effect.
#[tokio::test]
async fn a_lock_that_is_not_free_is_a_transient_end() {
    let bench = bench().await;
    let (builder, faulty) = bench.faulty();
    let app = builder.only((transaction, brief)).start().await.unwrap();
    faulty.fail(Point::Begin, Fault::Down, 2);
    let receipt = app.execute(call(&bench, "1")).receipt().await.unwrap();
    assert_eq!((receipt.attempts, bench.world.bodies()), (3, 1));
    faulty.fail(Point::Begin, Fault::Silent, 1);
    let error = app.execute(brief("2".into(), bench.world.name())).await.unwrap_err();
    assert_eq!((error.kind(), error.effect()), (ErrorKind::Parked, Effect::None));
    assert!(error.message().contains("lock"), "{error}");
    assert_eq!((bench.world.bodies(), db::rows(bench.file()).await.len()), (1, 1));
}

// S5.26, F30: whatever was done to it, the next one begins clean.
#[tokio::test]
async fn a_connection_that_did_not_end_cleanly_is_not_used_again() {
    let bench = bench().await;
    let app = bench.start_with((ends_by_itself, transaction, brief)).await;
    for (at, by) in
        ["ROLLBACK", "PRAGMA query_only=1", "BEGIN", "SAVEPOINT x"].into_iter().enumerate()
    {
        let _ = app.execute(ends_by_itself(format!("dirty {at}"), by.into())).await.is_ok();
        bench.world.script([Step::AppliesThenHangs]);
        app.execute(brief(format!("stopped {at}"), bench.world.name())).await.unwrap_err();
        let id = format!("clean {at}");
        app.execute(call(&bench, &id)).await.unwrap();
        assert!(db::rows(bench.file()).await.contains(&id), "{by}");
    }
}

// F30, F44: the caller is dropped at any point; the row is there once, and others begin clean.
#[tokio::test]
async fn a_caller_that_is_dropped_leaves_no_transaction_open() {
    let bench = bench().await;
    let app = bench.start().await;
    for polls in 0..60 {
        let id = polls.to_string();
        let _ = dropped_after(polls, app.execute(call(&bench, &id))).await.is_some();
        app.execute(call(&bench, &id)).await.unwrap();
        let rows = db::rows(bench.file()).await;
        assert_eq!(rows.iter().filter(|row| **row == id).count(), 1, "after {polls} polls");
    }
    assert_eq!(bench.world.bodies(), 60);
}
