//! The rules of the signature. Every mistake is told.

use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::visit::{self, Visit};
use syn::{FnArg, GenericArgument, PathArguments, ReturnType, Safety, Type};

use crate::ast::{Function, Kind, Parameter, last_name, peel};
use crate::problems::Problems;

/// Checks what stands before the body, and that the body does not name `Self`.
pub(crate) fn signature(function: &Function, problems: &Problems) {
    let name = function.name();
    let signature = &function.signature;
    if function.body.is_none() {
        let message = "an action needs a body; `#[action]` does not work on trait methods or \
                       foreign functions";
        problems.at(&signature.ident, message);
        return;
    }
    if let Some(receiver) = signature.receiver() {
        let message = format!(
            "an action is a free function, so it cannot take `self`; move `{name}` out of the \
             `impl` and pass what it needs as a parameter"
        );
        problems.at(receiver, message);
    }
    qualifiers(function, &name, problems);
    if !signature.generics.params.is_empty() {
        let message = format!(
            "`{name}` is registered once under one name, so it cannot be generic; write a \
             concrete action that calls a generic function"
        );
        problems.at(&signature.generics, message);
    }
    let clause = signature.generics.where_clause.as_ref();
    if let Some(clause) = clause.filter(|clause| !clause.predicates.is_empty()) {
        problems.at(clause, "an action cannot have a `where` clause");
    }
    if let Some(variadic) = &signature.variadic {
        problems.at(variadic, "an action cannot be variadic");
    }
    for parameter in &function.parameters {
        self::parameter(parameter, problems);
    }
    names(function, problems);
    let mut transactions = function.transactions().skip(1);
    if let Some((second, _)) = transactions.next() {
        let message = "an action borrows at most one transaction: two cannot commit together";
        problems.at(&second.written.ty, message);
    }
    returned(function, &name, problems);
    names_of_self(function, problems);
}

fn qualifiers(function: &Function, name: &str, problems: &Problems) {
    let signature = &function.signature;
    if let Some(word) = &signature.constness {
        let message = format!("an action runs, so it cannot be `const`: write `async fn {name}`");
        problems.at(word, message);
    } else if signature.asyncness.is_none() {
        let message = format!("an action must be `async`: write `async fn {name}`");
        problems.at(signature.fn_token, message);
    }
    if let Safety::Unsafe(word) = &signature.safety {
        let message = "an action cannot be `unsafe`; keep the unsafe block inside the body";
        problems.at(word, message);
    }
    if let Some(abi) = &signature.abi {
        problems.at(abi, "an action cannot be `extern`: a runtime calls it, nothing else does");
    }
}

fn parameter(parameter: &Parameter, problems: &Problems) {
    let name = &parameter.name;
    let written = &parameter.written;
    for attribute in &written.attrs {
        if attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr") {
            let message = "a parameter of an action cannot be conditional: two builds would store \
                           different arguments under one name; write two `#[cfg]` functions";
            problems.at(attribute, message);
        }
    }
    if let Some(opaque) = first_opaque(&written.ty) {
        let message = format!(
            "the argument `{name}` must have one concrete type; `impl Trait` is not allowed in an \
             action"
        );
        problems.at(opaque, message);
        return;
    }
    match &parameter.kind {
        Kind::Owned(ty) => owned(name, ty, problems),
        Kind::Provided(ty) => provided(name, &written.ty, ty, problems),
        Kind::Transaction(ty) => transaction(&written.ty, ty, problems),
    }
}

fn owned(name: &str, ty: &Type, problems: &Problems) {
    if Lifetimes::in_type(ty).first.is_none() {
        return;
    }
    let proposal = match last_name(ty).as_deref() {
        Some("Cow") => "`String`, or the owned type behind the `Cow`".to_owned(),
        _ => "an owned type".to_owned(),
    };
    let message = format!(
        "the argument `{name}` is stored and replayed, so its type cannot have a lifetime; take \
         {proposal} instead"
    );
    problems.at(ty, message);
}

fn provided(name: &str, written: &Type, behind: &Type, problems: &Problems) {
    if let Some(proposal) = owned_instead(behind) {
        let message = format!(
            "the argument `{name}` is stored and replayed, so it cannot be borrowed; take \
             `{proposal}` instead"
        );
        problems.at(written, message);
    } else if Lifetimes::in_type(written).first.is_some() {
        let behind = without_lifetimes(behind);
        let message = format!(
            "what `{name}` borrows is provided for every call, so it cannot have a lifetime; \
             provide an owned type and take `&{behind}`, or take `{behind}` by value if it is data"
        );
        problems.at(written, message);
    }
}

fn transaction(written: &Type, behind: &Type, problems: &Problems) {
    if Lifetimes::in_type(written).first.is_some() {
        let place = match peel(written) {
            Type::Reference(reference) if reference.lifetime.is_some() => quote!(#written),
            _ => quote!(#behind),
        };
        let message = "`&mut` borrows the transaction that the runtime opens: take \
                       `&mut SqliteConnection` or `&mut PgConnection`";
        problems.at(place, message);
    }
}

/// Whether a reference to it is one to data.
pub(crate) fn is_data(behind: &Type) -> bool {
    owned_instead(behind).is_some()
}

/// The owned type to take instead of a reference to data; none if it may be a service.
fn owned_instead(behind: &Type) -> Option<String> {
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

fn names(function: &Function, problems: &Problems) {
    for (at, parameter) in function.parameters.iter().enumerate() {
        let earlier = &function.parameters[..at];
        let is_named = |parameter: &&Parameter| {
            parameter.ident.is_some() || matches!(parameter.kind, Kind::Owned(_))
        };
        let same = |other: &&Parameter| other.name == parameter.name;
        if is_named(&parameter) && earlier.iter().filter(is_named).any(|other| same(&other)) {
            let message = format!(
                "two parameters are called `{}`; a pattern is called by its place among the owned \
                 ones",
                parameter.name
            );
            problems.at(&parameter.written.pat, message);
        }
    }
}

pub(crate) fn returned(function: &Function, name: &str, problems: &Problems) {
    let ReturnType::Type(_, ty) = &function.signature.output else {
        let message =
            format!("an action must return a `Result`: add `-> Result<(), YourError>` to `{name}`");
        problems.at(&function.signature.ident, message);
        return;
    };
    let peeled = peel(ty);
    if let Some(opaque) = first_opaque(ty) {
        let message = "an action must return `Result<T, E>` with concrete types; `impl Trait` is \
                       not one";
        problems.at(opaque, message);
    } else if is_no_result(peeled) {
        let text = readable(&peeled.to_token_stream());
        let message = format!("an action must return `Result<T, E>`; it cannot return `{text}`");
        problems.at(ty, message);
    } else if let Some(reference) = borrowed_result(peeled) {
        let message = "the result of an action is stored, so it cannot contain a reference; \
                       return an owned value";
        problems.at(reference, message);
    }
}

/// Types that everybody knows to be no `Result`, under whatever path. Anything else the compiler
/// judges.
fn is_no_result(ty: &Type) -> bool {
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
fn borrowed_result(ty: &Type) -> Option<TokenStream> {
    let is_result = last_name(ty).as_deref() == Some("Result");
    let in_value = is_result.then(|| first_argument(ty)).flatten().and_then(|value| {
        let found = Lifetimes::in_type(value);
        found.reference
    });
    in_value
        .or_else(|| Lifetimes::in_type(ty).first.filter(|found| found.is_hidden).map(|l| l.tokens))
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

fn first_opaque(ty: &Type) -> Option<TokenStream> {
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
    /// The reference that the whole type is does not count when it has no lifetime of its own.
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

fn without_lifetimes(ty: &Type) -> String {
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

/// Refuses `Self`, which means another type once the function stands alone.
fn names_of_self(function: &Function, problems: &Problems) {
    if let Some(span) = self_in_signature(function) {
        let message = "an action is a free function, so its signature cannot name `Self`; use the type's \
             own name";
        problems.at_span(span, message);
    } else if let Some(span) = function.body.as_ref().and_then(|body| first_self(body.stream())) {
        let message =
            "an action is a free function, so its body cannot name `Self`; use the type's own name";
        problems.at_span(span, message);
    }
}

/// Whether a type in the signature names `Self`.
pub(crate) fn signature_names_self(function: &Function) -> bool {
    self_in_signature(function).is_some()
}

fn self_in_signature(function: &Function) -> Option<Span> {
    let signature = &function.signature;
    let inputs = signature.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(typed) => Some(typed.ty.to_token_stream()),
        FnArg::Receiver(_) => None,
    });
    first_self(inputs.chain([signature.output.to_token_stream()]).collect())
}

/// The first `Self` that is not inside an item of its own: a type's or trait's definition, an
/// `impl`. Those begin with their word where a statement begins.
fn first_self(tokens: TokenStream) -> Option<Span> {
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
