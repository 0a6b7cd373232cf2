//! The source chain of an error, whoever owns it.

use std::error::Error;
use std::io;

use super::{Carried, Failure, taken};

/// The errors of a source chain, outermost first.
#[derive(Debug, Clone)]
pub struct Chain<'a> {
    next: Option<&'a (dyn Error + 'static)>,
}

impl<'a> Chain<'a> {
    /// Begins at that error.
    pub(super) fn of(first: Option<&'a (dyn Error + 'static)>) -> Self {
        Self { next: first }
    }
}

impl<'a> Iterator for Chain<'a> {
    type Item = &'a (dyn Error + 'static);

    fn next(&mut self) -> Option<Self::Item> {
        let error = self.next?;
        // An I/O error names as its source the source of what it holds, and so skips that.
        let held = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        self.next = match held {
            Some(held) => Some(held),
            None => error.source(),
        };
        Some(error)
    }
}

/// An error of any type. Anyhow's stays what it is: boxed as a `std` error it hides the type of
/// its outermost error, and a marker there would not be found.
#[derive(Debug)]
pub(super) enum Source {
    Boxed(Box<dyn Error + Send + Sync>),
    Anyhow(anyhow::Error),
}

impl Source {
    /// None never happens: it stands for an error that was taken before.
    pub(super) fn of<E>(error: E) -> Option<Self>
    where
        E: Into<Box<dyn Error + Send + Sync>> + 'static,
    {
        let mut error = Some(error);
        match taken::<anyhow::Error, E>(&mut error) {
            Some(error) => Some(Self::Anyhow(error)),
            None => error.map(|error| Self::Boxed(error.into())),
        }
    }

    pub(super) fn as_error(&self) -> &(dyn Error + 'static) {
        match self {
            Self::Boxed(error) => &**error,
            Self::Anyhow(error) => error.as_ref(),
        }
    }

    /// The failure, if the outermost error is nothing but one on its way.
    pub(super) fn into_carried(self) -> Result<Failure, Self> {
        if !self.as_error().is::<Carried>() {
            return Err(self);
        }
        match self {
            Self::Boxed(error) => match error.downcast::<Carried>() {
                Ok(carried) => Ok(carried.0.0),
                Err(error) => Err(Self::Boxed(error)),
            },
            Self::Anyhow(error) => match error.downcast::<Carried>() {
                Ok(carried) => Ok(carried.0.0),
                Err(error) => Err(Self::Anyhow(error)),
            },
        }
    }
}

/// The text of the error and of its sources. A text that one further out repeats is left out,
/// because many errors print their source themselves.
pub(super) fn text(error: &(dyn Error + 'static)) -> String {
    let mut text = String::new();
    for error in Chain::of(Some(error)) {
        let next = error.to_string();
        if text.is_empty() {
            text = next;
        } else if !text.contains(&next) {
            text.push_str(": ");
            text.push_str(&next);
        }
        if text.len() > Failure::MESSAGE_MAX {
            break;
        }
    }
    text
}
