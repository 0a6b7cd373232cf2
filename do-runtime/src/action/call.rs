//! A call: the value that a function under the attribute returns. Nothing has run.

use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::described::{Described, Unfinished, prepare};
use super::{Action, CallError, Outcome, Prepared, Stored};
use crate::key::KeyFields;

/// One call of an action: its parameters, encoded, and what identifies it.
///
/// Nothing runs before a runtime executes or submits it. It is no future; awaiting it does not
/// compile.
#[must_use = "nothing has run: execute it through a runtime, `app.execute(call).await`"]
pub struct Call<A> {
    prepared: Result<Prepared, CallError>,
    action: PhantomData<fn() -> A>,
}

/// A call of an action to which the caller gives the key (`key = caller`), before it is given.
#[must_use = "give the key, then execute it through a runtime: `app.execute(call.keyed(\"…\"))`"]
pub struct Unkeyed<A> {
    unfinished: Result<Unfinished, CallError>,
    action: PhantomData<fn() -> A>,
}

/// What the verbs of a runtime take.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a call",
    label = "call a function under `#[action]` here: it returns a `Call`"
)]
pub trait IntoCall {
    /// The action that is called.
    type Action: Action<Return: Outcome<Value: Stored>>;

    /// The call.
    #[doc(hidden)]
    fn into_call(self) -> Call<Self::Action>;
}

impl<A: Action> Call<A> {
    /// The action's stable name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        A::definition().name
    }

    /// The call without its type, or why it can never run.
    #[doc(hidden)]
    pub fn into_prepared(self) -> Result<Prepared, CallError> {
        self.prepared
    }
}

impl<A: Action> Unkeyed<A> {
    /// The action's stable name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        A::definition().name
    }

    /// The call under the caller's key: at most 255 bytes, not blank, no control characters.
    pub fn keyed(self, key: impl AsRef<str>) -> Call<A> {
        let prepared = self.unfinished.and_then(|unfinished| {
            let key = KeyFields::caller(key.as_ref())?;
            Ok(unfinished.with_key(A::definition(), key))
        });
        Call { prepared, action: PhantomData }
    }
}

impl<A> IntoCall for Call<A>
where
    A: Action<Return: Outcome<Value: Stored>>,
{
    type Action = A;

    fn into_call(self) -> Self {
        self
    }
}

/// For the attribute: the call of these parameters.
#[doc(hidden)]
pub fn call<A: Described>(owned: A::Owned) -> Call<A> {
    Call { prepared: prepare::<A>(owned), action: PhantomData }
}

/// For the attribute: the call of these parameters, whose key is to come.
#[doc(hidden)]
pub fn unkeyed<A: Described>(owned: A::Owned) -> Unkeyed<A> {
    let unfinished = Unfinished::of::<A>(owned).map(|(unfinished, _)| unfinished);
    Unkeyed { unfinished, action: PhantomData }
}

/// For the attribute: a call that can never run.
pub(super) fn never<A>() -> (Call<A>, Unkeyed<A>) {
    let unfinished = Err(CallError::KeyMissing);
    (
        Call { prepared: Err(CallError::KeyMissing), action: PhantomData },
        Unkeyed { unfinished, action: PhantomData },
    )
}

impl<A> Clone for Call<A> {
    fn clone(&self) -> Self {
        Self { prepared: self.prepared.clone(), action: PhantomData }
    }
}

impl<A> Clone for Unkeyed<A> {
    fn clone(&self) -> Self {
        Self { unfinished: self.unfinished.clone(), action: PhantomData }
    }
}

impl<A: Action> fmt::Debug for Call<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("action", &self.name()).finish_non_exhaustive()
    }
}

impl<A: Action> fmt::Debug for Unkeyed<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unkeyed").field("action", &self.name()).finish_non_exhaustive()
    }
}

#[expect(unnameable_types, reason = "nothing may implement these")]
mod unmet {
    /// Nothing implements it: a call is executed, not awaited.
    #[diagnostic::on_unimplemented(
        message = "a `Call` is not a future: nothing has run yet",
        label = "execute it through a runtime: `app.execute(call).await`"
    )]
    pub trait Awaited {
        type Never;
    }

    /// Nothing implements it: the key comes first.
    #[diagnostic::on_unimplemented(
        message = "the caller gives this action's key, and this call has none yet",
        label = "give it: `.keyed(\"…\")`"
    )]
    pub trait Keyed {}
}

/// Never a future; the bound says so where one is awaited.
impl<A> Future for Call<A>
where
    A: unmet::Awaited,
{
    type Output = A::Never;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<A::Never> {
        Poll::Pending
    }
}

/// Never a future; the bound says so where one is awaited.
impl<A> Future for Unkeyed<A>
where
    A: unmet::Awaited,
{
    type Output = A::Never;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<A::Never> {
        Poll::Pending
    }
}

/// Never a call; the bound says so where one is executed.
impl<A> IntoCall for Unkeyed<A>
where
    A: Action<Return: Outcome<Value: Stored>> + unmet::Keyed,
{
    type Action = A;

    fn into_call(self) -> Call<A> {
        self.keyed("")
    }
}
