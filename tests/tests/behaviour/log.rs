//! What is said to `tracing`: warnings with stable fields, a span for each attempt, and no value.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, Once};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use super::harness::*;

/// Keeps all that is said on this thread.
///
/// One subscriber serves all threads of the program: one that is set for a thread alone may find
/// that another thread has switched a line off for good.
#[derive(Debug, Clone, Default)]
struct Log(Arc<Mutex<Vec<Line>>>);

thread_local! {
    static LOG: RefCell<Option<Log>> = const { RefCell::new(None) };
}

/// Hands what is said to the log of the thread, if it has one.
#[derive(Debug, Default)]
struct Switchboard(AtomicU64);

#[derive(Debug, Clone)]
struct Line {
    level: Level,
    name: String,
    fields: Vec<(String, String)>,
}

impl Line {
    fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str())
    }
}

struct Fields(Vec<(String, String)>);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let mut text = String::new();
        write!(text, "{value:?}").unwrap();
        self.0.push((field.name().to_owned(), text));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.push((field.name().to_owned(), value.to_owned()));
    }
}

impl Log {
    /// The log of this thread, from now on.
    fn of_this_thread() -> Self {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            tracing::subscriber::set_global_default(Switchboard::default()).unwrap();
        });
        let log = Self::default();
        LOG.with_borrow_mut(|own| *own = Some(log.clone()));
        log
    }

    fn lines(&self) -> Vec<Line> {
        self.0.lock().unwrap().clone()
    }

    fn warnings(&self) -> Vec<Line> {
        self.lines().into_iter().filter(|line| line.level <= Level::WARN).collect()
    }
}

fn say(metadata: &Metadata<'_>, record: impl FnOnce(&mut Fields)) {
    LOG.with_borrow(|log| {
        let Some(log) = log else { return };
        let mut fields = Fields(Vec::new());
        record(&mut fields);
        let line =
            Line { level: *metadata.level(), name: metadata.name().to_owned(), fields: fields.0 };
        log.0.lock().unwrap().push(line);
    });
}

impl Subscriber for Switchboard {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        say(span.metadata(), |fields| span.record(fields));
        Id::from_u64(self.0.fetch_add(1, Ordering::Relaxed) + 1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        say(event.metadata(), |fields| event.record(fields));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

// Issue 2: a warning with stable fields for each execution in doubt, parked or failed.
#[tokio::test]
async fn what_needs_attention_is_a_warning_with_stable_fields() {
    use FailureClass::{Permanent, Repair};
    let log = Log::of_this_thread();
    let bench = Bench::memory();
    let app = bench.start().await.scope("acme");
    for (id, step, state, class) in [
        ("1", Step::Fails(None), "in_doubt", None),
        ("2", Step::Panics, "in_doubt", Some("in_doubt")),
        ("3", Step::Fails(Some(Repair)), "parked", Some("repair")),
        ("4", Step::Fails(Some(Permanent)), "failed", Some("permanent")),
    ] {
        bench.world.script([step]);
        let before = log.warnings().len();
        let error = app.execute(once(id.into(), "n".into())).await.unwrap_err();
        let warnings = log.warnings();
        assert_eq!(warnings.len(), before + 1, "one each: {warnings:?}");
        let line = warnings.last().unwrap();
        assert_eq!(line.field("action"), Some("once"));
        assert_eq!(line.field("scope"), Some("acme"));
        let execution = error.execution().unwrap().to_string();
        assert_eq!(line.field("execution"), Some(execution.as_str()));
        assert_eq!((line.field("state"), line.field("attempts")), (Some(state), Some("1")));
        assert_eq!(line.field("class"), class, "{line:?}");
        // A repeat is told from the record: nobody is warned again.
        if state != "parked" {
            app.execute(once(id.into(), "n".into())).await.unwrap_err();
            assert_eq!(log.warnings().len(), before + 1);
        }
    }
    // A success, a replay and a transient failure warn nobody.
    let before = log.warnings().len();
    bench.world.script([Step::Fails(Some(FailureClass::Transient))]);
    bench.run(app.execute(once("9".into(), "n".into()))).await.unwrap();
    app.execute(once("9".into(), "n".into())).await.unwrap();
    assert_eq!(log.warnings().len(), before, "{:?}", log.warnings());
}

// Issue 2: a span for each attempt.
#[tokio::test]
async fn each_attempt_has_a_span() {
    let log = Log::of_this_thread();
    let bench = Bench::memory();
    let app = bench.start().await;
    bench.world.script([Step::Fails(None), Step::Fails(Some(FailureClass::Transient))]);
    let call = repeatable("1".into(), "n".into());
    let receipt = bench.run(app.execute(call).receipt()).await.unwrap();
    let spans: Vec<_> = log.lines().into_iter().filter(|line| line.name == "attempt").collect();
    let numbers: Vec<_> = spans.iter().map(|span| span.field("attempt").unwrap()).collect();
    assert_eq!(numbers, ["1", "2", "3"]);
    for span in &spans {
        assert_eq!((span.field("action"), span.field("round")), (Some("repeatable"), Some("1")));
        let execution = receipt.execution.to_string();
        assert_eq!(span.field("execution"), Some(execution.as_str()));
    }
}

// R12, I14, issue 2: no key and no payload in a line of the log.
#[tokio::test]
async fn no_value_is_in_the_log() {
    let log = Log::of_this_thread();
    let bench = Bench::memory();
    let (builder, faulty) = bench.faulty();
    let app = builder.only((once, repeatable, checked)).start().await.unwrap();
    bench.world.script([
        Step::Fails(None),
        Step::Panics,
        Step::Fails(Some(FailureClass::Permanent)),
        Step::Fails(Some(FailureClass::Repair)),
    ]);
    for at in 0..6 {
        let call = once(format!("canary-id-{at}"), "canary-note".into());
        faulty.fail(Point::Record, Fault::LostBefore, 1);
        let _ = bench.run(app.execute(call)).await.is_ok();
        let call = once(format!("canary-id-{at}"), "canary-other".into());
        let _ = bench.run(app.execute(call)).await.is_ok();
    }
    let handle = app.submit(checked("canary-id".into(), "canary-note".into())).await.unwrap();
    bench.run(handle.wait()).await.unwrap();
    let wrong = serde_json::json!({"id": "canary", "nota": "canary"});
    app.execute_named("once", wrong).await.unwrap_err();
    let all = format!("{:?}", log.lines());
    assert!(log.lines().len() > 20, "{all}");
    assert!(!all.contains("canary"), "{all}");
}

// D3.2, R48: everyone who listens hears every execution that somebody should look at, once.
#[tokio::test]
async fn listeners_hear_what_needs_attention() {
    let bench = Bench::memory();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let ear = Arc::clone(&heard);
    let app = bench
        .builder()
        .on(move |execution| {
            let id = execution.request.fields.readable()[0].1.clone();
            ear.lock().unwrap().push((id, execution.state.status));
        })
        .only((once, repeatable))
        .start()
        .await
        .unwrap();
    bench.world.script([Step::Ok, Step::Fails(None), Step::Fails(Some(FailureClass::Repair))]);
    for id in ["done", "doubt", "parked"] {
        let _ = app.execute(once(id.into(), "n".into())).await.is_ok();
    }
    let expected = [("doubt".to_owned(), Status::InDoubt), ("parked".to_owned(), Status::Parked)];
    assert_eq!(*heard.lock().unwrap(), expected);
    // Also what another process left behind: whoever takes it over tells.
    bench.world.script([Step::Hangs]);
    let other = bench.start().await;
    let task = tokio::spawn(other.execute(once("lost".into(), "n".into())).into_future());
    bench.world.until_bodies(4).await;
    let id = other.lookup(once("lost".into(), "n".into())).await.unwrap().key;
    bench.store().kill(instance_of(&other, id).await);
    let error = bench.run(app.execute(once("lost".into(), "n".into()))).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InDoubt);
    assert_eq!(heard.lock().unwrap().last().unwrap(), &("lost".to_owned(), Status::InDoubt));
    assert_eq!(heard.lock().unwrap().len(), 3);
    drop(task);
}
