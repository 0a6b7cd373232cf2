//! The type as we understand it: what is written, under which names.

use std::collections::BTreeSet;

use proc_macro2::Ident;
use syn::ext::IdentExt as _;
use syn::{Data, Member, Type};

use super::attr::{self, Container};
use crate::case::Case;
use crate::problems::Problems;

/// What a value of the type is in a key.
pub(super) enum Body<'a> {
    /// What this field is.
    Transparent(Field<'a>),
    /// A struct, or a tuple struct.
    Struct(Shape<'a>),
    /// One of these.
    Enum(Vec<Variant<'a>>),
}

/// What a struct or a variant holds.
pub(super) enum Shape<'a> {
    /// Nothing.
    Unit,
    /// Named fields, sorted by the bytes of their names. Braces without fields too.
    Named(Vec<Field<'a>>),
    /// One field without a name.
    Newtype(Field<'a>),
    /// Several fields without names.
    Tuple(Vec<Field<'a>>),
}

/// One field.
pub(super) struct Field<'a> {
    /// How Rust calls it.
    pub(super) member: Member,
    /// How the key and JSON call it; empty without a name.
    pub(super) name: String,
    /// Its type, as written.
    pub(super) ty: &'a Type,
}

/// One variant.
pub(super) struct Variant<'a> {
    pub(super) ident: &'a Ident,
    /// How the key and JSON call it.
    pub(super) name: String,
    pub(super) shape: Shape<'a>,
}

impl<'a> Shape<'a> {
    /// Its fields.
    pub(super) fn fields(&self) -> &[Field<'a>] {
        match self {
            Self::Unit => &[],
            Self::Newtype(field) => std::slice::from_ref(field),
            Self::Named(fields) | Self::Tuple(fields) => fields,
        }
    }
}

/// Reads the type.
pub(super) fn body<'a>(data: &'a Data, container: &Container, problems: &Problems) -> Body<'a> {
    let fields = match data {
        Data::Struct(data) => &data.fields,
        Data::Enum(data) => {
            if let Some(word) = &container.transparent {
                problems.at(word, "an enum cannot be transparent");
            }
            return Body::Enum(variants(&data.variants, container, problems));
        }
        Data::Union(data) => {
            problems
                .at(data.union_token, "a union cannot be part of an idempotency key: use an enum");
            return Body::Struct(Shape::Unit);
        }
    };
    match (shape(fields, container.rename_all, problems), &container.transparent) {
        (Shape::Newtype(field), _) => Body::Transparent(field),
        (shape, None) => Body::Struct(shape),
        (shape, Some(word)) => transparent(shape, word, problems),
    }
}

/// The one field that holds something.
fn transparent<'a>(shape: Shape<'a>, word: &syn::Path, problems: &Problems) -> Body<'a> {
    let (Shape::Named(mut fields) | Shape::Tuple(mut fields)) = shape else {
        problems.at(word, "a struct without fields cannot be transparent");
        return Body::Struct(Shape::Unit);
    };
    fields.retain(|field| !is_phantom(field.ty));
    match (fields.pop(), fields.is_empty()) {
        (Some(field), true) => Body::Transparent(field),
        _ => {
            problems.at(word, "a transparent struct has exactly one field besides `PhantomData`");
            Body::Struct(Shape::Unit)
        }
    }
}

/// Whether this is `PhantomData<…>`, which holds nothing.
pub(super) fn is_phantom(ty: &Type) -> bool {
    matches!(ty, Type::Path(path)
        if path.path.segments.last().is_some_and(|last| last.ident == "PhantomData"))
}

fn variants<'a>(
    variants: impl IntoIterator<Item = &'a syn::Variant>,
    container: &Container,
    problems: &Problems,
) -> Vec<Variant<'a>> {
    let mut names = BTreeSet::new();
    let read = |variant: &'a syn::Variant| {
        let options = attr::variant(&variant.attrs, problems);
        let own = variant.ident.unraw().to_string();
        let renamed =
            || container.rename_all.map_or_else(|| own.clone(), |case| case.of_variant(&own));
        let name = options.rename.unwrap_or_else(renamed);
        if !names.insert(name.clone()) {
            problems.at(&variant.ident, format!("two variants are called `{name}` in a key"));
        }
        let case = options.rename_all.or(container.rename_all_fields);
        Variant { ident: &variant.ident, name, shape: shape(&variant.fields, case, problems) }
    };
    variants.into_iter().map(read).collect()
}

fn shape<'a>(fields: &'a syn::Fields, case: Option<Case>, problems: &Problems) -> Shape<'a> {
    let mut names = BTreeSet::new();
    let mut all = Vec::new();
    for (member, field) in fields.members().zip(fields) {
        let options = attr::field(&field.attrs, problems);
        let name = field.ident.as_ref().map_or_else(String::new, |ident| {
            let own = ident.unraw().to_string();
            let renamed = || case.map_or_else(|| own.clone(), |case| case.of_field(&own));
            let name = options.rename.unwrap_or_else(renamed);
            if !names.insert(name.clone()) {
                problems.at(ident, format!("two fields are called `{name}` in a key"));
            }
            name
        });
        all.push(Field { member, name, ty: &field.ty });
    }
    match fields {
        syn::Fields::Unit => Shape::Unit,
        syn::Fields::Named(_) => {
            all.sort_by(|a, b| a.name.cmp(&b.name));
            Shape::Named(all)
        }
        syn::Fields::Unnamed(_) if all.len() != 1 => Shape::Tuple(all),
        syn::Fields::Unnamed(_) => all.pop().map_or(Shape::Unit, Shape::Newtype),
    }
}
