//! `execute`: a named, lazy future.

use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{DEFAULT_WAIT, IntoSpan, NotASpan, Runtime};
use crate::action::{CallError, Prepared};
use crate::clock::Timestamp;
use crate::dispatcher::{Error, ErrorKind, How, Settled};
use crate::key::Key;
use crate::record::Value;

/// A call on its way to its value: nothing happens before it is awaited.
///
/// Dropping it stops no body that has begun. It waits 30 s unless [`wait`](Self::wait) says
/// otherwise; then the answer is [`ErrorKind::InProgress`], and what runs goes on.
#[must_use = "nothing happens before it is awaited"]
pub struct Execute<T> {
    plan: Option<Plan>,
    running: Option<Running>,
    value: PhantomData<fn() -> T>,
}

/// The dispatcher's answer, on its way.
type Running = Pin<Box<dyn Future<Output = Result<Settled, Error>> + Send>>;

/// A value, and how it came.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Receipt<T> {
    /// The value.
    pub value: T,
    /// Whether this call ran it, joined a run, or was given the recorded answer.
    pub how: How,
    /// The execution's id.
    pub execution: Key,
    /// Attempts that were claimed for it.
    pub attempts: u32,
    /// When it succeeded.
    pub ended: Timestamp,
    /// The recorded answer, byte for byte.
    pub json: Arc<[u8]>,
}

/// The same with [`Receipt`] as its value.
#[must_use = "nothing happens before it is awaited"]
#[derive(Debug)]
pub struct WithReceipt<T>(Execute<T>);

struct Plan {
    runtime: Runtime,
    call: Planned,
    wait: Result<Duration, NotASpan>,
}

enum Planned {
    Typed(Box<Result<Prepared, CallError>>),
    Named { name: String, params: Result<Vec<u8>, String>, key: Option<String> },
}

impl<T> Execute<T> {
    pub(super) fn of(runtime: Runtime, prepared: Result<Prepared, CallError>) -> Self {
        Self::plan(runtime, Planned::Typed(Box::new(prepared)))
    }

    pub(super) fn named(runtime: Runtime, name: String, params: &impl Serialize) -> Self {
        let params = serde_json::to_vec(params).map_err(|error| error.to_string());
        Self::plan(runtime, Planned::Named { name, params, key: None })
    }

    fn plan(runtime: Runtime, call: Planned) -> Self {
        let plan = Plan { runtime, call, wait: Ok(DEFAULT_WAIT) };
        Self { plan: Some(plan), running: None, value: PhantomData }
    }

    /// Waits that long (`"5s"`) for the end instead of 30 s.
    pub fn wait(mut self, wait: impl IntoSpan) -> Self {
        if let Some(plan) = &mut self.plan {
            plan.wait = wait.into_span();
        }
        self
    }

    /// Gives the key, to a call by name of an action with `key = caller`.
    pub fn keyed(mut self, given: impl Into<String>) -> Self {
        if let Some(Plan { call: Planned::Named { key, .. }, .. }) = &mut self.plan {
            *key = Some(given.into());
        }
        self
    }

    /// Gives a [`Receipt`] instead of the bare value.
    pub fn receipt(self) -> WithReceipt<T> {
        WithReceipt(self)
    }
}

impl Plan {
    async fn run(self) -> Result<Settled, Error> {
        let wait = self.wait?;
        let prepared = self.call.prepare(&self.runtime)?;
        let dispatcher = Arc::clone(&self.runtime.dispatcher);
        if !dispatcher.works {
            return Err(Error::new(
                ErrorKind::NotAllowed,
                "this runtime is only connected and runs nothing: submit the call, or open the \
                 runtime with .start()",
            ));
        }
        let asked = self.runtime.asked(Ok(prepared))?;
        dispatcher.execute(asked, wait).await
    }
}

impl Planned {
    fn prepare(self, runtime: &Runtime) -> Result<Prepared, Error> {
        match self {
            Self::Typed(prepared) => Ok((*prepared)?),
            Self::Named { name, params, key } => {
                let Some(action) = runtime.dispatcher.registry.action(&name) else {
                    return Err(runtime.unknown_action(&name));
                };
                let params = params.map_err(|error| Error::new(ErrorKind::InvalidParams, error))?;
                Ok((action.definition.by_name)(&params, key.as_deref())?)
            }
        }
    }
}

impl<T> Execute<T> {
    fn poll_settled(&mut self, cx: &mut Context<'_>) -> Poll<Result<Settled, Error>> {
        if let Some(plan) = self.plan.take() {
            self.running = Some(Box::pin(plan.run()));
        }
        match &mut self.running {
            Some(running) => running.as_mut().poll(cx),
            None => Poll::Pending,
        }
    }
}

impl<T: DeserializeOwned> Future for Execute<T> {
    type Output = Result<T, Error>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let settled = std::task::ready!(self.poll_settled(cx));
        Poll::Ready(settled.and_then(|settled| Ok(receipt(&settled)?.value)))
    }
}

impl<T: DeserializeOwned> Future for WithReceipt<T> {
    type Output = Result<Receipt<T>, Error>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let settled = std::task::ready!(self.0.poll_settled(cx));
        Poll::Ready(settled.and_then(|settled| receipt(&settled)))
    }
}

// What is pinned is behind a box; the value is only named.
impl<T> Unpin for Execute<T> {}

impl<T> std::fmt::Debug for Execute<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Execute").field("begun", &self.running.is_some()).finish_non_exhaustive()
    }
}

/// The typed answer of a success. Done is done: a value that cannot be read is an error that says
/// the effect is there.
pub(super) fn receipt<T: DeserializeOwned>(settled: &Settled) -> Result<Receipt<T>, Error> {
    let execution = &settled.execution;
    let incompatible = |why: &str| {
        Error::new(
            ErrorKind::IncompatibleResult,
            format!("`{}` took effect, but {why}", execution.identity.action),
        )
        .of_execution(execution)
    };
    let json = match &execution.state.value {
        Some(Value::Json(json)) => json,
        Some(Value::Missing { reason }) => {
            return Err(incompatible(&format!("its value was not kept: {reason}")));
        }
        None => return Err(incompatible("its value was not kept")),
    };
    let value = serde_json::from_slice(json).map_err(|error| {
        // Serde's own text quotes the value.
        let missing = Some(error.to_string()).filter(|text| text.starts_with("missing field "));
        let place = format!("at line {} column {}", error.line(), error.column());
        incompatible(&format!(
            "its recorded value does not fit the type of this call, `{}`: {}; read it by name, or \
             keep the type readable",
            std::any::type_name::<T>(),
            missing.unwrap_or(place)
        ))
    })?;
    Ok(Receipt {
        value,
        how: settled.how,
        execution: execution.identity.key,
        attempts: execution.state.attempts,
        ended: execution.state.ended.unwrap_or(execution.changed),
        json: Arc::clone(json),
    })
}
