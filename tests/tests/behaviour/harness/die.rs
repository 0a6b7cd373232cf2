//! A process that dies with a body under way.

use std::sync::Arc;

use do_runtime::Error;
use do_runtime::action::{Action, IntoCall};
use do_runtime::key::Key;
use do_runtime::prelude::*;
use do_runtime::record::Status;
use do_runtime::store::Filter;
use tokio::task::JoinHandle;

use super::{Bench, Step};

/// Executes in a process of its own until the body hangs, then kills that process as far as the
/// store can tell; what it runs goes on as a zombie.
pub(crate) async fn die<C>(
    bench: &Bench,
    call: C,
) -> (Runtime, Key, JoinHandle<Result<String, Error>>)
where
    C: IntoCall,
    C::Action: Action<Return = Result<String>>,
{
    let app = bench.start().await;
    let before = bench.world.bodies();
    bench.world.script([Step::Hangs]);
    let task = tokio::spawn(app.execute(call).wait("1h").into_future());
    bench.world.until_bodies(before + 1).await;
    let running = Filter::default().status(Status::Running);
    let execution = Arc::clone(&app.list(running).await.unwrap().executions[0]);
    bench.store().kill(execution.state.instance.unwrap());
    (app, execution.identity.key, task)
}
