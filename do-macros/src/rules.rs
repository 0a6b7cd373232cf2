//! The rules across options and signature: its name, its class, what identifies a call. Every
//! mistake is told; what has none becomes the [`Plan`].

use syn::Path;

use crate::ast::{Function, last_name};
use crate::attr::{ClassKind, Key, Options};
use crate::duration::Milliseconds;
use crate::identity::{Field, Rest, ignored, key};
use crate::problems::Problems;
use crate::value::check_name;
use crate::words::kebab;

/// All that is decided about an action.
pub(crate) struct Plan {
    pub(crate) name: String,
    pub(crate) class: &'static str,
    pub(crate) check: Option<Path>,
    pub(crate) settle: Option<Milliseconds>,
    pub(crate) keyed_by_caller: bool,
    pub(crate) key: Vec<Field>,
    pub(crate) rest: Vec<Rest>,
    /// Beside each owned parameter, in order.
    pub(crate) wire_names: Vec<String>,
}

/// Decides, and tells every mistake.
pub(crate) fn plan(function: &Function, options: &Options, problems: &Problems) -> Plan {
    let ignored = ignored(function, options, problems);
    let (key, in_key) = key(function, options, &ignored, problems);
    let rest = function
        .owned()
        .enumerate()
        .filter(|(_, (parameter, _))| !in_key.contains(&parameter.name))
        .map(|(place, (parameter, _))| Rest { place, counts: !ignored.contains(&parameter.name) })
        .collect();
    let (class, check, settle) = class(function, options, problems);
    Plan {
        name: name(function, options, problems),
        class,
        check,
        settle,
        keyed_by_caller: matches!(options.key, Some(Key::Caller)),
        key,
        rest,
        wire_names: wire_names(function, options, problems),
    }
}

fn name(function: &Function, options: &Options, problems: &Problems) -> String {
    if let Some(name) = &options.name {
        return name.value();
    }
    let name = kebab(&function.name());
    if let Err(message) = check_name(&name) {
        let message = format!("{message}; give one: `name = \"..\"`");
        problems.at(&function.signature.ident, message);
    }
    name
}

fn wire_names(function: &Function, options: &Options, problems: &Problems) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (parameter, _) in function.owned() {
        let name = match (&options.rename_all, &parameter.ident) {
            (Some((_, case)), Some(_)) => case.of_field(&parameter.name),
            _ => parameter.name.clone(),
        };
        if let Some((literal, _)) = &options.rename_all
            && (names.contains(&name) || name.is_empty())
        {
            let message = format!(
                "two parameters, one of them `{}`, would both be called `{name}`",
                parameter.name
            );
            problems.at(literal, message);
        }
        names.push(name);
    }
    names
}

/// The class, and the check.
fn class(
    function: &Function,
    options: &Options,
    problems: &Problems,
) -> (&'static str, Option<Path>, Option<Milliseconds>) {
    let has_transaction = function.transactions().next().is_some();
    let others = function.provided().any(|(_, ty)| last_name(ty).as_deref() != Some("Attempt"));
    match (&options.class, has_transaction, others) {
        (None, true, false) => ("Transaction", None, None),
        (None, true, true) => {
            let message = format!(
                "`{}` borrows a transaction and something else that is provided, which the \
                 transaction does not cover; say what an unknown end means: `repeatable`, `once` \
                 or `check = ..`",
                function.name()
            );
            problems.at(&function.signature.ident, message);
            ("Once", None, None)
        }
        (None, false, _) => ("Once", None, None),
        (Some(class), true, false) => {
            let message = format!(
                "`{}` borrows a transaction and nothing else, so it takes effect exactly once and \
                 has no unknown end; leave `{}` out",
                function.name(),
                class.word
            );
            problems.at(&class.word, message);
            ("Transaction", None, None)
        }
        (Some(class), _, _) => match &class.kind {
            ClassKind::Once => ("Once", None, None),
            ClassKind::Repeatable => ("Repeatable", None, None),
            ClassKind::Check { path, settle } => ("Check", Some(path.clone()), *settle),
        },
    }
}
