//! "Was it sent?": look up a call, find by a field, list, and what a record tells.

use do_runtime::store::Filter;

use super::harness::*;

on_both_stores![
    a_lookup_says_what_executing_would_do,
    an_execution_tells_what_who_and_when,
    executions_are_found_by_one_field_of_their_key,
    executions_are_listed_newest_first_in_pages,
];

// D3.2
async fn a_lookup_says_what_executing_would_do(bench: Bench) {
    use FailureClass::{Permanent, Repair};
    let app = bench.start().await;
    let lookup = app.lookup(once("1".into(), "n".into())).await.unwrap();
    assert_eq!((lookup.would, lookup.execution.is_none()), (Would::Run, true));
    assert_eq!(lookup.fields, [("id".to_owned(), "1".to_owned())]);
    assert_eq!(bench.world.bodies(), 0, "nothing runs");
    bench.world.script([Step::Hangs]);
    let task = tokio::spawn(app.execute(once("1".into(), "n".into())).receipt());
    bench.world.until_bodies(1).await;
    assert_eq!(app.lookup(once("1".into(), "n".into())).await.unwrap().would, Would::Join);
    bench.world.release();
    let receipt = bench.run(task).await.unwrap().unwrap();
    let lookup = app.lookup(once("1".into(), "n".into())).await.unwrap();
    assert_eq!((lookup.would, lookup.key), (Would::Replay, receipt.execution));
    bench.world.script([
        Step::Fails(Some(Permanent)),
        Step::Fails(Some(Repair)),
        Step::Fails(None),
    ]);
    for (id, would) in
        [("2", Would::Replay), ("3", Would::Run), ("4", Would::Refuse(ErrorKind::InDoubt))]
    {
        app.execute(once(id.into(), "n".into())).await.unwrap_err();
        assert_eq!(app.lookup(once(id.into(), "n".into())).await.unwrap().would, would, "{id}");
    }
}

// R11
async fn an_execution_tells_what_who_and_when(bench: Bench) {
    let app = bench.start().await;
    bench.world.script([Step::Ok, Step::Fails(Some(FailureClass::Permanent))]);
    let done = app.execute(once("1".into(), "n".into())).receipt().await.unwrap().execution;
    let failed = app.execute(once("2".into(), "n".into())).await.unwrap_err().execution().unwrap();
    for (id, text, status) in [(done, "1", Status::Succeeded), (failed, "2", Status::Failed)] {
        let execution = app.get(&id.to_string()).await.unwrap().unwrap();
        assert_eq!((&*execution.identity.action, &*execution.identity.scope), ("once", "default"));
        assert_eq!((execution.identity.key, execution.request.key_version), (id, 1));
        let expected = [("id".to_owned(), text.to_owned())];
        assert_eq!(execution.request.fields.readable(), expected);
        let params: serde_json::Value =
            serde_json::from_slice(execution.request.params.as_ref().unwrap()).unwrap();
        assert_eq!(params, serde_json::json!({"id": text, "note": "n"}));
        assert_eq!((execution.state.status, execution.state.attempts), (status, 1));
        assert!(execution.state.ended.unwrap() >= execution.created);
        assert_eq!(execution.state.failure.is_some(), status == Status::Failed);
    }
}

#[action(key(user, template), once)]
async fn mail_to(world: &World, user: u64, template: Option<String>) -> Result<String> {
    drop(template);
    world.act(&user.to_string()).await
}

// D3.2
async fn executions_are_found_by_one_field_of_their_key(bench: Bench) {
    let app = bench.start_with((mail_to, once)).await;
    for (user, template) in [(1, Some("a")), (2, Some("a")), (1, None), (1, Some("b"))] {
        app.execute(mail_to(user, template.map(str::to_owned))).await.unwrap();
    }
    app.scope("acme").execute(mail_to(1, None)).await.unwrap();
    let found = |found: Vec<Arc<Execution>>| -> Vec<Vec<String>> {
        let texts = |execution: &Arc<Execution>| {
            execution.request.fields.readable().into_iter().map(|(_, text)| text).collect()
        };
        found.iter().map(texts).collect()
    };
    let of_user = app.find("mail-to", "user", &1_u8).await.unwrap();
    assert_eq!(found(of_user), [vec!["b", "1"], vec!["1"], vec!["a", "1"]], "newest first");
    let of_template = app.find("mail-to", "template", "a").await.unwrap();
    assert_eq!(found(of_template), [vec!["a", "2"], vec!["a", "1"]]);
    assert_eq!(app.scope("acme").find("mail-to", "user", &1_u64).await.unwrap().len(), 1);
    assert!(app.find("mail-to", "user", "1").await.unwrap().is_empty(), "a text is no number");
    assert!(app.find("once", "id", "1").await.unwrap().is_empty());
    let error = app.find("mail", "user", &1_u64).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnknownAction);
    assert!(error.message().contains("`mail-to`"), "{error}");
}

// R48
async fn executions_are_listed_newest_first_in_pages(bench: Bench) {
    let app = bench.start().await;
    for at in 0..7 {
        if at % 3 == 0 {
            bench.world.script([Step::Fails(Some(FailureClass::Repair))]);
        }
        let _ = app.execute(once(at.to_string(), "n".into())).await.is_ok();
        app.scope("other").execute(once(at.to_string(), "n".into())).await.unwrap();
    }
    let mut ids = Vec::new();
    let mut filter = Filter::default().limit(3);
    loop {
        let page = app.list(filter.clone()).await.unwrap();
        assert!(page.executions.len() <= 3);
        ids.extend(page.executions.iter().map(|execution| execution.request.fields.readable()));
        match page.next {
            Some(next) => filter = Filter::default().limit(3).before(next),
            None => break,
        }
    }
    let ids: Vec<_> = ids.into_iter().map(|fields| fields[0].1.clone()).collect();
    assert_eq!(ids, ["6", "5", "4", "3", "2", "1", "0"], "of this scope alone");
    let parked = app.list(Filter::default().action("once").status(Status::Parked)).await.unwrap();
    assert_eq!((parked.executions.len(), parked.next), (3, None));
    let none = app.list(Filter::default().action("repeatable")).await.unwrap();
    assert!(none.executions.is_empty());
}
