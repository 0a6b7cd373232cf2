//! The options of the attribute, with the place of every word.
//!
//! An option with a mistake is told and left out; the rest stands. The separate file `key.rs`
//! reads `key(..)`, the one option with a language of its own.

use proc_macro2::{TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Ident, LitStr, Path, Token};

use crate::case::Case;
use crate::duration::Milliseconds;
use crate::key::{self, KeyField};
use crate::problems::Problems;
use crate::value::{action_name, duration, number, rename_all, ungrouped, value};
use crate::words::{did_you_mean, listed};

/// Everything that was said in the parentheses.
#[derive(Default)]
pub(crate) struct Options {
    pub(crate) crate_path: Option<Path>,
    pub(crate) key: Option<Key>,
    pub(crate) ignore: Vec<Ident>,
    pub(crate) class: Option<Class>,
    pub(crate) retry: Retry,
    pub(crate) timeout: Option<Milliseconds>,
    pub(crate) keep: Option<Milliseconds>,
    pub(crate) keep_failed: Option<Milliseconds>,
    pub(crate) name: Option<LitStr>,
    pub(crate) rename_all: Option<(LitStr, Case)>,
    pub(crate) key_version: Option<u32>,
}

/// What identifies a call.
pub(crate) enum Key {
    Caller,
    Fields(Vec<KeyField>),
    /// It was said, with a mistake that has been told.
    Broken,
}

/// What an unknown end means.
pub(crate) struct Class {
    pub(crate) word: Ident,
    pub(crate) kind: ClassKind,
}

pub(crate) enum ClassKind {
    Once,
    Repeatable,
    Check { path: Path, settle: Option<Milliseconds> },
}

#[derive(Default)]
pub(crate) struct Retry {
    pub(crate) within: Option<Milliseconds>,
    pub(crate) max: Option<Milliseconds>,
    pub(crate) attempts: Option<u32>,
}

const OPTIONS: [&str; 13] = [
    "key",
    "ignore",
    "once",
    "repeatable",
    "check",
    "retry",
    "timeout",
    "keep",
    "keep_failed",
    "name",
    "rename_all",
    "key_version",
    "crate",
];

impl Options {
    /// Reads all options; every mistake is told.
    pub(crate) fn parse(attribute: TokenStream, problems: &Problems) -> Self {
        let mut options = Self::default();
        let mut given: Vec<String> = Vec::new();
        for chunk in chunks(attribute) {
            let Some(TokenTree::Ident(word)) = chunk.clone().into_iter().next() else {
                problems
                    .at(&chunk, format!("expected an option; the options are {}", listed(OPTIONS)));
                continue;
            };
            let name = word.unraw().to_string();
            if !OPTIONS.contains(&name.as_str()) {
                let end =
                    did_you_mean(&name, OPTIONS, || format!("the options are {}", listed(OPTIONS)));
                problems.at(&word, format!("unknown option `{name}`; {end}"));
                continue;
            }
            if given.contains(&name) {
                problems.at(&word, twice(&name));
                continue;
            }
            given.push(name);
            let mut rest: TokenStream = chunk.into_iter().skip(1).collect();
            if let Some((before, after)) = missing_comma(&rest) {
                problems.at(&after, format!("expected `,` before `{after}`"));
                rest = before;
            }
            options.read(&word, rest, problems);
        }
        options
    }

    fn read(&mut self, word: &Ident, rest: TokenStream, problems: &Problems) {
        let name = word.unraw().to_string();
        match name.as_str() {
            "key" => self.key = Some(read_key(word, rest, problems)),
            "ignore" => {
                self.ignore = parameters(word, &rest, problems);
            }
            "once" | "repeatable" => {
                if !rest.is_empty() {
                    problems.at(&rest, format!("`{name}` stands alone; it takes nothing"));
                }
                let kind = if name == "once" { ClassKind::Once } else { ClassKind::Repeatable };
                self.set_class(word, kind, problems);
            }
            "check" => {
                if let Some(kind) = check(word, rest, problems) {
                    self.set_class(word, kind, problems);
                }
            }
            "retry" => self.retry = retry(word, &rest, problems),
            "timeout" => self.timeout = duration(word, rest, problems),
            "keep" => self.keep = duration(word, rest, problems),
            "keep_failed" => self.keep_failed = duration(word, rest, problems),
            "name" => self.name = action_name(word, rest, problems),
            "rename_all" => self.rename_all = rename_all(word, rest, problems),
            "key_version" => {
                self.key_version = number(word, rest, "1", "key versions begin at 1", problems);
            }
            _ => {
                let usage = "`crate` takes the path of the runtime: `crate = crate::actions`";
                self.crate_path = value(word, rest, usage, problems);
            }
        }
    }

    fn set_class(&mut self, word: &Ident, kind: ClassKind, problems: &Problems) {
        if let Some(first) = &self.class {
            let message = format!(
                "`{word}` and `{}` exclude each other: each says what an unknown end means",
                first.word
            );
            problems.at(word, message);
            return;
        }
        self.class = Some(Class { word: word.clone(), kind });
    }
}

/// The options, cut at the commas between them.
pub(crate) fn chunks(tokens: TokenStream) -> Vec<TokenStream> {
    let mut chunks = vec![TokenStream::new()];
    for token in tokens {
        match (&token, chunks.last_mut()) {
            (TokenTree::Punct(punct), _) if punct.as_char() == ',' => {
                chunks.push(TokenStream::new());
            }
            (_, Some(chunk)) => chunk.extend([token]),
            (_, None) => {}
        }
    }
    chunks.retain(|chunk| !chunk.is_empty());
    chunks
}

/// What belongs to an option, and the word after it that a comma is missing before.
fn missing_comma(rest: &TokenStream) -> Option<(TokenStream, Ident)> {
    let trees: Vec<TokenTree> = rest.clone().into_iter().collect();
    let ends = match trees.first()? {
        TokenTree::Group(_) => 1,
        TokenTree::Punct(equals) if equals.as_char() == '=' => 2,
        _ => return None,
    };
    match trees.get(ends)? {
        TokenTree::Ident(after) => Some((trees[..ends].iter().cloned().collect(), after.clone())),
        _ => None,
    }
}

fn twice(name: &str) -> String {
    match name {
        "key" => "option `key` is given twice; list every parameter in one `key(..)`".to_owned(),
        "ignore" => {
            "option `ignore` is given twice; list every parameter in one `ignore(..)`".to_owned()
        }
        name => format!("option `{name}` is given twice; keep one"),
    }
}

fn read_key(word: &Ident, rest: TokenStream, problems: &Problems) -> Key {
    let usage = "`key` takes the parameters that identify one call: `key(user_id, template)`, or \
                 `key = caller`";
    if let Some(group) = key::group(&rest) {
        return match key::fields(word, group, problems) {
            Some(fields) => Key::Fields(fields),
            None => Key::Broken,
        };
    }
    let caller = |input: ParseStream<'_>| {
        input.parse::<Token![=]>()?;
        input.parse::<Ident>()
    };
    match caller.parse2(rest) {
        Ok(caller) if caller == "caller" => Key::Caller,
        _ => {
            problems.at(word, usage);
            Key::Broken
        }
    }
}

/// A list of parameters' names in parentheses.
fn parameters(word: &Ident, rest: &TokenStream, problems: &Problems) -> Vec<Ident> {
    let usage = format!("`{word}` takes names of parameters: `{word}(trace_id)`");
    let Some(group) = key::group(rest) else {
        problems.at(word, usage);
        return Vec::new();
    };
    let chunks = chunks(group.stream());
    if chunks.is_empty() {
        problems.at(word, format!("`{word}()` is empty; name a parameter, or leave it out"));
    }
    let mut names = Vec::new();
    for chunk in chunks {
        match Ident::parse_any.parse2(ungrouped(chunk.clone())) {
            Ok(name) => names.push(name),
            Err(_) => problems.at(chunk, &usage),
        }
    }
    names
}

fn check(word: &Ident, rest: TokenStream, problems: &Problems) -> Option<ClassKind> {
    let usage = "`check` takes the function that looks whether the effect is there: \
                 `check = find_workspace`, or `check(find_workspace, settle = \"30s\")`";
    let Some(group) = key::group(&rest) else {
        let path = value(word, rest, usage, problems)?;
        return Some(ClassKind::Check { path, settle: None });
    };
    let mut chunks = chunks(group.stream()).into_iter();
    let Some(Ok(path)) = chunks.next().map(syn::parse2::<Path>) else {
        problems.at(word, usage);
        return None;
    };
    let mut settle = None;
    for (name, rest) in inner_options("check", chunks, &["settle"], problems) {
        settle = duration(&name, rest, problems);
    }
    Some(ClassKind::Check { path, settle })
}

fn retry(word: &Ident, rest: &TokenStream, problems: &Problems) -> Retry {
    let mut retry = Retry::default();
    let chunks = key::group(rest).map(|group| chunks(group.stream())).unwrap_or_default();
    if chunks.is_empty() {
        problems.at(
            word,
            "`retry` takes at least one of its options: \
             `retry(within = \"24h\", max = \"10m\", attempts = 5)`",
        );
        return retry;
    }
    let known = ["within", "max", "attempts"];
    for (name, rest) in inner_options("retry", chunks.into_iter(), &known, problems) {
        match name.to_string().as_str() {
            "within" => retry.within = duration(&name, rest, problems),
            "max" => retry.max = duration(&name, rest, problems),
            _ => {
                let zero = "a round has at least one attempt";
                retry.attempts = number(&name, rest, "5", zero, problems);
            }
        }
    }
    retry
}

/// The named options within an option: each known and given once.
fn inner_options(
    outer: &str,
    chunks: impl Iterator<Item = TokenStream>,
    known: &[&str],
    problems: &Problems,
) -> Vec<(Ident, TokenStream)> {
    let mut options: Vec<(Ident, TokenStream)> = Vec::new();
    for chunk in chunks {
        let mut trees = chunk.clone().into_iter();
        let Some(TokenTree::Ident(name)) = trees.next() else {
            problems.at(
                &chunk,
                format!("expected an option of `{outer}`: {}", listed(known.iter().copied())),
            );
            continue;
        };
        let word = name.to_string();
        if !known.contains(&word.as_str()) {
            let end = did_you_mean(&word, known.iter().copied(), || {
                format!("it takes {}", listed(known.iter().copied()))
            });
            problems.at(&name, format!("unknown option `{word}` of `{outer}`; {end}"));
        } else if options.iter().any(|(earlier, _)| *earlier == word) {
            problems.at(&name, format!("option `{word}` is given twice; keep one"));
        } else {
            options.push((name, trees.collect()));
        }
    }
    options
}
