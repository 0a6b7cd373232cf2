//! Collects mistakes, so that all are told at once.

use std::cell::RefCell;
use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::Error;

/// The mistakes found so far. Whoever makes one must take them out: one that is dropped unseen
/// is a mistake of this crate.
#[derive(Debug)]
pub(crate) struct Problems(RefCell<Option<Vec<Error>>>);

impl Problems {
    pub(crate) fn new() -> Self {
        Self(RefCell::new(Some(Vec::new())))
    }

    /// A mistake; the caret stands under all of these tokens.
    pub(crate) fn at(&self, tokens: impl ToTokens, message: impl Display) {
        self.add(Error::new_spanned(tokens, message));
    }

    /// A mistake; the caret stands there.
    pub(crate) fn at_span(&self, span: Span, message: impl Display) {
        self.add(Error::new(span, message));
    }

    pub(crate) fn add(&self, error: Error) {
        if let Some(errors) = self.0.borrow_mut().as_mut() {
            errors.push(error);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.borrow().as_ref().is_none_or(Vec::is_empty)
    }

    /// One `compile_error!` for each, by a path that nothing shadows.
    pub(crate) fn into_tokens(self) -> TokenStream {
        let errors = self.0.borrow_mut().take().unwrap_or_default();
        errors.iter().map(Error::to_compile_error).collect()
    }
}

impl Drop for Problems {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert!(self.0.borrow().is_none(), "mistakes were found and nobody looked");
        }
    }
}
