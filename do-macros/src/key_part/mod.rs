//! `#[derive(KeyPart)]`: attributes → the type as we understand it → its implementation.
//!
//! All mistakes are reported at once. A type with a mistake still gets an implementation, so that
//! no further errors come from where it is used.

mod ast;
mod attr;
mod expand;

use proc_macro2::TokenStream;
use syn::DeriveInput;

use crate::problems::Problems;

/// The implementation of `KeyPart` for a struct or enum.
pub(crate) fn derive(input: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(input) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    let problems = Problems::new();
    let container = attr::container(&input.attrs, &problems);
    let body = ast::body(&input.data, &container, &problems);
    let right = problems.is_empty();
    let mut output = problems.into_tokens();
    output.extend(if right {
        expand::implementation(&input, &container, &body)
    } else {
        expand::stand_in(&input, &container)
    });
    output
}
