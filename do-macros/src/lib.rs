//! The macros of `do-runtime`: entry points only.

mod ast;
mod attr;
mod case;
mod duration;
mod expand;
mod fallback;
mod identity;
mod key;
mod key_part;
mod outer;
mod own_type;
mod place;
mod problems;
mod rules;
mod shape;
mod valid;
mod value;
mod words;

use proc_macro::TokenStream;

/// Makes an async function an atomic action: calling it gives a `Call`, which a runtime executes
/// once, however often it is asked.
///
/// What the function takes by value is recorded, what it takes by `&` is provided to the runtime,
/// and `&mut` borrows a database transaction.
///
/// A check is an `async fn` with all the action's parameters in their order. It returns
/// `Result<Option<T>>`: `Some` is the effect that is there, `None` means certainly not there, an
/// error means that it cannot tell now.
///
/// | option | meaning | default |
/// |---|---|---|
/// | `key(a, order.id, email = email.to_lowercase())` | what identifies a call | all that is taken by value |
/// | `key = caller` | the caller gives the key: `.keyed("…")` | |
/// | `ignore(trace_id)` | a repeat may bring another value | none |
/// | `once`, `repeatable`, `check = path`, `check(path, settle = "30s")` | what an unknown end means | `once` |
/// | `retry(within = "24h", max = "10m", attempts = 5)` | when it is tried again | as shown, attempts unlimited |
/// | `timeout = "30s"` | the time of one attempt | 15 minutes; 5 seconds for a transaction |
/// | `keep = "30d"`, `keep_failed = "24h"` | how long an answer is repeated | for ever; 24 hours |
/// | `name = "mail.welcome"` | the stable name | the function's, in kebab-case |
/// | `rename_all = "camelCase"` | the parameters' names for callers by name | as written |
/// | `key_version = 2` | a new identity on purpose | 1 |
/// | `crate = path` | where the runtime lives | `::do_runtime` |
#[proc_macro_attribute]
pub fn action(attribute: TokenStream, item: TokenStream) -> TokenStream {
    action::expand(attribute.into(), item.into()).into()
}

/// Makes a struct or an enum a part of an idempotency key.
///
/// Follows `#[serde(rename, rename_all, rename_all_fields, transparent)]`; refuses what gives a
/// value two readings: `flatten`, `untagged`, `skip`, `default`, `with` and their kin.
/// `#[key_part(crate = path)]` says where the runtime lives if it is not `::do_runtime`.
#[proc_macro_derive(KeyPart, attributes(key_part, serde))]
pub fn derive_key_part(input: TokenStream) -> TokenStream {
    key_part::derive(input.into()).into()
}

/// The way of one function through the files of this crate.
mod action {
    use proc_macro2::TokenStream;
    use syn::Attribute;

    use crate::ast::Function;
    use crate::attr::Options;
    use crate::problems::Problems;
    use crate::{expand, fallback, rules, valid};

    pub(crate) fn expand(attribute: TokenStream, item: TokenStream) -> TokenStream {
        let mistakes = Problems::new();
        let options = Options::parse(attribute, &mistakes);
        let Ok(mut function) = syn::parse2::<Function>(item.clone()) else {
            mistakes.at(first_line(&item), "`#[action]` goes on an `async fn`");
            let mut tokens = mistakes.into_tokens();
            tokens.extend(item);
            return tokens;
        };
        function.attributes.retain(|attribute| !is_second(attribute, &mistakes));
        let in_signature = Problems::new();
        valid::signature(&function, &in_signature);
        let output = if in_signature.is_empty() {
            let plan = rules::plan(&function, &options, &mistakes);
            expand::expand(&function, &options, &plan)
        } else {
            fallback::expand(&function, &options, item)
        };
        let mut tokens = mistakes.into_tokens();
        tokens.extend(in_signature.into_tokens());
        tokens.extend(output);
        tokens
    }

    /// What stands before the first group or semicolon, attributes aside: `struct Name`.
    fn first_line(item: &TokenStream) -> TokenStream {
        item.clone()
            .into_iter()
            .skip_while(|token| !matches!(token, proc_macro2::TokenTree::Ident(_)))
            .take_while(|token| matches!(token, proc_macro2::TokenTree::Ident(_)))
            .collect()
    }

    /// Another `#[action]` on the same function, which is told.
    fn is_second(attribute: &Attribute, mistakes: &Problems) -> bool {
        let last = attribute.path().segments.last();
        let is_action = last.is_some_and(|last| last.ident == "action");
        if is_action {
            mistakes.at(attribute, "`#[action]` is given twice");
        }
        is_action
    }
}
