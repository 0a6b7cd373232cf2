//! The attributes that say how a value is read and written: serde's, and our own.
//!
//! A name in a key is the name in JSON, so serde's renames are followed. What gives a value two
//! readings (one in JSON, one in the key) is refused, and so is what is not known here.

use proc_macro2::TokenTree;
use syn::meta::ParseNestedMeta;
use syn::{Attribute, LitStr, Path, Token, parse_quote};

use crate::case::Case;
use crate::problems::Problems;

/// What stands above the type.
pub(super) struct Container {
    /// Where the runtime lives.
    pub(super) runtime: Path,
    /// The word `transparent`.
    pub(super) transparent: Option<Path>,
    /// For the fields of a struct, the variants of an enum.
    pub(super) rename_all: Option<Case>,
    /// For the fields of an enum's variants.
    pub(super) rename_all_fields: Option<Case>,
}

/// What stands above a variant.
#[derive(Default)]
pub(super) struct Variant {
    pub(super) rename: Option<String>,
    /// For its fields.
    pub(super) rename_all: Option<Case>,
}

/// What stands above a field.
#[derive(Default)]
pub(super) struct Field {
    pub(super) rename: Option<String>,
}

/// Words of serde that change neither what a value is nor how its fields are called.
const HARMLESS: [&str; 8] =
    ["alias", "borrow", "bound", "content", "crate", "deny_unknown_fields", "expecting", "tag"];

/// Reads what stands above the type.
pub(super) fn container(attributes: &[Attribute], problems: &Problems) -> Container {
    let mut container = Container {
        runtime: parse_quote!(::do_runtime),
        transparent: None,
        rename_all: None,
        rename_all_fields: None,
    };
    each_option(attributes, "key_part", problems, |option, _| {
        if !option.path.is_ident("crate") {
            return Err(option.error("not an option of `key_part`: there is only `crate = path`"));
        }
        container.runtime = option.value()?.call(Path::parse_mod_style)?;
        Ok(())
    });
    each_option(attributes, "serde", problems, |option, problems| {
        let word = word(option);
        match word.as_str() {
            "transparent" => container.transparent = Some(option.path.clone()),
            "rename_all" => container.rename_all = case(option, problems)?,
            "rename_all_fields" => container.rename_all_fields = case(option, problems)?,
            // The type's own name stands in no key.
            "rename" => skip_value(option)?,
            _ => other(&word, option, problems)?,
        }
        Ok(())
    });
    container
}

/// Reads what stands above a variant.
pub(super) fn variant(attributes: &[Attribute], problems: &Problems) -> Variant {
    let mut variant = Variant::default();
    no_own_options(attributes, problems);
    each_option(attributes, "serde", problems, |option, problems| {
        let word = word(option);
        match word.as_str() {
            "rename" => variant.rename = name(option, problems)?,
            "rename_all" => variant.rename_all = case(option, problems)?,
            _ => other(&word, option, problems)?,
        }
        Ok(())
    });
    variant
}

/// Reads what stands above a field.
pub(super) fn field(attributes: &[Attribute], problems: &Problems) -> Field {
    let mut field = Field::default();
    no_own_options(attributes, problems);
    each_option(attributes, "serde", problems, |option, problems| {
        let word = word(option);
        match word.as_str() {
            "rename" => field.rename = name(option, problems)?,
            "skip_serializing_if" => skip_serializing_if(option, problems)?,
            _ => other(&word, option, problems)?,
        }
        Ok(())
    });
    field
}

/// Calls `read` for each option of each attribute of that name.
fn each_option(
    attributes: &[Attribute],
    name: &str,
    problems: &Problems,
    mut read: impl FnMut(&ParseNestedMeta<'_>, &Problems) -> syn::Result<()>,
) {
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident(name)) {
        let read = attribute.parse_nested_meta(|option| read(&option, problems));
        if let Err(error) = read {
            problems.add(error);
        }
    }
}

fn no_own_options(attributes: &[Attribute], problems: &Problems) {
    each_option(attributes, "key_part", problems, |option, problems| {
        problems.at(&option.path, "`key_part` has options only above the type");
        skip_value(option)
    });
}

fn word(option: &ParseNestedMeta<'_>) -> String {
    option.path.get_ident().map(ToString::to_string).unwrap_or_default()
}

/// A word that has no meaning of its own here: let pass or refused.
fn other(word: &str, option: &ParseNestedMeta<'_>, problems: &Problems) -> syn::Result<()> {
    let reason = match word {
        _ if HARMLESS.contains(&word) => return skip_value(option),
        "flatten" => "its fields stand elsewhere in JSON than in the key: name them here",
        "untagged" => "JSON does not tell which variant it is: give it a tag",
        "skip" | "skip_serializing" | "skip_deserializing" | "skip_serializing_if" | "getter" => {
            "JSON would not hold what the key holds: write this `KeyPart` by hand"
        }
        "default" => "absent and default would be one value in Rust and two in JSON: use `Option`",
        "other" => "many names in JSON would be one variant here: hold the name in a field",
        "with" | "serialize_with" | "deserialize_with" | "from" | "try_from" | "into"
        | "remote" => {
            "JSON holds another value than the key would: put the conversion into a type of its \
             own with a `KeyPart` written by hand"
        }
        _ => "not known here, so a key could mean another value than JSON does",
    };
    problems.at(&option.path, format!("`{word}` cannot be used in part of a key: {reason}"));
    skip_value(option)
}

/// `None` is left out of a key in any case; what else is left out would be missing in JSON.
fn skip_serializing_if(option: &ParseNestedMeta<'_>, problems: &Problems) -> syn::Result<()> {
    let predicate: LitStr = option.value()?.parse()?;
    if predicate.value().replace(' ', "").ends_with("Option::is_none") {
        return Ok(());
    }
    problems.at(
        &option.path,
        "`skip_serializing_if` cannot be used in part of a key, except with `Option::is_none`: \
         JSON would not hold what the key holds",
    );
    Ok(())
}

/// `"name"`, or `(serialize = "name", deserialize = "name")` if both are the same.
fn name(option: &ParseNestedMeta<'_>, problems: &Problems) -> syn::Result<Option<String>> {
    if option.input.peek(Token![=]) {
        return Ok(Some(option.value()?.parse::<LitStr>()?.value()));
    }
    let mut names: Vec<String> = Vec::new();
    option.parse_nested_meta(|half| {
        if !half.path.is_ident("serialize") && !half.path.is_ident("deserialize") {
            return Err(half.error("expected `serialize` or `deserialize`"));
        }
        names.push(half.value()?.parse::<LitStr>()?.value());
        Ok(())
    })?;
    match names.as_slice() {
        [one, other] if one == other => Ok(names.pop()),
        _ => {
            problems.at(
                &option.path,
                "a field or variant of a part of a key has one name, for reading and for \
                 writing: `rename = \"…\"`",
            );
            Ok(None)
        }
    }
}

fn case(option: &ParseNestedMeta<'_>, problems: &Problems) -> syn::Result<Option<Case>> {
    let Some(spelling) = name(option, problems)? else {
        return Ok(None);
    };
    let case = Case::of(&spelling);
    if case.is_none() {
        problems.at(&option.path, format!("`{spelling}` is not a case that serde knows"));
    }
    Ok(case)
}

/// Takes the rest of an option: `= …` up to the comma, or `(…)`.
fn skip_value(option: &ParseNestedMeta<'_>) -> syn::Result<()> {
    while !option.input.is_empty() && !option.input.peek(Token![,]) {
        option.input.parse::<TokenTree>()?;
    }
    Ok(())
}
