//! What stands after the `=` of an option: durations, numbers, names, cases.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::parse::{Parse, ParseStream, Parser};
use syn::{LitInt, LitStr, Token};

use crate::case::Case;
use crate::duration::Milliseconds;
use crate::problems::Problems;
use crate::words::{did_you_mean, listed};

/// The longest name of an action, in bytes.
pub(crate) const MAX_NAME: usize = 128;

/// What stands in a group without delimiters, as `macro_rules!` leaves them.
pub(crate) fn ungrouped(tokens: TokenStream) -> TokenStream {
    let mut trees = tokens.clone().into_iter();
    match (trees.next(), trees.next()) {
        (Some(TokenTree::Group(group)), None)
            if group.delimiter() == proc_macro2::Delimiter::None =>
        {
            ungrouped(group.stream())
        }
        _ => tokens,
    }
}

pub(crate) fn duration(
    word: &Ident,
    rest: TokenStream,
    problems: &Problems,
) -> Option<Milliseconds> {
    let usage = format!("`{word}` takes a duration: `{word} = \"30s\"`");
    let literal: syn::Lit = value(word, rest, &usage, problems)?;
    let text = match &literal {
        syn::Lit::Str(text) => text.value(),
        syn::Lit::Int(number) => number.to_string(),
        other => {
            problems.at(other, usage);
            return None;
        }
    };
    match Milliseconds::parse(&text) {
        Ok(duration) if matches!(literal, syn::Lit::Str(_)) => Some(duration),
        Ok(_) => {
            problems.at(&literal, format!("a duration is a string: `\"{text}\"`"));
            None
        }
        Err(mistake) => {
            let message = format!(
                "`{text}` is not a duration: {mistake}; write a whole number and a unit, for \
                 example `\"250ms\"`, `\"30s\"`, `\"5m\"`, `\"2h\"`, `\"7d\"`"
            );
            problems.at(&literal, message);
            None
        }
    }
}

pub(crate) fn number(
    word: &Ident,
    rest: TokenStream,
    example: &str,
    zero: &str,
    problems: &Problems,
) -> Option<u32> {
    let usage = format!("`{word}` takes a whole number: `{word} = {example}`");
    let literal: syn::Lit = value(word, rest, &usage, problems)?;
    let syn::Lit::Int(number) = &literal else {
        problems.at(&literal, usage);
        return None;
    };
    match LitInt::base10_parse::<u32>(number) {
        Ok(0) => {
            problems.at(&literal, format!("`{word}` cannot be 0: {zero}"));
            None
        }
        Ok(number) => Some(number),
        Err(_) if number.to_string().starts_with('-') => {
            problems.at(&literal, usage);
            None
        }
        Err(_) => {
            problems.at(&literal, format!("`{word}` is at most {}", u32::MAX));
            None
        }
    }
}

pub(crate) fn action_name(word: &Ident, rest: TokenStream, problems: &Problems) -> Option<LitStr> {
    let usage = "`name` takes the stable name of the action: `name = \"mail.welcome\"`";
    let name: LitStr = value(word, rest, usage, problems)?;
    if let Err(message) = check_name(&name.value()) {
        problems.at(&name, message);
        return None;
    }
    Some(name)
}

/// What a name may consist of.
pub(crate) fn check_name(name: &str) -> Result<(), String> {
    if name.is_empty() {
        return Err("an action's name cannot be empty".to_owned());
    }
    if name.len() > MAX_NAME {
        return Err(format!(
            "an action's name takes at most {MAX_NAME} bytes, and this one takes {}",
            name.len()
        ));
    }
    let allowed = |letter: char| letter.is_alphanumeric() || "._-".contains(letter);
    if !name.chars().all(allowed) {
        return Err(format!(
            "`{name}` is not a valid action name; use letters, digits and `. _ -`"
        ));
    }
    Ok(())
}

pub(crate) fn rename_all(
    word: &Ident,
    rest: TokenStream,
    problems: &Problems,
) -> Option<(LitStr, Case)> {
    let usage = "`rename_all` takes the case of the parameters' names for callers by name: \
                 `rename_all = \"camelCase\"`";
    let literal: LitStr = value(word, rest, usage, problems)?;
    let text = literal.value();
    let case = Case::ALL.iter().find(|(name, _)| *name == text);
    if let Some((_, case)) = case {
        return Some((literal, *case));
    }
    let names = || Case::ALL.iter().map(|(name, _)| *name);
    let end = did_you_mean(&text, names(), || format!("the cases are {}", listed(names())));
    problems.at(&literal, format!("unknown case `{text}`; {end}"));
    None
}

/// What stands after `=`. Anything else is told at the option's name, or where it stands if the
/// rest is there and wrong.
pub(crate) fn value<T: Parse>(
    word: &Ident,
    rest: TokenStream,
    usage: &str,
    problems: &Problems,
) -> Option<T> {
    let mut after: Span = word.span();
    let parser = |input: ParseStream<'_>| {
        input.parse::<Token![=]>()?;
        if !input.is_empty() {
            after = input.span();
        }
        input.parse::<T>()
    };
    match parser.parse2(unwrapped_value(rest)) {
        Ok(value) => Some(value),
        Err(_) => {
            problems.at_span(after, usage);
            None
        }
    }
}

/// `= $value` of `macro_rules!`, without the group around the value.
fn unwrapped_value(rest: TokenStream) -> TokenStream {
    let mut trees = rest.into_iter();
    let equals: TokenStream = trees.next().into_iter().collect();
    let value = ungrouped(trees.collect());
    equals.into_iter().chain(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_actions() {
        for (name, valid) in [
            ("mail.welcome", true),
            ("v2_send-it.9", true),
            ("приветствие", true),
            ("", false),
            ("two words", false),
            ("a/b", false),
        ] {
            assert_eq!(check_name(name).is_ok(), valid, "{name}");
        }
        for (length, valid) in [(MAX_NAME - 1, true), (MAX_NAME, true), (MAX_NAME + 1, false)] {
            assert_eq!(check_name(&"a".repeat(length)).is_ok(), valid, "{length} bytes");
        }
        assert!(check_name(&"é".repeat(MAX_NAME / 2 + 1)).is_err(), "bytes count, not letters");
    }
}
