//! What people get wrong, and what they are told.

use sqlx::SqliteConnection;

use super::harness::*;

async fn on_sqlite(test: impl AsyncFnOnce(Bench, Runtime)) {
    let bench = Bench::sqlite();
    let app = bench.start().await;
    test(bench, app).await;
}

// R16: nothing found would read as "never done".
#[tokio::test]
async fn a_key_field_that_does_not_exist_is_told() {
    on_sqlite(async |_bench, app| {
        let error = app.find("once", "idd", "1").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidKey);
        assert!(error.message().contains("no field `idd`; did you mean `id`?"), "{error}");
        let error = app.find("once", "note", "n").await.unwrap_err();
        assert!(error.message().contains("it has id"), "{error}");
        assert!(app.find("once", "id", "1").await.unwrap().is_empty());
    })
    .await;
}

// R17: a `main` that returns an error prints its Debug form.
#[tokio::test]
async fn errors_show_their_text_and_the_line_to_type_whichever_way_they_are_printed() {
    let error = Runtime::open("mysql://x").start().await.unwrap_err();
    assert_eq!(format!("{error:?}"), error.to_string());
    on_sqlite(async |bench, app| {
        bench.world.script([Step::AppliesThenFails(None)]);
        let error = app.execute(once("1".into(), "n".into())).await.unwrap_err();
        assert!(format!("{error:?}").contains(error.advice().unwrap()), "{error:?}");
    })
    .await;
}

// R17: what went wrong so far, while it is tried again.
#[tokio::test]
async fn a_call_that_goes_on_says_what_went_wrong_so_far() {
    let bench = Bench::memory();
    let app = bench.start().await;
    bench.world.always(Step::Fails(Some(FailureClass::Transient)));
    let call = app.execute(once("1".into(), "n".into())).wait("5s");
    let error = bench.run(call.into_future()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InProgress);
    let said = error.failure().unwrap().message.clone();
    assert!(error.message().contains(&format!("so far: {said}")), "{error}");
}

#[action(key(id))]
async fn commits(db: &mut SqliteConnection, id: String) -> Result<String> {
    sqlx::query("COMMIT").execute(&mut *db).await?;
    Ok(id)
}

// S5: stopped by the hook, in doubt, and told what to remove.
#[tokio::test]
async fn a_body_that_passes_on_its_refused_commit_is_told_that_the_runtime_commits() {
    let bench = Bench::sqlite();
    let app = bench.start_with(commits).await;
    let error = app.execute(commits("1".into())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InDoubt, "{error}");
    assert!(error.message().contains("remove its COMMIT"), "{error}");
}

// S7: who and why.
#[tokio::test]
async fn a_blank_reason_is_refused() {
    on_sqlite(async |bench, app| {
        bench.world.script([Step::AppliesThenFails(None)]);
        let error = app.execute(once("1".into(), "n".into())).await.unwrap_err();
        let id = error.execution().unwrap();
        let refused = app.resolve(id, Resolution::NotDone).because(" ").await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidParams);
        let execution = app.get(id).await.unwrap().unwrap();
        assert_eq!(execution.state.status, Status::InDoubt);
    })
    .await;
}
