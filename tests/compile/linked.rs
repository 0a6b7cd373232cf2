//! An application whose actions are written in another crate: they are found, by type and by name.

use do_runtime::action::Registration;
use do_tests::{Greeting, greet};
use serde_json::json;

#[tokio::test]
async fn actions_of_another_crate_are_found_and_run() {
    let linked: Vec<_> = Registration::all()
        .filter(|definition| definition.name.starts_with("linked."))
        .map(|definition| (definition.name, definition.source.crate_name))
        .collect();
    assert_eq!(linked.len(), 2, "{linked:?}");
    assert!(linked.iter().all(|(_, crate_name)| *crate_name == "do-tests"), "{linked:?}");

    let (builder, _clock) = do_runtime::testing::runtime();
    let app = builder.provide(Greeting::new("hello")).start().await.unwrap();
    assert_eq!(app.execute(greet("Ada".to_owned())).await.unwrap(), "hello Ada");
    let again = app.execute_named("linked.greet", json!({ "name": "Ada" })).await.unwrap();
    assert_eq!(again, json!("hello Ada"));
    let unseen = app.execute_named("linked.unseen", json!({ "id": 1 })).await.unwrap();
    assert_eq!(unseen, json!(2));
}
