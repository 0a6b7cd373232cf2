//! The rules of the signature. Every mistake is told.

use quote::{ToTokens, quote};
use syn::{ReturnType, Safety, Type};

use crate::ast::{Function, Kind, Parameter, last_name, peel};
use crate::own_type::{first_self, self_in_signature};
use crate::problems::Problems;
use crate::shape::{
    borrowed_result, first_opaque, has_lifetime, is_no_result, owned_instead, readable,
    without_lifetimes,
};

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
    if !has_lifetime(ty) {
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
             `{proposal}` instead, or provide it in a type of your own"
        );
        problems.at(written, message);
    } else if has_lifetime(written) {
        let behind = without_lifetimes(behind);
        let message = format!(
            "what `{name}` borrows is provided for every call, so it cannot have a lifetime; \
             provide an owned type and take `&{behind}`, or take `{behind}` by value if it is data"
        );
        problems.at(written, message);
    }
}

fn transaction(written: &Type, behind: &Type, problems: &Problems) {
    if has_lifetime(written) {
        let place = match peel(written) {
            Type::Reference(reference) if reference.lifetime.is_some() => quote!(#written),
            _ => quote!(#behind),
        };
        let message = "`&mut` borrows the transaction that the runtime opens: take \
                       `&mut SqliteConnection`";
        problems.at(place, message);
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

/// Refuses `Self`, which means another type once the function stands alone.
fn names_of_self(function: &Function, problems: &Problems) {
    if let Some(span) = self_in_signature(function) {
        let message = "an action is a free function, so its signature cannot name `Self`; use \
                       the type's own name";
        problems.at_span(span, message);
    } else if let Some(span) = function.body.as_ref().and_then(|body| first_self(body.stream())) {
        let message =
            "an action is a free function, so its body cannot name `Self`; use the type's own name";
        problems.at_span(span, message);
    }
}
