//! `submit`: durably accepted, run in the background.

use std::any::Any;
use std::future::{Future, IntoFuture};
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde::de::DeserializeOwned;

use super::execute::receipt;
use super::{DEFAULT_WAIT, IntoSpan, NotASpan, Receipt, Runtime};
use crate::action::connection::Transactional;
use crate::action::{CallError, Prepared};
use crate::clock::Timestamp;
use crate::dispatcher::{Asked, Error};
use crate::key::Key;
use crate::record::{Due, Execution, Identity};

/// A future that may be sent between threads.
type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A submission on its way: awaited, it is durably accepted and gives a [`Handle`].
///
/// A call that is already accepted, running or done is not accepted twice: the handle is the same.
#[must_use = "nothing is accepted before it is awaited"]
pub struct Submit<T> {
    runtime: Runtime,
    prepared: Result<Prepared, CallError>,
    due: Result<Due, NotASpan>,
    value: PhantomData<fn() -> T>,
}

/// A submission within the caller's own transaction.
#[must_use = "nothing is accepted before it is awaited and the transaction is committed"]
pub struct SubmitWithin<'c, T> {
    submit: Submit<T>,
    connection: &'c mut (dyn Any + Send),
}

/// What was accepted: wait for its end here, or from another process by submitting again.
pub struct Handle<T> {
    runtime: Runtime,
    identity: Identity,
    value: PhantomData<fn() -> T>,
}

impl<T> Submit<T> {
    pub(super) fn of(runtime: Runtime, prepared: Result<Prepared, CallError>) -> Self {
        Self { runtime, prepared, due: Ok(Due::After(Duration::ZERO)), value: PhantomData }
    }

    /// Starts it that long (`"5m"`) from now, by the store's clock.
    pub fn after(mut self, gap: impl IntoSpan) -> Self {
        self.due = gap.into_span().map(Due::After);
        self
    }

    /// Starts it at that time.
    pub fn at(mut self, time: impl Into<Timestamp>) -> Self {
        self.due = Ok(Due::At(time.into()));
        self
    }

    /// Accepts it when the caller's own transaction commits, on a connection to the store's
    /// database: `app.submit(call).within(&mut *tx)`.
    pub fn within<C: Transactional>(self, connection: &mut C) -> SubmitWithin<'_, T> {
        SubmitWithin { submit: self, connection }
    }

    fn asked(self) -> Result<(Runtime, Arc<Asked>, Due), Error> {
        let asked = self.runtime.asked(self.prepared)?;
        Ok((self.runtime, asked, self.due?))
    }
}

impl<T: 'static> IntoFuture for Submit<T> {
    type Output = Result<Handle<T>, Error>;
    type IntoFuture = Boxed<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let (runtime, asked, due) = self.asked()?;
            let execution = Arc::clone(&runtime.dispatcher).submit(asked, due).await?;
            Ok(Handle::of(runtime, &execution))
        })
    }
}

impl<'c, T: 'static> IntoFuture for SubmitWithin<'c, T> {
    type Output = Result<Handle<T>, Error>;
    type IntoFuture = Boxed<'c, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let connection = self.connection;
            let (runtime, asked, due) = self.submit.asked()?;
            let execution = runtime.dispatcher.submit_within(connection, &asked, due).await?;
            Ok(Handle::of(runtime, &execution))
        })
    }
}

impl<T> Handle<T> {
    fn of(runtime: Runtime, execution: &Execution) -> Self {
        Self { runtime, identity: execution.identity.clone(), value: PhantomData }
    }

    /// The execution's id.
    #[must_use]
    pub const fn execution(&self) -> Key {
        self.identity.key
    }
}

impl<T: DeserializeOwned> Handle<T> {
    /// Waits for the end, 30 s.
    ///
    /// # Errors
    /// It failed, is parked or in doubt; or it goes on after the wait
    /// ([`ErrorKind::InProgress`](crate::ErrorKind::InProgress)).
    pub async fn wait(&self) -> Result<T, Error> {
        self.wait_for(DEFAULT_WAIT).await
    }

    /// Waits that long (`"5s"`) for the end.
    ///
    /// # Errors
    /// As [`wait`](Self::wait).
    pub async fn wait_for(&self, wait: impl IntoSpan + Send) -> Result<T, Error> {
        Ok(self.receipt(wait).await?.value)
    }

    /// Waits that long (`"5s"`) for the end, and tells how it came.
    ///
    /// # Errors
    /// As [`wait`](Self::wait).
    pub async fn receipt(&self, wait: impl IntoSpan + Send) -> Result<Receipt<T>, Error> {
        let wait = wait.into_span()?;
        let settled = self.runtime.dispatcher.follow(&self.identity, wait).await?;
        receipt(&settled)
    }
}

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Self {
        Self { runtime: self.runtime.clone(), identity: self.identity.clone(), value: PhantomData }
    }
}

impl<T> std::fmt::Debug for Handle<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Handle").field(&self.identity.key).finish()
    }
}

impl<T> std::fmt::Debug for Submit<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Submit").field("due", &self.due).finish_non_exhaustive()
    }
}

impl<T> std::fmt::Debug for SubmitWithin<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SubmitWithin").field("submit", &self.submit).finish_non_exhaustive()
    }
}

impl From<SystemTime> for Due {
    fn from(time: SystemTime) -> Self {
        Self::At(time.into())
    }
}
