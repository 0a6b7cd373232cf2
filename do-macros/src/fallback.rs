//! What a function with a mistake in its signature becomes: something of the same name that its
//! callers can still be checked against, so that one mistake gives one message.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::{FnArg, ReturnType};

use crate::ast::{Function, Kind};
use crate::attr::{Key, Options};
use crate::expand::private;
use crate::problems::Problems;
use crate::{own_type, shape, valid};

/// A constructor with the parameters as written and no body; or the function as it came, where
/// it cannot be one.
pub(crate) fn expand(function: &Function, options: &Options, item: TokenStream) -> TokenStream {
    let signature = &function.signature;
    let is_free = signature.receiver().is_none()
        && signature.generics.params.is_empty()
        && signature.generics.where_clause.is_none()
        && signature.variadic.is_none()
        && function.body.is_some();
    if !is_free {
        return item;
    }
    let p = private(options);
    let Function { visibility, .. } = function;
    let name = &signature.ident;
    let kept = signature.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(typed) => Some(typed),
        FnArg::Receiver(_) => None,
    });
    let parameters = kept.zip(&function.parameters).enumerate();
    let parameters = parameters.filter_map(|(place, (written, parameter))| {
        let is_service = match &parameter.kind {
            Kind::Owned(_) => false,
            Kind::Provided(ty) => !shape::is_data(ty),
            Kind::Transaction(_) => true,
        };
        (!is_service).then(|| {
            let ty = &written.ty;
            let variable = Ident::new(&format!("_{place}"), Span::mixed_site());
            quote!(#variable: #ty)
        })
    });
    let returned = match &signature.output {
        ReturnType::Type(_, ty) if return_is_sound(function) => quote!(#ty),
        _ => quote!(#p::Result<(), #p::Failure>),
    };
    let (call, make) = match options.key {
        Some(Key::Caller) => (quote!(Unkeyed), quote!(refused_unkeyed)),
        _ => (quote!(Call), quote!(refused)),
    };
    let attributes =
        function.attributes.iter().filter(|attribute| attribute.path().is_ident("cfg"));
    quote! {
        #(#attributes)*
        #[allow(dead_code)]
        #visibility fn #name(#(#parameters),*) -> #p::#call<impl #p::Action<Return = #returned>> {
            #p::#make::<#returned>()
        }
    }
}

fn return_is_sound(function: &Function) -> bool {
    let problems = Problems::new();
    valid::returned(function, "", &problems);
    let sound = problems.is_empty();
    drop(problems.into_tokens());
    sound && !own_type::signature_names_self(function)
}
