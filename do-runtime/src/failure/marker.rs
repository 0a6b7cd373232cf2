//! A class said outright on any `Result`, found again wherever the error travels.

use std::error::Error;
use std::fmt;

use super::chain::Source;
use super::{Failure, FailureClass};

/// An error whose author said its class. It is a `std` error with the error that was marked behind
/// it, so `?` takes it into boxed errors, anyhow and [`Failure`], and it is found anywhere in a
/// source chain.
#[derive(Debug)]
pub struct Marked(Said);

/// What was said, once more. A transparent wrapper and `std::io::Error` give as their source the
/// source of the error they hold, and so skip that error: they find this one.
#[derive(Debug)]
struct Said {
    class: FailureClass,
    source: Option<Source>,
}

impl Marked {
    /// What was said.
    #[must_use]
    pub const fn class(&self) -> FailureClass {
        self.0.class
    }

    /// What was said by one error of a chain.
    pub(super) fn class_in(error: &(dyn Error + 'static)) -> Option<FailureClass> {
        let said = error.downcast_ref::<Self>().map(|marked| &marked.0);
        said.or_else(|| error.downcast_ref()).map(|said| said.class)
    }
}

impl fmt::Display for Marked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for Marked {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            Some(source) => fmt::Display::fmt(source.as_error(), f),
            None => Ok(()),
        }
    }
}

impl Error for Said {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_ref().map(Source::as_error)
    }
}

#[expect(unnameable_types, reason = "nothing else may implement it")]
mod sealed {
    pub trait Sealed {}
    impl<T, E> Sealed for Result<T, E> {}
}

/// Says the class of the error in a `Result`, whatever its type.
///
/// ```
/// use do_runtime::prelude::*;
///
/// fn charge(declined: bool) -> anyhow::Result<()> {
///     let answer = if declined { Err("card declined") } else { Ok(()) };
///     Ok(answer.permanent()?)
/// }
/// # assert!(Failure::from(charge(true).unwrap_err()).stated_class().is_some());
/// ```
pub trait StateClass: sealed::Sealed {
    /// The value of the `Result`.
    type Value;
    /// The error once it is marked: [`Marked`]; a [`Failure`] stays one.
    type Marked;

    /// States the class given.
    ///
    /// # Errors
    ///
    /// The error that was there, marked.
    fn stating(self, class: FailureClass) -> Result<Self::Value, Self::Marked>;

    /// The action had no effect, and trying it again cannot help.
    ///
    /// # Errors
    ///
    /// The error that was there, marked.
    fn permanent(self) -> Result<Self::Value, Self::Marked>
    where
        Self: Sized,
    {
        self.stating(FailureClass::Permanent)
    }

    /// The action had no effect, and trying it again may help.
    ///
    /// # Errors
    ///
    /// The error that was there, marked.
    fn transient(self) -> Result<Self::Value, Self::Marked>
    where
        Self: Sized,
    {
        self.stating(FailureClass::Transient)
    }

    /// The action had no effect, and a person has something to repair first: parks at once.
    ///
    /// # Errors
    ///
    /// The error that was there, marked.
    fn repair(self) -> Result<Self::Value, Self::Marked>
    where
        Self: Sized,
    {
        self.stating(FailureClass::Repair)
    }

    /// Nobody knows whether the action had its effect.
    ///
    /// # Errors
    ///
    /// The error that was there, marked.
    fn in_doubt(self) -> Result<Self::Value, Self::Marked>
    where
        Self: Sized,
    {
        self.stating(FailureClass::InDoubt)
    }
}

impl<T, E> StateClass for Result<T, E>
where
    E: Into<Box<dyn Error + Send + Sync>> + 'static,
{
    type Value = T;
    type Marked = Marked;

    fn stating(self, class: FailureClass) -> Result<T, Marked> {
        self.map_err(|error| Marked(Said { class, source: Source::of(error) }))
    }
}

impl<T> StateClass for Result<T, Failure> {
    type Value = T;
    type Marked = Failure;

    fn stating(self, class: FailureClass) -> Self {
        self.map_err(|failure| failure.stating(class))
    }
}
