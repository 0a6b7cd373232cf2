//! What an error type offers beyond its text, found out where the type is concrete.
//!
//! A method call looks at inherent methods first, then at those behind `Deref`, and skips a method
//! whose `impl` has bounds that are not met. Eight layers, richest first, therefore pick up serde,
//! [`Classify`] and a source chain each where it is there, without an import.

use std::marker::PhantomData;
use std::ops::Deref;

use serde::Serialize;

use super::{Classify, Failure, FailureClass, TypedValue};

/// An error with a text.
#[diagnostic::on_unimplemented(
    message = "the error type `{Self}` of an action has no text",
    label = "implement `std::fmt::Display` for it",
    note = "a failure is recorded and shown to people: its text is kept; `#[derive(Error)]` of \
            the crate `thiserror` writes `Display` from one line"
)]
pub trait Explained {
    #[doc(hidden)]
    fn text(&self) -> String;
}

#[diagnostic::do_not_recommend]
impl<E: std::fmt::Display> Explained for E {
    fn text(&self) -> String {
        self.to_string()
    }
}

/// One layer: its name, the one behind it, its bounds, and what it does with the error.
macro_rules! layer {
    ($layer:ident, $next:ty, [$($bound:tt)*], $failure:expr, $class:expr, $value:expr) => {
        #[derive(Debug)]
        #[doc(hidden)]
        pub struct $layer<E>($next);

        impl<E> $layer<E> {
            /// The layer and all behind it.
            pub const NEW: Self = Self(<$next>::NEW);
        }

        impl<E> Deref for $layer<E> {
            type Target = $next;

            fn deref(&self) -> &$next {
                &self.0
            }
        }

        impl<E: $($bound)*> $layer<E> {
            /// The failure that this error is.
            pub fn failure(&self, error: E) -> Failure
            where
                E: Explained,
            {
                let class: fn(&E) -> Option<FailureClass> = $class;
                let value: fn(&E) -> Option<TypedValue> = $value;
                let failure: fn(E) -> Failure = $failure;
                let (class, value) = (class(&error), value(&error));
                failure(error).offering(class, value)
            }
        }
    };
}

layer!(
    Probe,
    Second<E>,
    [Into<Failure> + Classify + Serialize],
    Into::into,
    Classify::classify,
    TypedValue::of
);
layer!(Second, Third<E>, [Into<Failure> + Serialize], Into::into, |_| None, TypedValue::of);
layer!(Third, Fourth<E>, [Into<Failure> + Classify], Into::into, Classify::classify, |_| None);
layer!(Fourth, Fifth<E>, [Into<Failure>], Into::into, |_| None, |_| None);
layer!(Fifth, Sixth<E>, [Classify + Serialize], of_text, Classify::classify, TypedValue::of);
layer!(Sixth, Seventh<E>, [Serialize], of_text, |_| None, TypedValue::of);
layer!(Seventh, Eighth<E>, [Classify], of_text, Classify::classify, |_| None);
layer!(Eighth, End<E>, [Sized], of_text, |_| None, |_| None);

impl<E> Probe<E> {
    /// The probe of that error's type.
    pub const fn of(_: &E) -> Self {
        Self::NEW
    }
}

/// What is behind the last layer: nothing.
#[derive(Debug)]
#[doc(hidden)]
pub struct End<E>(PhantomData<fn(E)>);

impl<E> End<E> {
    const NEW: Self = Self(PhantomData);
}

#[expect(clippy::needless_pass_by_value, reason = "every layer takes the error")]
fn of_text<E: Explained>(error: E) -> Failure {
    Failure::new(error.text())
}
