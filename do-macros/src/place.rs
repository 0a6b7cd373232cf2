//! Where generated tokens are told: the compiler puts its caret there.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};

/// Generated tokens, told where some of the author's stand: from their first to their last.
pub(crate) fn located(tokens: TokenStream, place: Option<TokenStream>) -> TokenStream {
    match place.and_then(|place| first_span(&place).zip(last_span(&place))) {
        Some((first, last)) => spanning(tokens, first, last),
        None => tokens,
    }
}

/// The first token begins there and the last ends here, in a last group as well: an argument is
/// told on its own.
fn spanning(tokens: TokenStream, first: Span, last: Span) -> TokenStream {
    let count = tokens.clone().into_iter().count();
    let place = |at: usize, token: TokenTree| match token {
        TokenTree::Group(group) if at + 1 == count => {
            let inner = spanning(group.stream(), first, last);
            let mut group = Group::new(group.delimiter(), inner);
            group.set_span(Span::mixed_site().located_at(last));
            TokenStream::from(TokenTree::Group(group))
        }
        token if at + 1 == count && at > 0 => located_at(token.into(), last),
        token => located_at(token.into(), first),
    };
    tokens.into_iter().enumerate().flat_map(|(at, token)| place(at, token)).collect()
}

/// Generated tokens, all told at one place.
pub(crate) fn located_at(tokens: TokenStream, place: Span) -> TokenStream {
    tokens
        .into_iter()
        .map(|mut token| {
            if let TokenTree::Group(group) = &token {
                let inner = located_at(group.stream(), place);
                token = TokenTree::Group(Group::new(group.delimiter(), inner));
            }
            token.set_span(token.span().located_at(place));
            token
        })
        .collect()
}

/// The same variable, told at another place.
pub(crate) fn respanned(variable: &Ident, place: Span) -> Ident {
    let mut variable = variable.clone();
    variable.set_span(place.resolved_at(variable.span()));
    variable
}

pub(crate) fn first_span(tokens: &TokenStream) -> Option<Span> {
    tokens.clone().into_iter().next().map(|token| token.span())
}

pub(crate) fn last_span(tokens: &TokenStream) -> Option<Span> {
    tokens.clone().into_iter().last().map(|token| token.span())
}
