//! A store that is away, or whose answers are lost: before the effect nothing starts, after it
//! nothing is forgotten.

use super::harness::*;

on_both_stores![
    a_store_that_is_down_before_the_effect_starts_no_body,
    a_claim_whose_answer_is_lost_is_found_again,
    a_claim_whose_fate_is_unknown_is_in_progress,
    an_outcome_that_cannot_be_written_is_written_later,
    an_outcome_whose_answer_is_lost_is_recorded_once,
    a_silent_store_does_not_outlast_the_callers_wait,
    a_store_that_goes_away_does_not_unmake_what_runs,
];

async fn start(bench: &Bench) -> (Runtime, Faulty) {
    let (builder, faulty) = bench.faulty();
    let app = builder.only((once, repeatable)).start().await.unwrap();
    (app, faulty)
}

// S5, R21: no fail-open.
async fn a_store_that_is_down_before_the_effect_starts_no_body(bench: Bench) {
    let (app, faulty) = start(&bench).await;
    let call = || once("1".into(), "n".into());
    for point in [Point::Get, Point::Claim] {
        faulty.break_down(point, Fault::Down);
        let error = app.execute(call()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::StoreUnavailable, "{point:?}");
        assert_eq!((error.effect(), error.retryable()), (Effect::None, true));
        if point == Point::Claim {
            let error = app.submit(call()).await.unwrap_err();
            assert_eq!((error.kind(), error.effect()), (ErrorKind::StoreUnavailable, Effect::None));
        }
        faulty.repair(point);
    }
    assert_eq!(bench.world.bodies(), 0);
    assert_eq!(bench.run(app.execute(call())).await.unwrap(), "1/1");
    assert_eq!(bench.world.bodies(), 1);
}

// S3.4, C92
async fn a_claim_whose_answer_is_lost_is_found_again(bench: Bench) {
    let (app, faulty) = start(&bench).await;
    for (at, fault) in [Fault::LostAfter, Fault::LostBefore].into_iter().enumerate() {
        faulty.fail(Point::Claim, fault, 1);
        let call = once(at.to_string(), "n".into());
        let receipt = bench.run(app.execute(call).receipt()).await.unwrap();
        assert_eq!((receipt.how, receipt.attempts), (How::Executed, 1), "{fault:?}");
        assert_eq!(words(&app, receipt.execution).await, ["claimed", "succeeded"]);
        assert_eq!((bench.world.bodies(), bench.world.effects()), (at + 1, at + 1));
    }
    // The same for a claim of what waits, which goes through another method.
    for fault in [Fault::LostAfter, Fault::LostBefore] {
        let before = bench.world.bodies();
        bench.world.script([Step::Fails(Some(FailureClass::Repair))]);
        let call = || once(format!("{fault:?}"), "n".into());
        assert_eq!(app.execute(call()).await.unwrap_err().kind(), ErrorKind::Parked);
        faulty.fail(Point::Record, fault, 1);
        let receipt = bench.run(app.execute(call()).receipt()).await.unwrap();
        assert_eq!((receipt.how, receipt.attempts), (How::Executed, 2), "{fault:?}");
        assert_eq!(bench.world.bodies(), before + 2, "{fault:?}");
    }
}

// S4
async fn a_claim_whose_fate_is_unknown_is_in_progress(bench: Bench) {
    let (app, faulty) = start(&bench).await;
    let call = || once("1".into(), "n".into());
    faulty.fail(Point::Claim, Fault::LostAfter, 1);
    faulty.fail_after(Point::Get, 1, Fault::Down, usize::MAX);
    let first = tokio::spawn(app.execute(call()).receipt());
    faulty.until_hits(2).await;
    let error = bench.run(app.execute(call()).wait("20ms")).await.unwrap_err();
    assert_eq!((error.kind(), error.effect()), (ErrorKind::InProgress, Effect::Unknown));
    assert_eq!(bench.world.bodies(), 0);
    faulty.repair(Point::Get);
    let receipt = bench.run(first).await.unwrap().unwrap();
    assert_eq!((receipt.how, bench.world.effects()), (How::Executed, 1));
}

// S5, C92, R18, R21, C59
async fn an_outcome_that_cannot_be_written_is_written_later(bench: Bench) {
    let (app, faulty) = start(&bench).await;
    let call = || once("1".into(), "n".into());
    faulty.break_down(Point::Record, Fault::Down);
    let first = tokio::spawn(app.execute(call()).wait("1h").receipt());
    faulty.until_hits(1).await;
    assert_eq!(bench.world.effects(), 1);
    // Whoever asks meanwhile: with the store readable, and with all of it down.
    for down in [false, true] {
        if down {
            faulty.break_down(Point::Get, Fault::Down);
        }
        let error = bench.run(app.execute(call()).wait("300ms")).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unrecorded, "{error}");
        assert_eq!((error.effect(), error.retryable()), (Effect::Unknown, true));
    }
    faulty.repair(Point::Get);
    faulty.repair(Point::Record);
    let receipt = bench.run(first).await.unwrap().unwrap();
    assert_eq!((receipt.how, receipt.attempts), (How::Executed, 1));
    let again = app.execute(call()).receipt().await.unwrap();
    assert_eq!((again.how, again.json), (How::Replayed, receipt.json));
    assert_eq!((bench.world.bodies(), bench.world.effects()), (1, 1));
}

// S5: a commit whose answer is lost.
async fn an_outcome_whose_answer_is_lost_is_recorded_once(bench: Bench) {
    let (app, faulty) = start(&bench).await;
    let transient = Step::Fails(Some(FailureClass::Transient));
    for (at, fault) in [Fault::LostAfter, Fault::LostBefore].into_iter().enumerate() {
        bench.world.script([Step::Ok, transient, Step::Ok]);
        faulty.fail(Point::Record, fault, 1);
        let call = repeatable(format!("ok {at}"), "n".into());
        let receipt = bench.run(app.execute(call).receipt()).await.unwrap();
        assert_eq!((receipt.how, receipt.attempts), (How::Executed, 1), "{fault:?}");
        assert_eq!(words(&app, receipt.execution).await, ["claimed", "succeeded"]);
        // An end that is no success is written once too.
        faulty.fail(Point::Record, fault, 1);
        let call = repeatable(format!("err {at}"), "n".into());
        let receipt = bench.run(app.execute(call).receipt()).await.unwrap();
        let expected = ["claimed", "retry", "claimed", "succeeded"];
        assert_eq!(words(&app, receipt.execution).await, expected, "{fault:?}");
    }
    assert_eq!(bench.world.effects(), 4);
}

// I10
async fn a_silent_store_does_not_outlast_the_callers_wait(bench: Bench) {
    let (app, faulty) = start(&bench).await;
    let call = || once("1".into(), "n".into());
    faulty.fail(Point::Get, Fault::Silent, 1);
    let error = bench.run(app.execute(call()).wait("50ms")).await.unwrap_err();
    assert_eq!((error.kind(), error.effect()), (ErrorKind::StoreUnavailable, Effect::None));
    faulty.fail(Point::Claim, Fault::Silent, 1);
    let error = bench.run(app.execute(call()).wait("50ms")).await.unwrap_err();
    assert_eq!((error.kind(), error.effect()), (ErrorKind::InProgress, Effect::Unknown));
    assert_eq!(bench.world.bodies(), 0);
}

// S4, I13: somebody who waits for what runs elsewhere is never told that nothing was started.
async fn a_store_that_goes_away_does_not_unmake_what_runs(bench: Bench) {
    let one = bench.start().await;
    let (two, faulty) = start(&bench).await;
    bench.world.script([Step::AppliesThenHangs]);
    let call = || once("1".into(), "n".into());
    let first = tokio::spawn(one.execute(call()).receipt());
    bench.world.until_bodies(1).await;
    let second = tokio::spawn(two.execute(call()).wait("400ms").into_future());
    let handle = two.submit(call()).await.unwrap();
    let third = tokio::spawn(async move { handle.wait_for("400ms").await });
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
    faulty.break_down(Point::Get, Fault::Down);
    for waiter in [second, third] {
        let error = bench.run(waiter).await.unwrap().unwrap_err();
        assert_eq!((error.kind(), error.effect()), (ErrorKind::InProgress, Effect::Unknown));
    }
    bench.world.release();
    assert_eq!(first.await.unwrap().unwrap().how, How::Executed);
}
