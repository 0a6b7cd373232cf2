//! Which attributes stand on what callers see, and which go with the body.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Path};

use crate::ast::Function;
use crate::attr::chunks;

/// The lints that what is generated would set off. The author's own lint attributes come after
/// and win.
pub(crate) fn allowed(function: &Function) -> TokenStream {
    let braces = function.body_has_invisible_group().then(|| quote!(unused_braces,));
    quote! {
        #[allow(
            #braces
            dead_code,
            clippy::fn_params_excessive_bools,
            clippy::too_many_arguments,
            clippy::unused_async,
            clippy::used_underscore_binding
        )]
    }
}

/// The attributes for what callers see and all within, and those that go with the body.
pub(crate) fn attributes(function: &Function) -> (Vec<&Attribute>, Vec<&Attribute>) {
    function
        .attributes
        .iter()
        .filter(|attribute| {
            // A call is `must_use` already; saying it twice is a lint.
            !matches!(&attribute.meta, syn::Meta::Path(path) if path.is_ident("must_use"))
        })
        .partition(|attribute| is_outer(attribute))
}

fn is_outer(attribute: &Attribute) -> bool {
    const OUTER: [&str; 9] =
        ["doc", "deprecated", "must_use", "cfg", "allow", "warn", "deny", "forbid", "expect"];
    let is_known = |path: &Path| OUTER.iter().any(|name| path.is_ident(name));
    if !attribute.path().is_ident("cfg_attr") {
        return is_known(attribute.path());
    }
    // The first is the condition; what cannot be read goes with the body.
    let Ok(list) = attribute.meta.require_list() else { return false };
    let mut chunks = chunks(list.tokens.clone()).into_iter().skip(1).peekable();
    chunks.peek().is_some()
        && chunks.all(|chunk| syn::parse2::<syn::Meta>(chunk).is_ok_and(|m| is_known(m.path())))
}
