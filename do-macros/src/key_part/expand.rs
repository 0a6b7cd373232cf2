//! The implementation: the only file here with large quotes.
//!
//! Each type stands where the user wrote it, so an error about it is shown there.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};
use syn::{DeriveInput, Generics, Member, Path, Type, TypePath, WhereClause, parse_quote};

use super::ast::{Body, Field, Shape, Variant, is_phantom};
use super::attr::Container;

/// The implementation for a type without mistakes.
pub(super) fn implementation(
    input: &DeriveInput,
    container: &Container,
    body: &Body<'_>,
) -> TokenStream {
    let runtime = &container.runtime;
    let items = match body {
        Body::Transparent(field) => transparent(runtime, field),
        Body::Struct(shape) => {
            let write = of_struct(runtime, shape);
            items(runtime, &write)
        }
        Body::Enum(variants) => {
            let arms = variants.iter().map(|variant| arm(runtime, variant));
            items(runtime, &quote!(match *self { #(#arms)* }))
        }
    };
    let fields: Vec<&Type> = match body {
        Body::Transparent(field) => vec![field.ty],
        Body::Struct(shape) => shape.fields().iter().map(|field| field.ty).collect(),
        Body::Enum(variants) => variants
            .iter()
            .flat_map(|variant| variant.shape.fields())
            .map(|field| field.ty)
            .collect(),
    };
    let bounds = bounded(&input.generics, runtime, &fields);
    implement(input, runtime, bounds.as_ref(), &items)
}

/// An implementation for a type with mistakes: it keeps the compiler quiet elsewhere.
pub(super) fn stand_in(input: &DeriveInput, container: &Container) -> TokenStream {
    let runtime = &container.runtime;
    let items = quote! {
        type Kind = #runtime::key::Present;

        fn write(&self, _: #runtime::key::Node<'_>) -> #runtime::key::Written {
            ::core::unreachable!()
        }
    };
    implement(input, runtime, input.generics.where_clause.as_ref(), &items)
}

fn implement(
    input: &DeriveInput,
    runtime: &Path,
    bounds: Option<&WhereClause>,
    items: &TokenStream,
) -> TokenStream {
    let name = &input.ident;
    let (parameters, arguments, _) = input.generics.split_for_impl();
    quote! {
        #[automatically_derived]
        #[allow(deprecated)]
        impl #parameters #runtime::key::KeyPart for #name #arguments #bounds {
            #items
        }
    }
}

fn items(runtime: &Path, write: &TokenStream) -> TokenStream {
    let node = node();
    quote! {
        type Kind = #runtime::key::Present;

        fn write(&self, #node: #runtime::key::Node<'_>) -> #runtime::key::Written {
            #write
        }
    }
}

fn transparent(runtime: &Path, field: &Field<'_>) -> TokenStream {
    let Field { member, ty, .. } = field;
    let node = node();
    // Each of these says that a type is no part of a key. All at one place, they are one error.
    let at = Span::call_site().located_at(ty.span());
    let part = moved(quote!(#runtime::key::KeyPart), at);
    let kind = quote_spanned!(at=> <#ty as #part>::Kind);
    let place = moved(quote!(&self.#member), at);
    let write = quote_spanned!(at=> #part::write(#place, #node));
    let is_none = quote_spanned!(at=> #part::is_none(#place));
    let as_byte = quote_spanned!(at=> #part::as_byte(#place));
    quote! {
        type Kind = #kind;

        fn write(&self, #node: #runtime::key::Node<'_>) -> #runtime::key::Written {
            #write
        }

        fn is_none(&self) -> bool {
            #is_none
        }

        fn as_byte(&self) -> ::core::option::Option<u8> {
            #as_byte
        }
    }
}

/// The same tokens, shown at another place.
fn moved(tokens: TokenStream, at: Span) -> TokenStream {
    let set = |mut token: TokenTree| {
        token.set_span(token.span().located_at(at));
        token
    };
    tokens.into_iter().map(set).collect()
}

fn of_struct(runtime: &Path, shape: &Shape<'_>) -> TokenStream {
    let place = |field: &Field<'_>| {
        let member = &field.member;
        quote!(&self.#member)
    };
    let node = node();
    write_shape(runtime, shape, &node, place)
}

fn arm(runtime: &Path, variant: &Variant<'_>) -> TokenStream {
    let Variant { ident, name, shape } = variant;
    let node = node();
    if matches!(shape, Shape::Unit) {
        return quote!(Self::#ident => #node.variant(#name),);
    }
    let patterns = shape.fields().iter().map(|field| {
        let member = &field.member;
        let bound = bound(field);
        quote!(#member: ref #bound)
    });
    let payload = write_shape(runtime, shape, &node, |field| {
        let bound = bound(field);
        quote!(#bound)
    });
    quote! {
        Self::#ident { #(#patterns),* } => #node.variant_with(#name, |#node| #payload),
    }
}

/// Writes what a struct or a variant holds; `place` gives a reference to a field.
fn write_shape(
    runtime: &Path,
    shape: &Shape<'_>,
    node: &Ident,
    place: impl Fn(&Field<'_>) -> TokenStream,
) -> TokenStream {
    let into = Ident::new("into", Span::mixed_site());
    let fields = shape.fields().iter();
    match shape {
        Shape::Newtype(field) => {
            let (ty, place) = (field.ty, place(field));
            quote!(<#ty as #runtime::key::KeyPart>::write(#place, #node))
        }
        Shape::Tuple(several) if !several.is_empty() => {
            let items = fields.map(|field| {
                let (ty, place) = (field.ty, place(field));
                quote!(#into.item::<#ty>(#place);)
            });
            quote!(#node.tuple(|#into| { #(#items)* }))
        }
        Shape::Unit | Shape::Tuple(_) => quote!(#node.fields(|_| {})),
        Shape::Named(named) if named.is_empty() => quote!(#node.fields(|_| {})),
        Shape::Named(_) => {
            let fields = fields.map(|field| {
                let (ty, name, place) = (field.ty, &field.name, place(field));
                quote!(#into.field::<#ty>(#name, #place);)
            });
            quote!(#node.fields(|#into| { #(#fields)* }))
        }
    }
}

fn node() -> Ident {
    Ident::new("node", Span::mixed_site())
}

/// The local that holds a field of a variant.
fn bound(field: &Field<'_>) -> Ident {
    match &field.member {
        Member::Named(name) => format_ident!("of_{}", name, span = Span::mixed_site()),
        Member::Unnamed(index) => {
            format_ident!("of_{}", index.index, span = Span::mixed_site())
        }
    }
}

/// The user's bounds, and those of the type parameters that the fields hold.
fn bounded(generics: &Generics, runtime: &Path, fields: &[&Type]) -> Option<WhereClause> {
    let mut held = Held { generics, parameters: Vec::new(), projections: Vec::new() };
    for ty in fields {
        held.visit_type(ty);
    }
    let parameters = held.parameters.iter().map(|parameter| quote!(#parameter));
    let projections = held.projections.iter().map(|projection| quote!(#projection));
    let mut bounds = generics.where_clause.clone();
    for ty in parameters.chain(projections) {
        bounds
            .get_or_insert_with(|| parse_quote!(where))
            .predicates
            .push(parse_quote!(#ty: #runtime::key::KeyPart));
    }
    bounds
}

/// The type parameters, and associated types of them, that fields hold. `PhantomData` holds none.
struct Held<'a> {
    generics: &'a Generics,
    parameters: Vec<&'a Ident>,
    projections: Vec<&'a TypePath>,
}

impl<'a> Visit<'a> for Held<'a> {
    fn visit_type(&mut self, ty: &'a Type) {
        if !is_phantom(ty) {
            visit::visit_type(self, ty);
        }
    }

    fn visit_type_path(&mut self, path: &'a TypePath) {
        let first = path.path.segments.first().filter(|_| path.qself.is_none());
        let parameter = first
            .and_then(|first| self.generics.type_params().find(|known| known.ident == first.ident));
        match parameter {
            Some(parameter) if path.path.segments.len() == 1 => {
                if !self.parameters.contains(&&parameter.ident) {
                    self.parameters.push(&parameter.ident);
                }
            }
            Some(_) => self.projections.push(path),
            None => visit::visit_type_path(self, path),
        }
    }
}
