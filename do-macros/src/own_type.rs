//! Finds `Self`, which means another type once the function stands alone.

use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::FnArg;

use crate::ast::Function;

/// Whether a type in the signature names `Self`.
pub(crate) fn signature_names_self(function: &Function) -> bool {
    self_in_signature(function).is_some()
}

pub(crate) fn self_in_signature(function: &Function) -> Option<Span> {
    let signature = &function.signature;
    let inputs = signature.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(typed) => Some(typed.ty.to_token_stream()),
        FnArg::Receiver(_) => None,
    });
    first_self(inputs.chain([signature.output.to_token_stream()]).collect())
}

/// The first `Self` that is not inside an item of its own: a type's or trait's definition, an
/// `impl`. Those begin with their word where a statement begins.
pub(crate) fn first_self(tokens: TokenStream) -> Option<Span> {
    let mut in_item = false;
    let mut at_start = true;
    for token in tokens {
        match &token {
            TokenTree::Ident(ident) => {
                let begins_item = |ident: &Ident| {
                    ["impl", "trait", "struct", "enum", "union"].iter().any(|word| ident == word)
                };
                if at_start && begins_item(ident) {
                    in_item = true;
                } else if ident == "Self" && !in_item {
                    return Some(ident.span());
                }
                let is_prefix =
                    ["pub", "unsafe", "default", "auto"].iter().any(|word| ident == word);
                at_start = at_start && is_prefix;
            }
            TokenTree::Punct(punct) if punct.as_char() == ';' => {
                in_item = false;
                at_start = true;
            }
            // An attribute, or what `pub` is restricted to, leaves the start where it is.
            TokenTree::Punct(punct) if punct.as_char() == '#' => {}
            TokenTree::Punct(_) | TokenTree::Literal(_) => at_start = false,
            TokenTree::Group(group) => {
                if !in_item && let Some(span) = first_self(group.stream()) {
                    return Some(span);
                }
                if group.delimiter() == Delimiter::Brace {
                    in_item = false;
                    at_start = true;
                }
            }
        }
    }
    None
}
