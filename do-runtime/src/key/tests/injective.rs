//! Different fields have different preimages: shown by reading any preimage back.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::Value;

use crate::key::identity::preimage;
use crate::key::{KeyFields, KeyPart, Node, Optional, Written};

/// A value of any kind. Its order and equality are those of what it means.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Tree {
    Null,
    Bool(bool),
    Integer(i128),
    /// Mantissa without trailing zeros, and scale.
    Decimal(i128, u32),
    Text(String),
    Bytes(Vec<u8>),
    Uuid([u8; 16]),
    Instant(i128),
    List(Vec<Self>),
    Set(BTreeSet<Self>),
    Map(BTreeMap<Self, Self>),
    Struct(BTreeMap<&'static str, Self>),
    Variant(&'static str, Option<Box<Self>>),
}

const NAMES: [&str; 6] = ["a", "b", "ab", "a\"", "\\", "[\"n\"]"];

impl KeyPart for Tree {
    type Kind = Optional;

    fn write(&self, node: Node<'_>) -> Written {
        match self {
            Self::Null => node.null(),
            Self::Bool(value) => node.bool(*value),
            Self::Integer(value) => node.integer(*value),
            Self::Decimal(mantissa, scale) => node.decimal(*mantissa, *scale),
            Self::Text(text) => node.string(text),
            Self::Bytes(bytes) => node.bytes(bytes.iter().copied()),
            Self::Uuid(bytes) => node.uuid(*bytes),
            Self::Instant(nanoseconds) => node.instant(*nanoseconds),
            Self::List(items) => node.list(items),
            Self::Set(items) => node.set(items.iter().rev()),
            Self::Map(entries) => node.map(entries.iter().rev()),
            Self::Struct(members) => node.fields(|fields| {
                for (name, member) in members.iter().rev() {
                    fields.field(name, member);
                }
            }),
            Self::Variant(name, None) => node.variant(name),
            Self::Variant(name, Some(held)) => node.variant_with(name, |node| held.write(node)),
        }
    }

    fn is_none(&self) -> bool {
        *self == Self::Null
    }
}

impl Tree {
    /// Without the members that are left out.
    fn meant(self) -> Self {
        match self {
            Self::List(items) => Self::List(items.into_iter().map(Self::meant).collect()),
            Self::Set(items) => Self::Set(items.into_iter().map(Self::meant).collect()),
            Self::Map(entries) => {
                Self::Map(entries.into_iter().map(|(k, v)| (k.meant(), v.meant())).collect())
            }
            Self::Struct(members) => Self::Struct(meant(members)),
            Self::Variant(name, held) => {
                Self::Variant(name, held.map(|held| Box::new(held.meant())))
            }
            other => other,
        }
    }
}

fn meant(members: BTreeMap<&'static str, Tree>) -> BTreeMap<&'static str, Tree> {
    let there = members.into_iter().filter(|(_, member)| !member.is_none());
    there.map(|(name, member)| (name, member.meant())).collect()
}

/// The tree of a node: a second implementation, which knows the specification only.
fn read(node: &Value) -> Tree {
    let text = |at: usize| node[at].as_str().unwrap();
    let items = || node[1].as_array().unwrap().iter();
    let known =
        |name: &Value| *NAMES.iter().find(|known| **known == name.as_str().unwrap()).unwrap();
    match text(0) {
        "n" => Tree::Null,
        "b" => Tree::Bool(text(1) == "1"),
        "i" => Tree::Integer(text(1).parse().unwrap()),
        "d" => {
            let (whole, fraction) = text(1).split_once('.').unwrap_or((text(1), ""));
            let scale = u32::try_from(fraction.len()).unwrap();
            Tree::Decimal(format!("{whole}{fraction}").parse().unwrap(), scale)
        }
        "s" => Tree::Text(text(1).to_owned()),
        "x" => Tree::Bytes(bytes(text(1))),
        "u" => Tree::Uuid(bytes(&text(1).replace('-', "")).try_into().unwrap()),
        "t" => Tree::Instant(text(1).parse().unwrap()),
        "l" => Tree::List(items().map(read).collect()),
        "S" => Tree::Set(items().map(read).collect()),
        "m" => Tree::Map(items().map(|entry| (read(&entry[0]), read(&entry[1]))).collect()),
        "o" => Tree::Struct(items().map(|entry| (known(&entry[0]), read(&entry[1]))).collect()),
        "e" => Tree::Variant(known(&node[1]), node.get(2).map(|held| Box::new(read(held)))),
        letter => panic!("{letter}"),
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&NAMES[..])
}

/// Texts that look like pieces of a preimage.
fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a\"\\\\,\\[\\]n]{0,6}", any::<String>(), name().prop_map(str::to_owned),]
}

fn decimal(mantissa: i64, scale: u32) -> Tree {
    let (mut mantissa, mut scale) = (i128::from(mantissa), if mantissa == 0 { 0 } else { scale });
    while scale > 0 && mantissa % 10 == 0 {
        (mantissa, scale) = (mantissa / 10, scale - 1);
    }
    Tree::Decimal(mantissa, scale)
}

fn tree() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        Just(Tree::Null),
        any::<bool>().prop_map(Tree::Bool),
        prop_oneof![-2..3_i128, any::<i128>()].prop_map(Tree::Integer),
        (-200..200_i64, 0..4_u32).prop_map(|(mantissa, scale)| decimal(mantissa, scale)),
        text().prop_map(Tree::Text),
        prop::collection::vec(any::<u8>(), 0..3).prop_map(Tree::Bytes),
        any::<[u8; 16]>().prop_map(Tree::Uuid),
        (-2..3_i128).prop_map(Tree::Instant),
        name().prop_map(|name| Tree::Variant(name, None)),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Tree::List),
            prop::collection::btree_set(inner.clone(), 0..4).prop_map(Tree::Set),
            prop::collection::btree_map(inner.clone(), inner.clone(), 0..4).prop_map(Tree::Map),
            prop::collection::btree_map(name(), inner.clone(), 0..4).prop_map(Tree::Struct),
            (name(), inner).prop_map(|(name, held)| Tree::Variant(name, Some(Box::new(held)))),
        ]
    })
}

proptest! {
    #[test]
    fn a_preimage_is_read_back_as_what_it_was_made_of(
        scope in text(),
        action in text(),
        key_version in any::<u32>(),
        fields in prop::collection::btree_map(name(), tree(), 1..5),
    ) {
        // Two keys of a map that differ only in what is left out are one, and refused.
        let mut builder = KeyFields::builder();
        for (name, value) in fields.iter().rev() {
            builder.field(*name, value);
        }
        let Ok(made) = builder.finish() else { return Ok(()) };
        let text = preimage(&scope, &action, key_version, &made);
        let read_back: Value = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(&read_back[0], "actkey/1");
        prop_assert_eq!(&read_back[1], "p");
        prop_assert_eq!(&read_back[2], &scope);
        prop_assert_eq!(&read_back[3], &action);
        prop_assert_eq!(&read_back[4], &key_version.to_string());
        let members = read_back[5].as_array().unwrap().iter();
        let members = members.map(|entry| (entry[0].as_str().unwrap(), read(&entry[1])));
        prop_assert_eq!(members.collect::<BTreeMap<_, _>>(), meant(fields));
        prop_assert_eq!(KeyFields::from_json(made.as_json()), Ok(made));
    }

    #[test]
    fn two_values_have_one_node_only_if_they_mean_one_thing(one in tree(), other in tree()) {
        let nodes = (crate::key::node_of(&one), crate::key::node_of(&other));
        if let (Ok(left), Ok(right)) = nodes {
            prop_assert_eq!(left == right, one.meant() == other.meant());
        }
    }
}
