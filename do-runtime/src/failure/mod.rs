//! An author's failure: what a body ended with, the class it states, and what a record keeps of it.
//!
//! A failure's class says whether there was an effect and who acts next. It comes from what the
//! author says outright ([`StateClass`], [`Failure::permanent`] and its sisters), else from the
//! error's own [`Classify`], else from a [`Classifier`], else there is none.

mod chain;
mod class;
mod classifier;
mod known;
mod marker;
#[expect(unnameable_types, reason = "the layers are reached through `Probe`")]
mod probe;
mod record;

use std::any::Any;
use std::error::Error;
use std::fmt;
use std::time::Duration;

pub use chain::Chain;
use chain::Source;
pub use class::FailureClass;
pub use classifier::{Classifier, Classify, classifier_of, classify};
pub use marker::{Marked, StateClass};
#[doc(hidden)]
pub use probe::{Explained, Probe};
pub use record::{FailureRecord, TypedValue};

/// What a body ended with, of whatever type it was.
///
/// Every error converts into it with `?`: `std` errors, `String`, `&str`, boxed errors and
/// anyhow's. It is no `std::error::Error` itself, which is what makes that conversion possible; it
/// converts into `anyhow::Error` and back without loss.
pub struct Failure(Box<Parts>);

/// `Result` with [`Failure`] as its error unless another is named.
pub type Result<T, E = Failure> = std::result::Result<T, E>;

struct Parts {
    /// Said outright, here or by a marker in the source chain.
    stated: Option<FailureClass>,
    /// What the error's own `Classify` said.
    own: Option<FailureClass>,
    code: Option<String>,
    message: String,
    status: Option<u16>,
    retry_after: Option<Duration>,
    value: Option<TypedValue>,
    source: Option<Source>,
}

impl Failure {
    /// The longest text that is kept, in bytes; more is cut at the boundary of a character.
    pub const MESSAGE_MAX: usize = 8 * 1024;

    /// A failure with a text and nothing else. It has no class until one is stated.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self::of(message.into(), None)
    }

    /// The action had no effect, and trying it again cannot help.
    #[must_use]
    pub fn permanent(self) -> Self {
        self.stating(FailureClass::Permanent)
    }

    /// The action had no effect, and trying it again may help.
    #[must_use]
    pub fn transient(self) -> Self {
        self.stating(FailureClass::Transient)
    }

    /// The action had no effect, and a person has something to repair first.
    #[must_use]
    pub fn repair(self) -> Self {
        self.stating(FailureClass::Repair)
    }

    /// Nobody knows whether the action had its effect.
    #[must_use]
    pub fn in_doubt(self) -> Self {
        self.stating(FailureClass::InDoubt)
    }

    /// States the class given; the word said last counts.
    #[must_use]
    pub fn stating(mut self, class: FailureClass) -> Self {
        self.0.stated = Some(class);
        self
    }

    /// Gives a code that programs can match, for example `card_declined`.
    #[must_use]
    pub fn code(mut self, code: impl Into<String>) -> Self {
        self.0.code = Some(code.into());
        self
    }

    /// Gives the HTTP status a caller by name is to see.
    #[must_use]
    pub fn status(mut self, status: u16) -> Self {
        self.0.status = Some(status);
        self
    }

    /// Says when trying again makes sense, counted from now.
    #[must_use]
    pub fn retry_after(mut self, after: Duration) -> Self {
        self.0.retry_after = Some(after);
        self
    }

    /// The class that was said outright, by the failure or by a marker in its chain, else the one
    /// of the error's own [`Classify`]. [`classify`] also asks the classifiers.
    #[must_use]
    pub fn stated_class(&self) -> Option<FailureClass> {
        self.0.stated.or(self.0.own)
    }

    /// The text: the error's own, then those of its sources that it does not repeat.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The errors behind it, outermost first; empty for a failure made from a text alone.
    #[must_use]
    pub fn chain(&self) -> Chain<'_> {
        Chain::of(self.0.source.as_ref().map(Source::as_error))
    }

    /// Whether a body was stopped from committing by itself.
    pub(crate) fn is_refused_commit(&self) -> bool {
        self.chain().any(known::is_refused_commit)
    }

    /// Whether an error of the database's own is among its sources.
    pub(crate) fn is_of_database(&self) -> bool {
        self.chain().any(known::is_of_database)
    }

    /// What a record keeps. Its class is [`Failure::stated_class`]; whoever asked the classifiers
    /// writes theirs over it.
    #[must_use]
    pub fn to_record(&self) -> FailureRecord {
        let parts = &*self.0;
        FailureRecord {
            class: self.stated_class(),
            code: parts.code.clone(),
            message: parts.message.clone(),
            status: parts.status,
            retry_after: parts.retry_after,
            value: parts.value.clone(),
        }
    }

    /// Adds what the error's type offers beyond its text. What is there already stays.
    pub(crate) fn offering(mut self, own: Option<FailureClass>, value: Option<TypedValue>) -> Self {
        self.0.own = self.0.own.or(own);
        self.0.value = self.0.value.or(value);
        self
    }

    fn of(message: String, source: Option<Source>) -> Self {
        Self(Box::new(Parts {
            stated: None,
            own: None,
            code: None,
            message: cut(message, Self::MESSAGE_MAX),
            status: None,
            retry_after: None,
            value: None,
            source,
        }))
    }

    fn of_source(source: Source) -> Self {
        let source = match source.into_carried() {
            Ok(failure) => return failure,
            Err(source) => source,
        };
        let mut failure = Self::of(chain::text(source.as_error()), None);
        for error in Chain::of(Some(source.as_error())) {
            let parts = &mut failure.0;
            if let Some(class) = Marked::class_in(error) {
                parts.stated = parts.stated.or(Some(class));
            } else if let Some(Inside(carried)) = error.downcast_ref() {
                let inner = &*carried.0;
                parts.stated = parts.stated.or(inner.stated);
                parts.own = parts.own.or(inner.own);
                parts.code = parts.code.take().or_else(|| inner.code.clone());
                parts.status = parts.status.or(inner.status);
                parts.retry_after = parts.retry_after.or(inner.retry_after);
            }
        }
        failure.0.source = Some(source);
        failure
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Failure")
            .field("class", &self.stated_class())
            .field("code", &self.0.code)
            .field("message", &self.0.message)
            .finish_non_exhaustive()
    }
}

impl<E> From<E> for Failure
where
    E: Into<Box<dyn Error + Send + Sync>> + 'static,
{
    fn from(error: E) -> Self {
        match Source::of(error) {
            Some(source) => Self::of_source(source),
            None => Self::new(""),
        }
    }
}

impl From<Failure> for anyhow::Error {
    fn from(failure: Failure) -> Self {
        Self::new(Carried(Inside(failure)))
    }
}

/// A failure on its way through someone else's error type, which may be one that skips the error
/// it holds: then the one inside is found.
#[derive(Debug)]
struct Carried(Inside);

#[derive(Debug)]
struct Inside(Failure);

impl fmt::Display for Carried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for Carried {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

impl fmt::Display for Inside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for Inside {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.0.source.as_ref().map(Source::as_error)
    }
}

/// The value as a `T`, if that is what it is.
fn taken<T: 'static, E: 'static>(error: &mut Option<E>) -> Option<T> {
    let any: &mut dyn Any = error;
    any.downcast_mut::<Option<T>>()?.take()
}

/// The text of a panic, where it has one.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> String {
    panic
        .downcast_ref::<&'static str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "without a text".to_owned())
}

/// The text, cut at the boundary of a character so that at most `max` bytes remain.
fn cut(mut text: String, max: usize) -> String {
    text.truncate(text.floor_char_boundary(max));
    text
}

#[cfg(test)]
mod tests;
