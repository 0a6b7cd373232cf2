//! `#[derive(KeyPart)]`: attributes → the type as we understand it → its implementation.
//!
//! All mistakes are reported at once. A type with a mistake still gets an implementation, so that
//! no further errors come from where it is used.

mod ast;
mod attr;
mod case;
mod expand;
mod mistakes;

use proc_macro2::TokenStream;
use syn::DeriveInput;

use mistakes::Mistakes;

/// The implementation of `KeyPart` for a struct or enum.
pub(crate) fn derive(input: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(input) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    let mut mistakes = Mistakes::default();
    let container = attr::container(&input.attrs, &mut mistakes);
    let body = ast::body(&input.data, &container, &mut mistakes);
    match mistakes.into_compile_errors() {
        None => expand::implementation(&input, &container, &body),
        Some(mut errors) => {
            errors.extend(expand::stand_in(&input, &container));
            errors
        }
    }
}
