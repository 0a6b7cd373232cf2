//! What `start()` refuses, naming places, and what it takes.

use do_runtime::{Mistake, StartError};
use sqlx::SqliteConnection;

use super::harness::*;

mod billing {
    use super::super::harness::*;

    #[action(key(id), name = "charge.card")]
    pub(super) async fn create(world: &World, id: u64) -> Result<String> {
        world.act(&id.to_string()).await
    }
}

mod users {
    use super::super::harness::*;

    #[action(key(id), name = "charge.card")]
    pub(super) async fn create(world: &World, id: u64) -> Result<String> {
        world.act(&id.to_string()).await
    }
}

async fn refused(builder: do_runtime::Builder) -> (Vec<Mistake>, String) {
    let error = builder.start().await.unwrap_err();
    let text = error.to_string();
    match error {
        StartError::Mistakes(mistakes) => (mistakes, text),
        other => panic!("{other}"),
    }
}

fn memory() -> do_runtime::Builder {
    do_runtime::testing::runtime().0
}

// C4, P.15: never last-wins.
#[tokio::test]
async fn two_actions_of_one_name_are_refused_with_both_places() {
    let builder = memory().provide(World::new()).only((billing::create, users::create));
    let (mistakes, text) = refused(builder).await;
    assert_eq!(mistakes.len(), 1, "{text}");
    assert!(text.contains("`charge.card`"), "{text}");
    assert_eq!(text.matches("start.rs:").count(), 2, "both places: {text}");
    assert!(text.contains("name = "), "what to do: {text}");
    // One function that is named twice is one action.
    memory().provide(World::new()).only((once, once)).start().await.unwrap();
    let error = memory().only((billing::create, users::create)).connect().await.unwrap_err();
    assert!(matches!(error, StartError::Mistakes(_)), "{error}");
}

#[derive(Debug)]
struct Mailer;

#[derive(Debug)]
struct Crm;

#[action(key(id))]
async fn needs_two(mailer: &Mailer, crm: &Crm, attempt: &Attempt, id: u64) -> Result<()> {
    let _ = (mailer, crm, attempt, id);
    Ok(())
}

// P.15, D3.1
#[tokio::test]
async fn what_is_borrowed_and_not_provided_is_refused_by_name_and_place() {
    let (mistakes, text) = refused(memory().provide(Crm).only(needs_two)).await;
    let [Mistake::NotProvided { name, parameter, place, type_name, .. }] = &mistakes[..] else {
        panic!("{text}")
    };
    assert_eq!((*name, *parameter), ("needs-two", "mailer"));
    assert!(place.contains("start.rs:") && type_name.ends_with("Mailer"), "{text}");
    assert!(text.contains("take it by value") && text.contains(".provide("), "{text}");
    let (mistakes, text) = refused(memory().only((needs_two, once))).await;
    assert_eq!(mistakes.len(), 3, "all of them at once: {text}");
    // `.connect()` runs nothing, and needs nothing provided.
    memory().only((needs_two, once)).connect().await.unwrap();
}

// P.15
#[tokio::test]
async fn a_type_that_is_provided_twice_is_refused() {
    let (mistakes, text) =
        refused(memory().provide(World::new()).provide(World::new()).only(once)).await;
    assert!(matches!(mistakes[..], [Mistake::ProvidedTwice { .. }]), "{text}");
    assert!(text.contains("World"), "{text}");
}

#[action(key(id))]
async fn on_sqlite(db: &mut SqliteConnection, id: u64) -> Result<()> {
    let _ = (db, id);
    Ok(())
}

// P.15
#[tokio::test]
async fn a_connection_that_the_store_does_not_have_is_refused() {
    let (mistakes, text) = refused(memory().only(on_sqlite)).await;
    let [Mistake::OtherDatabase { name, place, wanted, store, .. }] = &mistakes[..] else {
        panic!("{text}")
    };
    assert_eq!((*name, *wanted, store), ("on-sqlite", "SQLite", &None));
    assert!(place.contains("start.rs:") && text.contains(".only("), "{text}");
    Bench::sqlite().start_with(on_sqlite).await;
}

// P.15
#[tokio::test]
async fn an_empty_registry_is_refused() {
    let (mistakes, text) = refused(memory().only(())).await;
    assert_eq!(mistakes, [Mistake::Empty]);
    assert!(text.contains("#[action]") && text.contains(".register("), "{text}");
}

// D5: everything that is wrong, not the first of it.
#[tokio::test]
async fn all_mistakes_are_told_at_once() {
    let builder = memory().provide(Crm).provide(Crm);
    let (mistakes, text) =
        refused(builder.only((billing::create, users::create, on_sqlite, needs_two))).await;
    let has = |wanted: fn(&Mistake) -> bool| mistakes.iter().any(wanted);
    assert!(has(|mistake| matches!(mistake, Mistake::NameTwice { .. })), "{text}");
    assert!(has(|mistake| matches!(mistake, Mistake::ProvidedTwice { .. })), "{text}");
    assert!(has(|mistake| matches!(mistake, Mistake::NotProvided { .. })), "{text}");
    assert!(has(|mistake| matches!(mistake, Mistake::OtherDatabase { .. })), "{text}");
}

// D3.2
#[tokio::test]
async fn a_store_that_does_not_open_says_what_to_write() {
    let folder = tempfile::tempdir().unwrap();
    for (address, expected) in [
        ("postgres://localhost/x".to_owned(), "sqlite://"),
        ("nothing".to_owned(), "sqlite://"),
        (format!("sqlite://{}/no/such/folder/do.db", folder.path().display()), "no/such/folder"),
    ] {
        let builder = Runtime::open(address.as_str()).provide(World::new()).only(once);
        let error = builder.start().await.unwrap_err();
        assert!(matches!(error, StartError::Store(_)), "{error}");
        assert!(error.to_string().contains(expected), "{address}: {error}");
    }
}

trait Greets: Send + Sync {
    fn greet(&self) -> String;
}

struct English;

impl Greets for English {
    fn greet(&self) -> String {
        "hello".to_owned()
    }
}

#[action(key(id))]
async fn greets(greeter: &dyn Greets, shared: &Arc<dyn Greets>, id: u64) -> Result<String> {
    let _ = id;
    Ok(greeter.greet() + &shared.greet())
}

// D3.1
#[tokio::test]
async fn a_trait_object_is_provided_in_an_arc() {
    let shared: Arc<dyn Greets> = Arc::new(English);
    let app = memory().provide(shared).only(greets).start().await.unwrap();
    assert_eq!(app.execute(greets(1)).await.unwrap(), "hellohello");
}

// D3.2: a runtime is narrowed, and says so.
#[tokio::test]
async fn an_action_that_was_left_out_is_unknown() {
    let app = memory().provide(World::new()).only(once).start().await.unwrap();
    let error = app.execute(repeatable("1".into(), "n".into())).await.unwrap_err();
    assert_eq!((error.kind(), error.effect()), (ErrorKind::UnknownAction, Effect::None));
}

// D3.2
#[tokio::test]
async fn a_pool_that_the_application_has_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("app.db");
    db::prepare(&file).await;
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&file);
    let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
    let world = World::new();
    let app = Runtime::with_pool(pool.clone())
        .provide(world.clone())
        .only((once, transaction))
        .start()
        .await
        .unwrap();
    app.execute(transaction("1".into(), world.name())).await.unwrap();
    assert_eq!(app.execute(once("1".into(), "n".into())).await.unwrap(), "1/1");
    let rows: Vec<String> =
        sqlx::query_scalar("SELECT id FROM effect").fetch_all(&pool).await.unwrap();
    assert_eq!(rows, ["1"]);
}
