//! What a type is, as far as its tokens tell: data or a service, with a lifetime or without.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{GenericArgument, PathArguments, Type};

use crate::ast::{last_name, peel};

/// Whether a reference to it is one to data.
pub(crate) fn is_data(behind: &Type) -> bool {
    owned_instead(behind).is_some()
}

/// The owned type to take instead of a reference to data; none if it may be a service.
pub(crate) fn owned_instead(behind: &Type) -> Option<String> {
    let text = |ty: &Type| readable(&ty.to_token_stream());
    match peel(behind) {
        Type::Slice(slice) => Some(format!("Vec<{}>", text(&slice.elem))),
        Type::Array(_) | Type::Tuple(_) => Some(text(peel(behind))),
        Type::Reference(reference) => {
            Some(owned_instead(&reference.elem).unwrap_or_else(|| text(peel(&reference.elem))))
        }
        ty => match last_name(ty)?.as_str() {
            "str" => Some("String".to_owned()),
            "Path" => Some("PathBuf".to_owned()),
            "OsStr" => Some("OsString".to_owned()),
            "CStr" => Some("CString".to_owned()),
            "String" | "PathBuf" | "OsString" | "CString" | "Vec" | "Option" | "bool" | "char"
            | "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i8" | "i16" | "i32" | "i64"
            | "i128" | "isize" | "f32" | "f64" => Some(text(ty)),
            _ => None,
        },
    }
}

/// Types that everybody knows to be no `Result`, under whatever path. Anything else the compiler
/// judges.
pub(crate) fn is_no_result(ty: &Type) -> bool {
    match ty {
        Type::Path(_) => last_name(ty).is_some_and(|name| {
            let known = [
                "Option", "Vec", "String", "Box", "Arc", "Rc", "HashMap", "BTreeMap", "HashSet",
                "BTreeSet", "bool", "char", "str", "u8", "u16", "u32", "u64", "u128", "usize",
                "i8", "i16", "i32", "i64", "i128", "isize", "f32", "f64",
            ];
            known.contains(&name.as_str())
        }),
        Type::Macro(_) | Type::Verbatim(_) => false,
        _ => true,
    }
}

/// A reference in the value of a `Result`, or one with a hidden lifetime anywhere. A static one
/// may be the error, or hide behind an alias: there the compiler judges.
pub(crate) fn borrowed_result(ty: &Type) -> Option<TokenStream> {
    let is_result = last_name(ty).as_deref() == Some("Result");
    let in_value = is_result.then(|| first_argument(ty)).flatten().and_then(|value| {
        let found = Lifetimes::in_type(value);
        found.reference
    });
    in_value
        .or_else(|| Lifetimes::in_type(ty).first.filter(|found| found.is_hidden).map(|l| l.tokens))
}

/// Whether a type names a lifetime, or holds a reference. The reference that the whole type is
/// does not count when it has no lifetime of its own.
pub(crate) fn has_lifetime(ty: &Type) -> bool {
    Lifetimes::in_type(ty).first.is_some()
}

/// The first type between the angle brackets of a path.
pub(crate) fn first_argument(ty: &Type) -> Option<&Type> {
    argument(ty, 0)
}

/// That type between the angle brackets of a path.
pub(crate) fn argument(ty: &Type, place: usize) -> Option<&Type> {
    let Type::Path(path) = peel(ty) else {
        return None;
    };
    let PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else {
        return None;
    };
    arguments
        .args
        .iter()
        .filter_map(|argument| match argument {
            GenericArgument::Type(ty) => Some(ty),
            _ => None,
        })
        .nth(place)
}

pub(crate) fn first_opaque(ty: &Type) -> Option<TokenStream> {
    struct Opaque(Option<TokenStream>);

    impl<'ast> Visit<'ast> for Opaque {
        fn visit_type_impl_trait(&mut self, ty: &'ast syn::TypeImplTrait) {
            self.0.get_or_insert_with(|| ty.to_token_stream());
        }
    }

    let mut opaque = Opaque(None);
    opaque.visit_type(ty);
    opaque.0
}

/// The lifetimes in a type.
#[derive(Default)]
struct Lifetimes {
    first: Option<Found>,
    /// The first reference, whatever its lifetime.
    reference: Option<TokenStream>,
}

/// A lifetime, or a reference without one.
struct Found {
    tokens: TokenStream,
    /// It stands for some lifetime that the compiler would choose.
    is_hidden: bool,
}

impl Lifetimes {
    fn in_type(ty: &Type) -> Self {
        let mut lifetimes = Self::default();
        match peel(ty) {
            Type::Reference(reference) if reference.lifetime.is_none() => {
                lifetimes.visit_type(&reference.elem);
            }
            ty => lifetimes.visit_type(ty),
        }
        if let Type::Reference(reference) = peel(ty) {
            lifetimes.reference = Some(reference.to_token_stream());
        }
        lifetimes
    }

    fn found(&mut self, tokens: TokenStream, is_hidden: bool) {
        self.first.get_or_insert(Found { tokens, is_hidden });
    }
}

impl<'ast> Visit<'ast> for Lifetimes {
    fn visit_type_reference(&mut self, reference: &'ast syn::TypeReference) {
        let tokens = reference.to_token_stream();
        self.reference.get_or_insert_with(|| tokens.clone());
        let is_static = reference.lifetime.as_ref().is_some_and(|l| l.ident == "static");
        self.found(tokens, !is_static);
        self.visit_type(&reference.elem);
    }

    fn visit_lifetime(&mut self, lifetime: &'ast syn::Lifetime) {
        self.found(lifetime.to_token_stream(), lifetime.ident != "static");
    }

    // What is bound by a function pointer or `for<..>` is the type's own business, and `'static`
    // in the bounds of a trait object changes nothing.
    fn visit_type_fn_ptr(&mut self, _: &'ast syn::TypeFnPtr) {}

    fn visit_type_param_bound(&mut self, bound: &'ast syn::TypeParamBound) {
        match bound {
            syn::TypeParamBound::Lifetime(lifetime) if lifetime.ident == "static" => {}
            bound => visit::visit_type_param_bound(self, bound),
        }
    }

    fn visit_parenthesized_generic_arguments(
        &mut self,
        _: &'ast syn::ParenthesizedGenericArguments,
    ) {
    }
}

pub(crate) fn without_lifetimes(ty: &Type) -> String {
    let mut ty = ty.clone();
    if let Type::Path(path) = &mut ty
        && let Some(last) = path.path.segments.last_mut()
        && let PathArguments::AngleBracketed(arguments) = &mut last.arguments
    {
        let kept = arguments
            .args
            .iter()
            .filter(|argument| !matches!(argument, GenericArgument::Lifetime(_)));
        arguments.args = kept.cloned().collect();
        if arguments.args.is_empty() {
            last.arguments = PathArguments::None;
        }
    }
    readable(&ty.to_token_stream())
}

/// Tokens as people write them.
pub(crate) fn readable(tokens: &TokenStream) -> String {
    let text = tokens.to_string();
    let tight = [
        (" :: ", "::"),
        (":: ", "::"),
        (" <", "<"),
        ("< ", "<"),
        (" >", ">"),
        (" ,", ","),
        ("& ", "&"),
        (" . ", "."),
        (" (", "("),
        (" ;", ";"),
        ("[ ", "["),
        (" ]", "]"),
        ("( ", "("),
        (" )", ")"),
    ];
    tight.iter().fold(text, |text, (from, to)| text.replace(from, to))
}
