//! All the mistakes in one type, for one report.

use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::ToTokens;

/// The mistakes found so far.
#[derive(Default)]
pub(super) struct Mistakes {
    all: Option<syn::Error>,
}

impl Mistakes {
    /// Adds one, shown at these tokens.
    pub(super) fn add(&mut self, at: impl ToTokens, message: impl Display) {
        self.add_error(syn::Error::new_spanned(at, message));
    }

    /// Adds one that a parser found.
    pub(super) fn add_error(&mut self, error: syn::Error) {
        match &mut self.all {
            Some(all) => all.combine(error),
            None => self.all = Some(error),
        }
    }

    /// The errors for the compiler, if there are any.
    pub(super) fn into_compile_errors(self) -> Option<TokenStream> {
        self.all.map(syn::Error::into_compile_error)
    }
}
