//! Testing an action: a store in memory and a clock that is moved by hand, so that an outage of
//! hours passes in an instant.
//!
//! `cargo run -p examples --bin testing_an_action`, or `cargo test -p examples`

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use do_runtime::prelude::*;
use do_runtime::{How, testing};

/// A provider that is down for its first calls, and counts them.
#[derive(Debug, Clone)]
struct Scripted {
    down_for: u32,
    calls: Arc<AtomicU32>,
}

#[action(key(user_id), repeatable)]
async fn announce(provider: &Scripted, user_id: u64) -> Result<u32> {
    let call = provider.calls.fetch_add(1, Ordering::Relaxed) + 1;
    if call <= provider.down_for {
        return Err(Failure::new("503 from the provider").transient());
    }
    println!("announced user {user_id} on call {call}");
    Ok(call)
}

async fn an_outage_is_outlasted() -> anyhow::Result<()> {
    let (builder, clock) = testing::runtime();
    let provider = Scripted { down_for: 40, calls: Arc::default() };
    let app = builder.provide(provider.clone()).start().await?;

    let before = do_runtime::clock::Clock::now(&clock);
    let receipt = clock.run(app.execute(announce(7)).wait("24h").receipt()).await?;
    let hours = (receipt.ended.unix_ms() - before.unix_ms()) / 3_600_000;
    println!("{} attempts in {hours} hours", receipt.attempts);
    assert_eq!((receipt.value, receipt.attempts), (41, 41));

    // Once is enough, whoever asks again.
    let again = clock.run(app.execute(announce(7)).receipt()).await?;
    assert_eq!((again.value, again.how), (41, How::Replayed));
    assert_eq!(provider.calls.load(Ordering::Relaxed), 41);
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    an_outage_is_outlasted().await
}

#[cfg(test)]
#[tokio::test]
async fn outage() {
    an_outage_is_outlasted().await.expect("once, after the outage");
}
