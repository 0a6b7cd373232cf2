//! The function as we understand it: what is recorded, what is provided, what is a transaction.
//!
//! The body is one group of tokens that is never parsed: whatever rustc understands may stand in
//! it, and what it does not understand is rustc's to tell.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, FnArg, Ident, Pat, PatType, Signature, Type, Visibility};

/// A function under the attribute.
pub(crate) struct Function {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) signature: Signature,
    /// None of a declaration: `async fn f();`
    pub(crate) body: Option<Group>,
    pub(crate) parameters: Vec<Parameter>,
}

/// One parameter.
pub(crate) struct Parameter {
    /// As written.
    pub(crate) written: PatType,
    pub(crate) kind: Kind,
    /// What the author calls it; none for a pattern.
    pub(crate) ident: Option<Ident>,
    /// Its own name: in records, keys and fingerprints.
    pub(crate) name: String,
}

/// What a parameter is to the runtime.
pub(crate) enum Kind {
    /// By value: recorded.
    Owned(Type),
    /// By shared reference: provided.
    Provided(Type),
    /// By unique reference: a connection in its transaction.
    Transaction(Type),
}

impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        let signature: Signature = input.parse()?;
        let body = match input.parse::<TokenTree>()? {
            TokenTree::Group(group) if group.delimiter() != Delimiter::Parenthesis => Some(group),
            _ => None,
        };
        let parameters = parameters(&signature);
        Ok(Self { attributes, visibility, signature, body, parameters })
    }
}

impl Function {
    /// Its name without `r#`.
    pub(crate) fn name(&self) -> String {
        self.signature.ident.unraw().to_string()
    }

    pub(crate) fn owned(&self) -> impl Iterator<Item = (&Parameter, &Type)> {
        self.parameters.iter().filter_map(|parameter| match &parameter.kind {
            Kind::Owned(ty) => Some((parameter, ty)),
            Kind::Provided(_) | Kind::Transaction(_) => None,
        })
    }

    pub(crate) fn provided(&self) -> impl Iterator<Item = (&Parameter, &Type)> {
        self.parameters.iter().filter_map(|parameter| match &parameter.kind {
            Kind::Provided(ty) => Some((parameter, ty)),
            Kind::Owned(_) | Kind::Transaction(_) => None,
        })
    }

    pub(crate) fn transactions(&self) -> impl Iterator<Item = (&Parameter, &Type)> {
        self.parameters.iter().filter_map(|parameter| match &parameter.kind {
            Kind::Transaction(ty) => Some((parameter, ty)),
            Kind::Owned(_) | Kind::Provided(_) => None,
        })
    }

    /// The parameter of that name, compared as text: in `macro_rules!` the key's token and the
    /// parameter's own may come from two places.
    pub(crate) fn parameter(&self, name: &Ident) -> Option<&Parameter> {
        let name = name.unraw();
        self.parameters
            .iter()
            .find(|parameter| parameter.ident.as_ref().is_some_and(|ident| ident.unraw() == name))
    }

    /// The pattern that binds that name inside it.
    pub(crate) fn pattern_that_binds(&self, name: &Ident) -> Option<&Parameter> {
        let name = name.unraw();
        self.parameters.iter().filter(|parameter| parameter.ident.is_none()).find(|parameter| {
            let mut bound = Vec::new();
            bindings(&parameter.written.pat, &mut bound);
            bound.contains(&name)
        })
    }

    /// Whether the body holds a group without delimiters: what `macro_rules!` makes of a block.
    pub(crate) fn body_has_invisible_group(&self) -> bool {
        fn within(tokens: TokenStream) -> bool {
            tokens.into_iter().any(|token| match token {
                TokenTree::Group(group) => {
                    group.delimiter() == Delimiter::None || within(group.stream())
                }
                TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => false,
            })
        }
        self.body
            .as_ref()
            .is_some_and(|body| body.delimiter() == Delimiter::None || within(body.stream()))
    }
}

impl Parameter {
    /// The variable that holds it in what is generated: the author's own where there is one, so
    /// that expressions in the key see it.
    pub(crate) fn variable(&self) -> Ident {
        match &self.ident {
            Some(ident) => ident.clone(),
            None => Ident::new(&self.name, Span::mixed_site()),
        }
    }
}

/// The type without parentheses and the invisible groups of `macro_rules!`.
pub(crate) fn peel(mut ty: &Type) -> &Type {
    loop {
        ty = match ty {
            Type::Group(group) => &group.elem,
            Type::Paren(paren) => &paren.elem,
            ty => return ty,
        };
    }
}

/// The last name of a type's path, without `r#`.
pub(crate) fn last_name(ty: &Type) -> Option<String> {
    let Type::Path(path) = peel(ty) else {
        return None;
    };
    path.path.segments.last().map(|segment| segment.ident.unraw().to_string())
}

/// The names that a pattern binds.
pub(crate) fn bindings(pattern: &Pat, bound: &mut Vec<Ident>) {
    struct Bindings<'b>(&'b mut Vec<Ident>);

    impl<'ast> syn::visit::Visit<'ast> for Bindings<'_> {
        fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
            self.0.push(pattern.ident.unraw());
            syn::visit::visit_pat_ident(self, pattern);
        }
    }

    syn::visit::Visit::visit_pat(&mut Bindings(bound), pattern);
}

fn parameters(signature: &Signature) -> Vec<Parameter> {
    let mut parameters = Vec::new();
    let mut owned = 0_usize;
    for written in &signature.inputs {
        let FnArg::Typed(written) = written else {
            continue;
        };
        let kind = match peel(&written.ty) {
            Type::Reference(reference) => {
                let behind = peel(&reference.elem).clone();
                match reference.mutability {
                    Some(_) => Kind::Transaction(behind),
                    None => Kind::Provided(behind),
                }
            }
            _ => Kind::Owned((*written.ty).clone()),
        };
        let ident = match &*written.pat {
            Pat::Ident(pattern) => Some(pattern.ident.clone()),
            _ => None,
        };
        let name = match &ident {
            Some(ident) => ident.unraw().to_string(),
            None => format!("_{owned}"),
        };
        if matches!(kind, Kind::Owned(_)) {
            owned += 1;
        }
        parameters.push(Parameter { written: written.clone(), kind, ident, name });
    }
    parameters
}
