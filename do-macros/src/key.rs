//! The language of `key(..)`: parameters, paths to a field, named expressions.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, Ident, Index, Token, parenthesized};

use crate::problems::Problems;
use crate::shape::readable;

/// One field of a key.
pub(crate) enum KeyField {
    /// `user_id`
    Parameter(Ident),
    /// `order.id`: the parameter, what comes after it, the whole as a name.
    Path { head: Ident, rest: TokenStream, name: String },
    /// `email = email.to_lowercase()`
    Named { name: Ident, expression: Expr },
}

/// The one group in parentheses that an option consists of.
pub(crate) fn group(rest: &TokenStream) -> Option<Group> {
    let mut trees = rest.clone().into_iter();
    match (trees.next(), trees.next()) {
        (Some(TokenTree::Group(group)), None) if group.delimiter() == Delimiter::Parenthesis => {
            Some(group)
        }
        _ => None,
    }
}

/// Reads the fields. None if there are none, which is told; a field with a mistake is told and
/// left out.
pub(crate) fn fields(word: &Ident, group: Group, problems: &Problems) -> Option<Vec<KeyField>> {
    if group.stream().is_empty() {
        problems.at(
            word,
            "`key()` is empty, so every call would be the same call; name at least one parameter",
        );
        return None;
    }
    // The parentheses are parsed too: what ends too early is then told at the closing one.
    let parser = |input: ParseStream<'_>| {
        let content;
        parenthesized!(content in input);
        list(&content, problems)
    };
    match parser.parse2(TokenTree::Group(group).into()) {
        Ok(fields) => Some(fields),
        Err(error) => {
            problems.add(error);
            None
        }
    }
}

fn list(input: ParseStream<'_>, problems: &Problems) -> syn::Result<Vec<KeyField>> {
    let mut fields = Vec::new();
    while !input.is_empty() {
        match field(input) {
            Ok(field) => fields.push(field),
            Err(error) => {
                problems.add(error);
                skip_to_comma(input)?;
            }
        }
        if input.is_empty() {
            break;
        }
        if !input.peek(Token![,]) {
            problems.add(input.error("expected `,` between the fields of a key"));
            skip_to_comma(input)?;
        }
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    Ok(fields)
}

fn field(input: ParseStream<'_>) -> syn::Result<KeyField> {
    if input.peek(Ident::peek_any) && input.peek2(Token![=]) && !input.peek2(Token![==]) {
        let name = Ident::parse_any(input)?;
        input.parse::<Token![=]>()?;
        if input.is_empty() || input.peek(Token![,]) {
            let message = format!("the expression is missing: `{name} = email.to_lowercase()`");
            return Err(syn::Error::new(name.span(), message));
        }
        let expression = input.parse()?;
        return Ok(KeyField::Named { name, expression });
    }
    let ahead = input.fork();
    if let Ok(field) = place(&ahead)
        && (ahead.is_empty() || ahead.peek(Token![,]))
    {
        return place(input).map_or(Ok(field), Ok);
    }
    let expression: Expr = input.parse()?;
    of_expression(expression)
}

/// A parameter or a path that begins with one. Keywords are names here, as in `key(type)`.
fn place(input: ParseStream<'_>) -> syn::Result<KeyField> {
    let head = Ident::parse_any(input)?;
    let mut rest = TokenStream::new();
    let mut name = head.unraw().to_string();
    while input.peek(Token![.]) {
        let dot: Token![.] = input.parse()?;
        dot.to_tokens(&mut rest);
        name.push('.');
        if input.peek(syn::LitFloat) {
            // `pair.0.1`: the two indices come as one number.
            let indices: syn::LitFloat = input.parse()?;
            name.push_str(&indices.to_string());
            indices.to_tokens(&mut rest);
        } else if input.peek(syn::LitInt) {
            let index: Index = input.parse()?;
            name.push_str(&index.index.to_string());
            index.to_tokens(&mut rest);
        } else {
            let member = Ident::parse_any(input)?;
            name.push_str(&member.unraw().to_string());
            member.to_tokens(&mut rest);
        }
    }
    Ok(if rest.is_empty() {
        KeyField::Parameter(head)
    } else {
        KeyField::Path { head, rest, name }
    })
}

/// A parameter or a path that came as an expression of `macro_rules!`, or a mistake.
fn of_expression(expression: Expr) -> syn::Result<KeyField> {
    let mut peeled = &expression;
    while let Expr::Group(group) = peeled {
        peeled = &group.expr;
    }
    if let Ok(field) = place.parse2(peeled.to_token_stream()) {
        return Ok(field);
    }
    let text = readable(&expression.to_token_stream());
    let message = match peeled {
        Expr::Lit(_) => "a constant tells no two calls apart; name a parameter".to_owned(),
        _ => {
            let name = first_name(&expression).unwrap_or_else(|| "name".to_owned());
            format!("an expression in a key needs a name that stays: `{name} = {text}`")
        }
    };
    Err(syn::Error::new_spanned(expression, message))
}

/// The first name in an expression, as a proposal for its own.
fn first_name(expression: &Expr) -> Option<String> {
    fn within(tokens: TokenStream) -> Option<String> {
        tokens.into_iter().find_map(|token| match token {
            TokenTree::Ident(name) => Some(name.unraw().to_string()),
            TokenTree::Group(group) => within(group.stream()),
            TokenTree::Punct(_) | TokenTree::Literal(_) => None,
        })
    }
    within(quote!(#expression))
}

fn skip_to_comma(input: ParseStream<'_>) -> syn::Result<()> {
    while !input.is_empty() && !input.peek(Token![,]) {
        input.parse::<TokenTree>()?;
    }
    Ok(())
}
