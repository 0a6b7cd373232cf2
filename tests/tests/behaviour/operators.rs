//! Operators' verbs: each says who and why, is audited, and is safe to repeat.

use super::harness::*;

on_both_stores![
    doubt_is_resolved_as_succeeded,
    doubt_is_resolved_as_failed,
    doubt_is_resolved_as_not_done,
    only_doubt_is_resolved,
    a_retry_begins_where_the_state_says,
    a_retry_of_what_runs_or_is_done_changes_nothing,
    who_and_why_are_in_the_trail,
    an_id_that_is_none_is_refused,
    a_retry_by_filter_begins_all_that_may_be_repeated,
];

/// An execution of `once` in doubt.
async fn in_doubt(bench: &Bench, app: &Runtime, id: &str) -> do_runtime::key::Key {
    bench.world.script([Step::AppliesThenFails(None)]);
    let error = app.execute(once(id.into(), "n".into())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InDoubt);
    error.execution().unwrap()
}

// S7.1, S7.2
async fn doubt_is_resolved_as_succeeded(bench: Bench) {
    let app = bench.start().await;
    let id = in_doubt(&bench, &app, "1").await;
    let done = || Resolution::succeeded("by hand").unwrap();
    for _ in 0..2 {
        let after = app.resolve(id, done()).because("it is in the outbox").await.unwrap();
        assert_eq!((after.state.status, after.state.doubt), (Status::Succeeded, false));
        assert_eq!(words(&app, id).await, ["claimed", "in_doubt", "resolved_succeeded"]);
    }
    let receipt = app.execute(once("1".into(), "n".into())).receipt().await.unwrap();
    assert_eq!((receipt.value.as_str(), receipt.how), ("by hand", How::Replayed));
    for other in [Resolution::succeeded("else").unwrap(), Resolution::NotDone] {
        let error = app.resolve(id, other).because("a mistake").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AlreadyResolved);
    }
    assert_eq!(bench.world.bodies(), 1);
}

// S7.1, S7.2
async fn doubt_is_resolved_as_failed(bench: Bench) {
    let app = bench.start().await;
    let id = in_doubt(&bench, &app, "1").await;
    let failed = || Resolution::Failed("the card was never charged".into());
    for _ in 0..2 {
        let after = app.resolve(id, failed()).because("asked the bank").await.unwrap();
        assert_eq!((after.state.status, after.state.doubt), (Status::Failed, false));
    }
    let error = app.execute(once("1".into(), "n".into())).await.unwrap_err();
    assert_eq!((error.kind(), error.effect()), (ErrorKind::Failed, Effect::None));
    assert!(error.is_replayed() && error.message().contains("never charged"), "{error}");
    let error = app.resolve(id, Resolution::Failed("else".into())).because("x").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyResolved);
    // Nothing happened under it: another request begins a new round.
    let receipt = app.execute(once("1".into(), "other".into())).receipt().await.unwrap();
    assert_eq!(receipt.how, How::Executed);
    assert_eq!(bench.world.bodies(), 2);
}

// S7.1, S7.2, S2: a new round, due now, run by nobody's call.
async fn doubt_is_resolved_as_not_done(bench: Bench) {
    let app = bench.start().await;
    let id = in_doubt(&bench, &app, "1").await;
    bench.world.script([Step::Hangs]);
    for _ in 0..2 {
        app.resolve(id, Resolution::NotDone).because("the log is empty").await.unwrap();
    }
    bench.run(bench.world.until_bodies(2)).await;
    app.resolve(id, Resolution::NotDone).because("the log is empty").await.unwrap();
    let error = app.resolve(id, Resolution::Failed("x".into())).because("x").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyResolved);
    bench.world.release();
    assert_eq!(bench.run(app.execute(once("1".into(), "n".into()))).await.unwrap(), "1/2");
    let execution = app.get(id).await.unwrap().unwrap();
    assert_eq!((execution.state.round, execution.state.attempts), (2, 2));
    let expected = ["claimed", "in_doubt", "resolved_not_done", "claimed", "succeeded"];
    assert_eq!(words(&app, id).await, expected);
    // Its answer was lost, so it is said once more: the run is over, and that changes nothing.
    app.resolve(id, Resolution::NotDone).because("the log is empty").await.unwrap();
    assert_eq!(words(&app, id).await, expected);
}

// S6, S7: not done is a known end: the next round has its own downstream key.
#[tokio::test]
async fn not_done_begins_a_round_with_a_new_downstream_key() {
    let bench = Bench::memory();
    let app = bench.start().await;
    bench.world.script([Step::Fails(None), Step::Fails(Some(FailureClass::Permanent))]);
    let call = || repeatable("1".into(), "n".into());
    let id = bench.run(app.execute(call())).await.unwrap_err().execution().unwrap();
    app.resolve(id, Resolution::NotDone).because("asked").await.unwrap();
    bench.run(app.execute(call())).await.unwrap();
    let keys = bench.world.downstream();
    assert!(keys[0] == keys[1] && keys[1] != keys[2], "{keys:?}");
}

// S7
async fn only_doubt_is_resolved(bench: Bench) {
    let app = bench.start().await;
    let done = app.execute(once("1".into(), "n".into())).receipt().await.unwrap().execution;
    bench.world.script([
        Step::Fails(Some(FailureClass::Permanent)),
        Step::Fails(Some(FailureClass::Repair)),
    ]);
    let failed = app.execute(once("2".into(), "n".into())).await.unwrap_err().execution().unwrap();
    let parked = app.execute(once("3".into(), "n".into())).await.unwrap_err().execution().unwrap();
    for id in [done, failed, parked] {
        let error = app.resolve(id, Resolution::NotDone).because("x").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotAllowed);
        assert_eq!(error.execution(), Some(id));
    }
}

// S7.3, S7.4: Parked and Failed begin a new round; what is in doubt goes on in the same one.
async fn a_retry_begins_where_the_state_says(bench: Bench) {
    use FailureClass::{Permanent, Repair};
    let app = bench.start().await;
    for (at, class) in [Repair, Permanent].into_iter().enumerate() {
        bench.world.script([Step::Fails(Some(class))]);
        let call = || repeatable(at.to_string(), "n".into());
        let id = app.execute(call()).await.unwrap_err().execution().unwrap();
        let after = app.retry(id).because("repaired").await.unwrap();
        assert_eq!((after.state.status, after.state.round), (Status::Waiting, 2), "{class:?}");
        bench.run(bench.world.until_bodies(2 * at + 2)).await;
        bench.run(app.execute(call())).await.unwrap();
    }
    bench.world.script([Step::Fails(None), Step::Fails(Some(Permanent))]);
    let call = || repeatable("doubt".into(), "n".into());
    let id = bench.run(app.execute(call())).await.unwrap_err().execution().unwrap();
    let after = app.retry(id).because("repaired").await.unwrap();
    assert_eq!((after.state.status, after.state.round), (Status::Waiting, 1));
    bench.run(app.execute(call())).await.unwrap();
    let doubtful = in_doubt(&bench, &app, "once").await;
    let error = app.retry(doubtful).because("x").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotAllowed);
    assert!(error.message().contains("resolve"), "{error}");
}

// S7, R36
async fn a_retry_of_what_runs_or_is_done_changes_nothing(bench: Bench) {
    let app = bench.start().await;
    bench.world.script([Step::Hangs]);
    let task = tokio::spawn(app.execute(once("1".into(), "n".into())).receipt());
    bench.world.until_bodies(1).await;
    let id = app.lookup(once("1".into(), "n".into())).await.unwrap().key;
    app.retry(id).because("impatience").await.unwrap();
    bench.world.release();
    bench.run(task).await.unwrap().unwrap();
    app.retry(id).because("impatience").await.unwrap();
    assert_eq!(words(&app, id).await, ["claimed", "succeeded"]);
    assert_eq!(bench.world.bodies(), 1);
}

// S7.7, R35, C107
async fn who_and_why_are_in_the_trail(bench: Bench) {
    let app = bench.start().await;
    let id = in_doubt(&bench, &app.as_principal("web"), "1").await;
    let jane = app.as_principal("jane@support");
    jane.resolve(id, Resolution::NotDone).because("mail log is empty").await.unwrap();
    bench.run(app.execute(once("1".into(), "n".into()))).await.unwrap();
    let history = app.history(id).await.unwrap();
    let who: Vec<_> = history.iter().map(|entry| &*entry.author.principal).collect();
    assert_eq!(who, ["web", "runtime", "jane@support", who[3], "runtime"]);
    assert_eq!(history[2].author.why.as_deref(), Some("mail log is empty"));
    assert_eq!(history[2].failure, None);
    assert_eq!(history[1].failure.as_ref().unwrap().text, "scripted failure");
    let version = history[1].author.version.as_deref().unwrap();
    assert!(version.starts_with("do-tests "), "the crate whose code ran: {version}");
    assert!(history.last().unwrap().value_hash.is_some());
    assert_eq!(history[0].author.instance, history[1].author.instance);
    assert!(history.windows(2).all(|pair| pair[0].at <= pair[1].at));
}

// S7
async fn an_id_that_is_none_is_refused(bench: Bench) {
    let app = bench.start().await;
    for id in ["", "k1_", "k1_short", "usr_12345"] {
        assert_eq!(app.get(id).await.unwrap_err().kind(), ErrorKind::InvalidKey, "{id:?}");
        let error = app.retry(id).because("x").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidKey, "{id:?}");
    }
    let nobody = app.lookup(once("nobody".into(), "n".into())).await.unwrap().key;
    let error = app.retry(nobody).because("x").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(app.get(&nobody.to_string()).await.unwrap().is_none());
}

#[action(key(id), once, keep_failed = "1h")]
async fn fails_briefly(world: &World, id: String) -> Result<String> {
    world.act(&id).await
}

// S7.5: a Failed whose parameters are gone is refused; a call brings them.
#[tokio::test]
async fn a_failure_whose_parameters_are_gone_is_not_retried() {
    let bench = Bench::memory();
    let app = bench.start_with(fails_briefly).await;
    bench.world.script([Step::Fails(Some(FailureClass::Permanent))]);
    let error = app.execute(fails_briefly("1".into())).await.unwrap_err();
    let id = error.execution().unwrap();
    let begun = bench.clock().now();
    while app.get(id).await.unwrap().unwrap().request.params.is_some() {
        bench.clock().advance_to_next();
        for _ in 0..50 {
            tokio::task::yield_now().await;
        }
        assert!(bench.clock().now().since(begun) < Duration::from_secs(2 * 3600), "never pruned");
    }
    let error = app.retry(id).because("x").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotAllowed);
    let receipt = app.execute(fails_briefly("1".into())).receipt().await.unwrap();
    assert_eq!((receipt.how, receipt.attempts), (How::Executed, 2));
    assert_eq!(words(&app, id).await, ["claimed", "failed", "pruned", "claimed", "succeeded"]);
}

// S7.8: in bulk after the fix.
async fn a_retry_by_filter_begins_all_that_may_be_repeated(bench: Bench) {
    use FailureClass::{Permanent, Repair};
    use do_runtime::store::Filter;
    let app = bench.start().await;
    bench.world.always(Step::Fails(Some(Repair)));
    for at in 0..120 {
        app.execute(once(at.to_string(), "n".into())).await.unwrap_err();
    }
    bench.world.script([Step::Fails(Some(Permanent)), Step::Fails(None), Step::Ok]);
    for id in ["failed", "doubt", "done"] {
        let _ = app.execute(once(id.into(), "n".into())).await.is_ok();
    }
    app.scope("other").execute(once("other".into(), "n".into())).await.unwrap_err();
    bench.world.always(Step::Ok);
    let bodies = bench.world.bodies();
    let few = app.retry_all(Filter::default().limit(3)).because("a first try").await.unwrap();
    assert_eq!((few.retried, few.refused), (3, 0));
    bench.run(bench.world.until_bodies(bodies + 3)).await;
    bench.world.until_still().await;
    let all = app.retry_all(Filter::default().action("once")).because("it works").await.unwrap();
    assert_eq!((all.retried, all.refused), (118, 0));
    bench.run(bench.world.until_bodies(bodies + 121)).await;
    let doubtful = Filter::default().status(Status::InDoubt);
    let none = app.retry_all(doubtful).because("it works").await.unwrap();
    assert_eq!((none.retried, none.refused, none.refusals.len()), (0, 1, 1));
    assert!(none.refusals[0].execution().is_some());
    let other = app.scope("other").list(Filter::default()).await.unwrap();
    assert_eq!(other.executions[0].state.status, Status::Parked, "another tenant's stays");
    let history = app.history(app.lookup(once("7".into(), "n".into())).await.unwrap().key).await;
    let why = history.unwrap()[2].author.why.clone();
    assert_eq!(why.as_deref(), Some("it works"));
}
