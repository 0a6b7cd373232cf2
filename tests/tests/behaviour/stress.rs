//! Two processes on one store, both with faults at random, many callers with waits of every
//! length; then a phase without faults in which all must settle. What the callers saw is checked
//! against what happened.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use do_runtime::store::Filter;

use super::harness::*;

/// One call and its answer; the numbers are places in the order of all that happened.
#[derive(Debug)]
struct Seen {
    id: String,
    invoked: u64,
    returned: u64,
    answer: Result<(String, How), Error>,
}

/// All that was seen.
#[derive(Debug, Default)]
struct History {
    seen: Mutex<Vec<Seen>>,
    order: AtomicU64,
}

/// Calls once it may begin, and keeps what it saw.
async fn observed(
    app: Runtime,
    id: String,
    wait: Duration,
    begin: impl Future<Output = ()>,
    history: Arc<History>,
) {
    begin.await;
    let invoked = history.order.fetch_add(1, Ordering::SeqCst);
    let answer = execute(&app, &id, wait).await;
    let returned = history.order.fetch_add(1, Ordering::SeqCst);
    history.seen.lock().unwrap().push(Seen { id, invoked, returned, answer });
}

/// The actions by the number that an id begins with; of a transaction the world's name follows.
async fn execute(app: &Runtime, id: &str, wait: Duration) -> Result<(String, How), Error> {
    let (id, note) = (id.to_owned(), "n".to_owned());
    let receipt = match &id[..1] {
        "0" => app.execute(once(id, note)).wait(wait).receipt().await,
        "1" => app.execute(repeatable(id, note)).wait(wait).receipt().await,
        "3" => {
            let (id, world) = id.split_once('@').unwrap();
            app.execute(transaction(id.into(), world.into())).wait(wait).receipt().await
        }
        _ => app.execute(checked(id, note)).wait(wait).receipt().await,
    }?;
    Ok((receipt.value, receipt.how))
}

async fn check_seed(seed: u64, happened: &mut BTreeMap<String, u64>) {
    let bench = Bench::memory();
    let mut dice = Dice(seed);
    bench.world.slow_down(bench.clock(), seed + 1);
    bench.world.script((0..400).map(|_| dice.step()).collect::<Vec<_>>());
    let mut apps = Vec::new();
    for process in 0..2 {
        let (builder, faulty) = bench.faulty();
        let app = builder.only((once, repeatable, checked)).start().await.unwrap();
        faulty.chaos(seed + 10 + process, 15);
        apps.push((app, faulty));
    }
    let history = Arc::new(History::default());
    let calls: Vec<_> = (0..150)
        .map(|_| {
            let app = apps[dice.throw(2) as usize].0.clone();
            let id = format!("{}-{}", dice.throw(3), dice.throw(6));
            let begin = bench.clock().sleep(Duration::from_millis(dice.throw(600_000)));
            let wait =
                Duration::from_millis([0, 100, 5_000, 60_000, 600_000][dice.throw(5) as usize]);
            tokio::spawn(observed(app, id, wait, begin, Arc::clone(&history)))
        })
        .collect();
    for call in calls {
        bench.run(call).await.unwrap();
    }
    for (_, faulty) in &apps {
        faulty.chaos(0, 0);
    }
    let hour = bench.clock().sleep(Duration::from_secs(3600));
    bench.run(hour).await;
    assert_eq!(history.seen.lock().unwrap().len(), 150, "seed {seed}: every call has an answer");
    let effects = |id: &str| bench.world.effects_of(id);
    judge(seed, effects, &apps[0].0, &history, happened).await;
}

/// A key is a write-once register: all successes carry one value, one call at most executed it,
/// and none that was made after an answer.
fn is_linear(calls: &[Seen]) -> Result<(), &'static str> {
    let oks = || calls.iter().filter_map(|call| Some((call, call.answer.as_ref().ok()?)));
    let executed: Vec<_> =
        oks().filter(|(_, (_, how))| *how == How::Executed).map(|(call, _)| call).collect();
    if executed.len() > 1 {
        return Err("executed twice");
    }
    let Some((_, (first, _))) = oks().next() else { return Ok(()) };
    if oks().any(|(_, (value, _))| value != first) {
        return Err("two values");
    }
    let done = oks().map(|(call, _)| call.returned).min();
    if executed.iter().any(|run| done.is_some_and(|done| run.invoked > done)) {
        return Err("executed after an answer");
    }
    let failed_later = |call: &&Seen| {
        let failed = call.answer.as_ref().is_err_and(|error| {
            matches!(error.kind(), ErrorKind::Failed | ErrorKind::Parked | ErrorKind::InDoubt)
        });
        failed && done.is_some_and(|done| call.invoked > done)
    };
    if calls.iter().any(|call| failed_later(&call)) {
        return Err("failed after an answer");
    }
    Ok(())
}

/// What the callers saw against what is recorded and what took effect.
async fn judge(
    seed: u64,
    effects: impl Fn(&str) -> usize,
    app: &Runtime,
    history: &History,
    happened: &mut BTreeMap<String, u64>,
) {
    let mut of_key: BTreeMap<String, Vec<Seen>> = BTreeMap::new();
    for one in std::mem::take(&mut *history.seen.lock().unwrap()) {
        let what = one.answer.as_ref().map_or_else(|error| error.code(), |(_, how)| how.as_str());
        *happened.entry(what.to_owned()).or_default() += 1;
        of_key.entry(one.id.clone()).or_default().push(one);
    }
    for (id, calls) in &of_key {
        let judged = is_linear(calls);
        assert!(judged.is_ok(), "seed {seed}, {id}: {}: {calls:#?}", judged.unwrap_err());
    }
    let executions = app.list(Filter::default()).await.unwrap().executions;
    for execution in executions {
        let id = execution.request.fields.readable()[0].1.clone();
        let state = &execution.state;
        let trail = words(app, execution.identity.key).await;
        for word in &trail {
            *happened.entry(format!("entry {word}")).or_default() += 1;
        }
        let effects = effects(&id);
        let told =
            || format!("seed {seed}, {id}: {effects} effects, {:?}, {trail:?}", state.status);
        assert!(effects as u32 <= state.attempts, "{}", told());
        assert!(id.starts_with('1') || effects <= 1, "{}", told());
        match state.status {
            Status::Succeeded => assert!(effects >= 1, "{}", told()),
            Status::Failed | Status::Parked => assert_eq!(effects, 0, "{}", told()),
            Status::InDoubt => assert!(state.doubt, "{}", told()),
            Status::Waiting => assert!(state.due.is_some(), "{}", told()),
            Status::Running | Status::Expired => panic!("{}", told()),
            other => panic!("{other}"),
        }
        // An acknowledged success is what is recorded.
        let calls = of_key.iter().find(|(called, _)| called.split('@').next() == Some(&id));
        let mut oks = calls.into_iter().flat_map(|(called, calls)| {
            calls.iter().filter_map(move |call| Some((called, call.answer.as_ref().ok()?)))
        });
        if let Some((called, (value, _))) = oks.next() {
            assert_eq!(state.status, Status::Succeeded, "{}", told());
            let again = execute(app, called, Duration::from_secs(1)).await.unwrap();
            assert_eq!(&again, &(value.clone(), How::Replayed), "{}", told());
        }
    }
}

// I1–I13, R1, R23, R24, R30, R49; I15: and a run in which some of it never happened shows nothing.
#[tokio::test]
async fn what_callers_saw_fits_what_happened() {
    let mut happened = BTreeMap::new();
    for seed in 0..SEEDS {
        check_seed(seed * 1000 + 7, &mut happened).await;
    }
    for what in [
        "executed",
        "joined",
        "replayed",
        "in_doubt",
        "in_progress",
        "parked",
        "failed",
        "unrecorded",
        "store_unavailable",
        "entry unknown",
        "entry lease_over",
        "entry ask_later",
        "entry not_there",
        "entry found",
    ] {
        assert!(happened.contains_key(what), "never seen: {what}; {happened:#?}");
    }
}

/// How many runs, each with its own chances.
const SEEDS: u64 = 30;

// C110: the same on SQLite, with threads and the machine's time, and with transactions.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn what_callers_saw_fits_what_happened_on_sqlite() {
    let mut happened = BTreeMap::new();
    for seed in 0..2 {
        check_sqlite(seed * 1000 + 7, &mut happened).await;
    }
    for what in ["executed", "joined", "replayed", "in_progress", "entry unknown", "entry retry"] {
        assert!(happened.contains_key(what), "never seen: {what}; {happened:#?}");
    }
}

async fn check_sqlite(seed: u64, happened: &mut BTreeMap<String, u64>) {
    let bench = Bench::sqlite();
    db::prepare(bench.file()).await;
    let mut dice = Dice(seed);
    bench.world.script((0..60).map(|_| dice.step()).collect::<Vec<_>>());
    let mut apps = Vec::new();
    for process in 0..2 {
        let (builder, faulty) = bench.faulty();
        let app = builder.only((once, repeatable, transaction)).start().await.unwrap();
        faulty.chaos(seed + 10 + process, 10);
        apps.push((app, faulty));
    }
    let history = Arc::new(History::default());
    let ids: Vec<_> = (0..15)
        .map(|at| match at % 3 {
            2 => format!("3-{at}@{}", bench.world.name()),
            class => format!("{class}-{at}"),
        })
        .collect();
    let calls: Vec<_> = (0..150)
        .map(|_| {
            let app = apps[dice.throw(2) as usize].0.clone();
            let id = ids[dice.throw(15) as usize].clone();
            let wait = Duration::from_millis([0, 20, 200, 2_000][dice.throw(4) as usize]);
            let turns = dice.throw(5_000);
            let begin = async move {
                for _ in 0..turns {
                    tokio::task::yield_now().await;
                }
            };
            tokio::spawn(observed(app, id, wait, begin, Arc::clone(&history)))
        })
        .collect();
    for call in calls {
        call.await.unwrap();
    }
    for (_, faulty) in &apps {
        faulty.chaos(0, 0);
    }
    // All that goes on by itself comes to its end.
    let app = &apps[0].0;
    for id in &ids {
        while let Err(error) = execute(app, id, Duration::from_secs(1)).await
            && error.retryable()
        {
            // It waits for its next attempt, perhaps for minutes.
            app.retry(error.execution().unwrap()).because("impatience").await.unwrap();
        }
    }
    let rows = db::rows(bench.file()).await;
    let effects = |id: &str| match id.starts_with('3') {
        true => rows.iter().filter(|row| *row == id).count(),
        false => bench.world.effects_of(id),
    };
    judge(seed, effects, app, &history, happened).await;
}

// The judge is judged: a good history is spoilt in every way, and each is found out.
#[tokio::test]
async fn a_spoilt_history_is_found_out() {
    let call = |invoked, returned, value: &str, how| Seen {
        id: "0-0".into(),
        invoked,
        returned,
        answer: Ok((value.into(), how)),
    };
    let good = || {
        vec![
            call(0, 5, "a", How::Executed),
            call(1, 6, "a", How::Joined),
            call(7, 8, "a", How::Replayed),
        ]
    };
    assert_eq!(is_linear(&good()), Ok(()));
    let mut twice = good();
    twice[1].answer = Ok(("a".into(), How::Executed));
    assert_eq!(is_linear(&twice), Err("executed twice"));
    let mut swapped = good();
    swapped[2].answer = Ok(("b".into(), How::Replayed));
    assert_eq!(is_linear(&swapped), Err("two values"));
    let mut moved = good();
    (moved[0].invoked, moved[0].returned) = (9, 10);
    assert_eq!(is_linear(&moved), Err("executed after an answer"));
    let bench = Bench::memory();
    bench.world.script([Step::Fails(Some(FailureClass::Permanent))]);
    let app = bench.start().await;
    let error = app.execute(once("1".into(), "n".into())).await.unwrap_err();
    let mut failed = good();
    failed[2].answer = Err(error);
    assert_eq!(is_linear(&failed), Err("failed after an answer"));
}
