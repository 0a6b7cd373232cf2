//! Panics, wherever they come from: each is an end with a meaning, and the runtime lives.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::harness::*;

on_both_stores![
    a_panic_in_a_body_is_an_unknown_end,
    a_panic_in_a_destructor_is_an_unknown_end,
    a_panic_while_the_result_is_written_leaves_a_success,
    a_panic_while_an_error_is_shown_is_an_unknown_end,
    a_panic_in_a_listener_stops_nobody,
    a_panic_in_a_classifier_leaves_a_defined_state,
    a_panic_with_any_payload_is_caught,
];

/// The runtime still does what it should.
async fn lives(bench: &Bench, app: &Runtime) {
    let call = || healthy("healthy".into());
    let first = bench.run(app.execute(call())).await.unwrap();
    assert_eq!(bench.run(app.execute(call())).await.unwrap(), first);
}

#[action(key(id))]
async fn healthy(world: &World, id: String) -> Result<String> {
    world.act(&id).await
}

// F43, R21
async fn a_panic_in_a_body_is_an_unknown_end(bench: Bench) {
    let app = bench.start_with((once, healthy)).await;
    bench.world.script([Step::AppliesThenPanics]);
    let error = app.execute(once("1".into(), "n".into())).await.unwrap_err();
    assert_eq!((error.kind(), error.effect()), (ErrorKind::InDoubt, Effect::Unknown));
    assert!(error.message().contains("panicked: scripted panic"), "{error}");
    lives(&bench, &app).await;
}

struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic!("a bomb went off");
        }
    }
}

#[action(key(id), once)]
async fn drops_a_bomb(world: &World, id: String) -> Result<String> {
    let _bomb = Bomb;
    world.act(&id).await
}

#[action(key(id), once, timeout = "20ms")]
async fn is_stopped_with_a_bomb(world: &World, id: String) -> Result<String> {
    let _bomb = Bomb;
    world.act(&id).await
}

// F43: at its end, and when the body is stopped.
async fn a_panic_in_a_destructor_is_an_unknown_end(bench: Bench) {
    let app = bench.start_with((drops_a_bomb, is_stopped_with_a_bomb, healthy)).await;
    let error = app.execute(drops_a_bomb("1".into())).await.unwrap_err();
    assert_eq!((error.kind(), error.effect()), (ErrorKind::InDoubt, Effect::Unknown));
    assert!(error.message().contains("a bomb went off"), "{error}");
    bench.world.script([Step::Hangs]);
    let error = bench.run(app.execute(is_stopped_with_a_bomb("1".into()))).await.unwrap_err();
    assert_eq!((error.kind(), error.effect()), (ErrorKind::InDoubt, Effect::Unknown));
    assert!(error.message().contains("time-out"), "{error}");
    lives(&bench, &app).await;
}

#[derive(Debug)]
struct Unwritable;

impl Serialize for Unwritable {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        panic!("cannot be written")
    }
}

impl<'de> Deserialize<'de> for Unwritable {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Ok(Self)
    }
}

#[action(key(id), repeatable)]
async fn returns_the_unwritable(world: &World, id: String) -> Result<Unwritable> {
    world.act(&id).await?;
    Ok(Unwritable)
}

/// Refuses to be written, without a panic.
#[derive(Debug)]
struct Refusing;

impl Serialize for Refusing {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("not today"))
    }
}

impl<'de> Deserialize<'de> for Refusing {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Ok(Self)
    }
}

#[action(key(id), repeatable)]
async fn returns_the_refusing(world: &World, id: String) -> Result<Refusing> {
    world.act(&id).await?;
    Ok(Refusing)
}

// S5, S5.30: after a success nothing becomes a retry.
async fn a_panic_while_the_result_is_written_leaves_a_success(bench: Bench) {
    let app = bench.start_with((returns_the_unwritable, returns_the_refusing, healthy)).await;
    for (at, text) in ["cannot be written", "not today"].into_iter().enumerate() {
        for _ in 0..2 {
            let error = match at {
                0 => bench.run(app.execute(returns_the_unwritable("1".into()))).await.map(drop),
                _ => bench.run(app.execute(returns_the_refusing("1".into()))).await.map(drop),
            };
            let error = error.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::IncompatibleResult, "{error}");
            assert_eq!((error.effect(), error.retryable()), (Effect::Applied, false));
            assert!(error.message().contains(text), "{error}");
            let expected = ["claimed", "succeeded"];
            assert_eq!(words(&app, error.execution().unwrap()).await, expected);
        }
        assert_eq!(bench.world.bodies(), at + 1);
    }
    lives(&bench, &app).await;
}

#[derive(Debug)]
struct Unshowable;

impl std::fmt::Display for Unshowable {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        panic!("cannot be shown")
    }
}

#[action(key(id), once)]
async fn fails_unshowably(world: &World, id: String) -> Result<(), Unshowable> {
    let _ = world.act(&id).await.is_ok();
    Err(Unshowable)
}

// F43
async fn a_panic_while_an_error_is_shown_is_an_unknown_end(bench: Bench) {
    let app = bench.start_with((fails_unshowably, healthy)).await;
    let error = app.execute(fails_unshowably("1".into())).await.unwrap_err();
    assert_eq!((error.kind(), error.effect()), (ErrorKind::InDoubt, Effect::Unknown));
    lives(&bench, &app).await;
}

// F43, R48
async fn a_panic_in_a_listener_stops_nobody(bench: Bench) {
    let heard = Arc::new(std::sync::Mutex::new(Vec::new()));
    let ear = Arc::clone(&heard);
    let app = bench
        .builder()
        .on(|_| panic!("scripted panic"))
        .on(move |execution| ear.lock().unwrap().push(execution.state.status))
        .only((once, healthy))
        .start()
        .await
        .unwrap();
    bench.world.script([
        Step::Fails(None),
        Step::Fails(Some(FailureClass::Repair)),
        Step::Fails(Some(FailureClass::Permanent)),
    ]);
    for id in ["1", "2", "3", "4"] {
        assert_eq!(app.execute(once(id.into(), "n".into())).await.is_ok(), id == "4");
    }
    let expected = [Status::InDoubt, Status::Parked, Status::Failed];
    assert_eq!(*heard.lock().unwrap(), expected);
    lives(&bench, &app).await;
}

#[derive(Debug)]
struct Odd;

impl std::fmt::Display for Odd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("odd")
    }
}

impl std::error::Error for Odd {}

#[action(key(id), once)]
async fn fails_oddly(world: &World, id: String) -> Result<()> {
    world.act(&id).await?;
    Err(Odd)?
}

// F43, I5: nothing stays in progress because of it.
async fn a_panic_in_a_classifier_leaves_a_defined_state(bench: Bench) {
    let app = bench
        .builder()
        .classifier(Arc::new(|error| {
            assert!(!error.is::<Odd>(), "scripted panic");
            None
        }))
        .only((fails_oddly, healthy))
        .start()
        .await
        .unwrap();
    let error = bench.run(app.execute(fails_oddly("1".into()))).await.unwrap_err();
    assert_eq!((error.kind(), error.effect()), (ErrorKind::InDoubt, Effect::Unknown));
    assert_eq!(bench.world.bodies(), 1);
    lives(&bench, &app).await;
}

#[action(key(id), once)]
async fn panics_with_a_number(world: &World, id: String) -> Result<()> {
    world.act(&id).await?;
    std::panic::panic_any(7_u64)
}

// F43
async fn a_panic_with_any_payload_is_caught(bench: Bench) {
    let app = bench.start_with((panics_with_a_number, healthy)).await;
    let error = app.execute(panics_with_a_number("1".into())).await.unwrap_err();
    assert_eq!((error.kind(), error.effect()), (ErrorKind::InDoubt, Effect::Unknown));
    lives(&bench, &app).await;
}
