//! What identifies a call: the fields of the key, and what a repeat may bring otherwise.

use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::visit::{self, Visit};
use syn::{Expr, Type};

use crate::ast::{Function, Kind, Parameter, bindings, last_name};
use crate::attr::{Key, Options};
use crate::key::KeyField;
use crate::place::{first_span, last_span, respanned};
use crate::problems::Problems;
use crate::shape::readable;
use crate::words::{did_you_mean, listed};

/// One field of the key.
pub(crate) struct Field {
    pub(crate) name: String,
    /// What the field borrows.
    pub(crate) value: TokenStream,
    /// It is a place, which must not be moved out of; otherwise a value.
    pub(crate) is_place: bool,
    /// Where a type that cannot be in a key is told: from here to there.
    pub(crate) place: (Span, Span),
}

/// What else is done with an owned parameter that is not by itself in the key.
pub(crate) struct Rest {
    /// Its place among the owned parameters.
    pub(crate) place: usize,
    /// Whether it is in the fingerprint.
    pub(crate) counts: bool,
}

/// The names of the parameters that are left out of the fingerprint.
pub(crate) fn ignored(function: &Function, options: &Options, problems: &Problems) -> Vec<String> {
    let mut ignored = Vec::new();
    for name in &options.ignore {
        let Some(parameter) = known(function, name, problems) else { continue };
        if !matches!(parameter.kind, Kind::Owned(_)) {
            let message = format!("`{name}` is borrowed, so it is not recorded: nothing to ignore");
            problems.at(name, message);
        } else if ignored.contains(&parameter.name) {
            problems.at(name, format!("`{name}` is ignored twice"));
        } else {
            ignored.push(parameter.name.clone());
        }
    }
    ignored
}

/// The fields, and the names of the parameters that are whole in the key.
pub(crate) fn key(
    function: &Function,
    options: &Options,
    ignored: &[String],
    problems: &Problems,
) -> (Vec<Field>, Vec<String>) {
    let fields = match &options.key {
        None => return all_owned(function, ignored, problems),
        Some(Key::Caller | Key::Broken) => return (Vec::new(), Vec::new()),
        Some(Key::Fields(fields)) => fields,
    };
    let mut key: Vec<Field> = Vec::new();
    let mut in_key: Vec<String> = Vec::new();
    for field in fields {
        let (made, whole, label) = match field {
            KeyField::Parameter(name) => {
                let Some(field) = parameter_field(function, name, problems) else { continue };
                (field, Some(name.unraw().to_string()), name)
            }
            KeyField::Path { head, rest, name } => {
                let Some(parameter) = owned(function, head, problems) else { continue };
                let head_token = respanned(&parameter.variable(), head.span());
                let mut value = head_token.to_token_stream();
                value.extend(rest.clone());
                let place = (head.span(), last_span(rest).unwrap_or_else(|| head.span()));
                let field = Field { name: name.clone(), value, is_place: true, place };
                (field, None, head)
            }
            KeyField::Named { name, expression } => {
                if !expression_is_sound(function, expression, problems) {
                    continue;
                }
                let own_name = name.unraw().to_string();
                let whole = function
                    .parameter(name)
                    .map(|parameter| parameter.name.clone())
                    .or_else(|| only_parameter(function, expression));
                let value = expression.to_token_stream();
                let place = (
                    first_span(&value).unwrap_or_else(|| name.span()),
                    last_span(&value).unwrap_or_else(|| name.span()),
                );
                let is_place = is_place(expression);
                (Field { name: own_name, value, is_place, place }, whole, name)
            }
        };
        if key.iter().any(|earlier| earlier.name == made.name) {
            problems.at(label, format!("`{}` is in the key twice", made.name));
            continue;
        }
        key.push(made);
        in_key.extend(whole);
    }
    contradictions(options, ignored, &in_key, problems);
    (key, in_key)
}

/// What is by itself in the key cannot be ignored.
fn contradictions(options: &Options, ignored: &[String], in_key: &[String], problems: &Problems) {
    for name in &options.ignore {
        let text = name.unraw().to_string();
        if ignored.contains(&text) && in_key.contains(&text) {
            let message = format!("`{text}` is in the key, so it cannot be ignored");
            problems.at(name, message);
        }
    }
}

fn all_owned(
    function: &Function,
    ignored: &[String],
    problems: &Problems,
) -> (Vec<Field>, Vec<String>) {
    let counting: Vec<_> =
        function.owned().filter(|(parameter, _)| !ignored.contains(&parameter.name)).collect();
    if counting.is_empty() {
        let name = function.name();
        let message = format!(
            "`{name}` records nothing that could tell two calls apart, so every call would be the \
             same call; take a parameter by value, or let the caller give the key: `key = caller`"
        );
        problems.at(&function.signature.ident, message);
    }
    let mut key = Vec::new();
    for (parameter, ty) in &counting {
        if is_float(ty) {
            problems.at(ty, float(&parameter.name));
            continue;
        }
        let tokens = ty.to_token_stream();
        let place = first_span(&tokens).zip(last_span(&tokens));
        let place = place.unwrap_or_else(|| (Span::mixed_site(), Span::mixed_site()));
        let value = respanned(&parameter.variable(), place.1).to_token_stream();
        key.push(Field { name: parameter.name.clone(), value, is_place: true, place });
    }
    (key, counting.iter().map(|(parameter, _)| parameter.name.clone()).collect())
}

fn parameter_field(function: &Function, name: &Ident, problems: &Problems) -> Option<Field> {
    let parameter = owned(function, name, problems)?;
    if let Kind::Owned(ty) = &parameter.kind
        && is_float(ty)
    {
        problems.at(name, float(&parameter.name));
        return None;
    }
    let value = respanned(&parameter.variable(), name.span()).to_token_stream();
    Some(Field {
        name: parameter.name.clone(),
        value,
        is_place: true,
        place: (name.span(), name.span()),
    })
}

fn is_float(ty: &Type) -> bool {
    matches!(last_name(ty).as_deref(), Some("f32" | "f64"))
}

fn float(name: &str) -> String {
    format!(
        "`{name}` is a floating-point number, and a float cannot be part of a key: equal amounts \
         can differ in their last bits; use an integer (cents, millis) or a decimal string"
    )
}

/// The owned parameter of that name.
fn owned<'f>(function: &'f Function, name: &Ident, problems: &Problems) -> Option<&'f Parameter> {
    let parameter = known(function, name, problems)?;
    if matches!(parameter.kind, Kind::Owned(_)) {
        return Some(parameter);
    }
    problems.at(name, borrowed(name));
    None
}

fn borrowed(name: &Ident) -> String {
    format!(
        "`{name}` is borrowed: it is provided and the same for every call, so it cannot tell two \
         calls apart; use what is taken by value"
    )
}

/// The parameter of that name; that there is none is told.
fn known<'f>(function: &'f Function, name: &Ident, problems: &Problems) -> Option<&'f Parameter> {
    if let Some(parameter) = function.parameter(name) {
        return Some(parameter);
    }
    if let Some(parameter) = function.pattern_that_binds(name) {
        problems.at(name, in_pattern(name, parameter));
        return None;
    }
    let function_name = function.name();
    let names = || {
        let owned = function.owned().filter(|(parameter, _)| parameter.ident.is_some());
        owned.map(|(parameter, _)| parameter.name.as_str())
    };
    let end = did_you_mean(&name.unraw().to_string(), names(), || match names().count() {
        0 => format!("`{function_name}` has no parameters"),
        1 => format!("the parameter is {}", listed(names())),
        _ => format!("the parameters are {}", listed(names())),
    });
    problems.at(name, format!("`{function_name}` has no parameter `{name}`; {end}"));
    None
}

fn in_pattern(name: &Ident, parameter: &Parameter) -> String {
    let pattern = readable(&parameter.written.pat.to_token_stream());
    format!(
        "`{name}` is bound inside the pattern `{pattern}`; name the whole parameter and take it \
         apart in the body"
    )
}

/// Whether an expression uses nothing that a constructor does not have.
fn expression_is_sound(function: &Function, expression: &Expr, problems: &Problems) -> bool {
    #[derive(Default)]
    struct Names {
        used: Vec<Ident>,
        bound: Vec<Ident>,
    }

    impl<'ast> Visit<'ast> for Names {
        fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
            if let Some(name) = path.path.get_ident() {
                self.used.push(name.clone());
            }
            visit::visit_expr_path(self, path);
        }

        fn visit_pat(&mut self, pattern: &'ast syn::Pat) {
            bindings(pattern, &mut self.bound);
        }
    }

    let mut names = Names::default();
    names.visit_expr(expression);
    let mut sound = true;
    for name in names.used.iter().filter(|name| !names.bound.contains(&name.unraw())) {
        match function.parameter(name) {
            Some(parameter) if !matches!(parameter.kind, Kind::Owned(_)) => {
                problems.at(name, borrowed(name));
                sound = false;
            }
            Some(_) => {}
            None => {
                if let Some(parameter) = function.pattern_that_binds(name) {
                    problems.at(name, in_pattern(name, parameter));
                    sound = false;
                }
            }
        }
    }
    sound
}

/// The parameter that an expression is, if it is nothing else: `user_id = uid`.
fn only_parameter(function: &Function, mut expression: &Expr) -> Option<String> {
    loop {
        expression = match expression {
            Expr::Group(group) => &group.expr,
            Expr::Paren(paren) => &paren.expr,
            Expr::Path(path) => {
                let name = path.path.get_ident()?;
                return function.parameter(name).map(|parameter| parameter.name.clone());
            }
            _ => return None,
        };
    }
}

/// Whether an expression is a place: a variable, a field, an element, what a reference points to.
fn is_place(expression: &Expr) -> bool {
    match expression {
        Expr::Group(group) => is_place(&group.expr),
        Expr::Paren(paren) => is_place(&paren.expr),
        Expr::Path(_) | Expr::Field(_) | Expr::Index(_) => true,
        Expr::Unary(unary) => matches!(unary.op, syn::UnOp::Deref(_)),
        _ => false,
    }
}
