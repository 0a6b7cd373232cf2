//! `#[derive(KeyPart)]`: the nodes of structs and enums, under the names that serde gives them.
#![expect(dead_code, reason = "some of these types only have to compile")]

use std::borrow::Cow;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::check_node;
use crate::key::KeyPart;

#[derive(KeyPart)]
struct UserId(u64);

#[derive(KeyPart)]
struct Nick(Option<String>);

#[derive(KeyPart)]
struct Octet(u8);

#[derive(KeyPart)]
struct Pair(u8, Option<u8>);

#[derive(KeyPart)]
struct Unit;

#[derive(KeyPart)]
struct Braces {}

#[derive(KeyPart)]
struct Parentheses();

#[derive(KeyPart)]
struct Order<'a> {
    r#type: &'a str,
    id: UserId,
    note: Option<Cow<'a, str>>,
    nick: Nick,
    tags: Vec<Option<&'a str>>,
}

#[test]
fn structs_have_their_fields_sorted_and_none_left_out() {
    check_node(&UserId(7), r#"["i","7"]"#);
    check_node(&Nick(Some("ada".into())), r#"["s","ada"]"#);
    check_node(&Nick(None), r#"["n"]"#);
    check_node(&Pair(1, None), r#"["l",[["i","1"],["n"]]]"#);
    for empty in [&Unit as &dyn Node, &Braces {}, &Parentheses(), &()] {
        assert_eq!(empty.node(), r#"["o",[]]"#);
    }
    let order = |note, nick| Order {
        r#type: "x",
        id: UserId(7),
        note,
        nick,
        tags: vec![None],
    };
    check_node(
        &order(None, Nick(None)),
        r#"["o",[["id",["i","7"]],["tags",["l",[["n"]]]],["type",["s","x"]]]]"#,
    );
    check_node(
        &order(Some("n".into()), Nick(Some(String::new()))),
        r#"["o",[["id",["i","7"]],["nick",["s",""]],["note",["s","n"]],["tags",["l",[["n"]]]],["type",["s","x"]]]]"#,
    );
}

/// A node without the type.
trait Node {
    fn node(&self) -> String;
}

impl<T: KeyPart> Node for T {
    fn node(&self) -> String {
        crate::key::node_of(self).unwrap()
    }
}

#[test]
fn a_list_of_newtypes_of_bytes_is_bytes() {
    check_node(&vec![Octet(0), Octet(255)], r#"["x","00ff"]"#);
    check_node(&[Octet(0); 0], r#"["x",""]"#);
}

#[derive(KeyPart)]
enum Payment {
    Card,
    Wire { iban: String, note: Option<u8> },
    Cheque(u64),
    Voucher(Option<u64>),
    Split(u64, Option<u64>),
    Nothing {},
    Never(),
}

#[test]
fn variants_have_their_name_and_what_they_hold() {
    let wire = |note| Payment::Wire {
        iban: "DE00".into(),
        note,
    };
    for (payment, node) in [
        (Payment::Card, r#"["e","Card"]"#),
        (wire(None), r#"["e","Wire",["o",[["iban",["s","DE00"]]]]]"#),
        (
            wire(Some(1)),
            r#"["e","Wire",["o",[["iban",["s","DE00"]],["note",["i","1"]]]]]"#,
        ),
        (Payment::Cheque(1), r#"["e","Cheque",["i","1"]]"#),
        (Payment::Voucher(None), r#"["e","Voucher",["n"]]"#),
        (
            Payment::Split(1, None),
            r#"["e","Split",["l",[["i","1"],["n"]]]]"#,
        ),
        (Payment::Nothing {}, r#"["e","Nothing",["o",[]]]"#),
        (Payment::Never(), r#"["e","Never",["o",[]]]"#),
    ] {
        check_node(&payment, node);
    }
}

#[derive(KeyPart)]
enum Impossible {}

#[derive(KeyPart, Serialize, Deserialize)]
#[serde(transparent, bound = "")]
struct Id<T> {
    raw: u64,
    #[serde(bound = "")]
    marker: PhantomData<T>,
}

struct NotAPart;

#[derive(KeyPart)]
struct Generic<'a, T: ?Sized, K: Key, const N: usize>
where
    T: 'a,
{
    all: [&'a T; N],
    key: K::Key,
    map: HashMap<String, Arc<K>>,
}

trait Key {
    type Key;
}

impl Key for u8 {
    type Key = char;
}

#[derive(KeyPart)]
struct Tree {
    name: char,
    children: Vec<Tree>,
    parent: Option<Box<Tree>>,
}

#[derive(KeyPart)]
struct Forest(Vec<Forest>);

#[test]
fn generic_and_recursive_types_are_parts() {
    check_node(
        &Id::<NotAPart> {
            raw: 1,
            marker: PhantomData,
        },
        r#"["i","1"]"#,
    );
    check_node(
        &Generic::<str, u8, 2> {
            all: ["a", "b"],
            key: 'k',
            map: HashMap::new(),
        },
        r#"["o",[["all",["l",[["s","a"],["s","b"]]]],["key",["s","k"]],["map",["m",[]]]]]"#,
    );
    let leaf = Tree {
        name: 'l',
        children: vec![],
        parent: None,
    };
    check_node(
        &Tree {
            name: 't',
            children: vec![leaf],
            parent: None,
        },
        r#"["o",[["children",["l",[["o",[["children",["l",[]]],["name",["s","l"]]]]]]],["name",["s","t"]]]]"#,
    );
    check_node(&Forest(vec![Forest(vec![])]), r#"["l",[["l",[]]]]"#);
}

#[derive(KeyPart, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Renamed {
    first_name: u8,
    #[serde(rename = "given name", alias = "other")]
    middle_name: u8,
    #[serde(rename(serialize = "z", deserialize = "z"))]
    a: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    last: Option<u8>,
}

#[derive(KeyPart, Serialize, Deserialize)]
#[serde(
    tag = "kind",
    rename = "another",
    rename_all(
        serialize = "SCREAMING-KEBAB-CASE",
        deserialize = "SCREAMING-KEBAB-CASE"
    ),
    rename_all_fields = "PascalCase"
)]
enum RenamedVariants {
    BankWire {
        to_whom: u8,
    },
    #[serde(rename_all = "UPPERCASE")]
    Card {
        number_of: u8,
    },
    #[serde(rename = "gone")]
    Away,
}

#[test]
fn names_are_those_of_serde() {
    check_node(
        &Renamed {
            first_name: 1,
            middle_name: 2,
            a: 3,
            last: None,
        },
        r#"["o",[["firstName",["i","1"]],["given name",["i","2"]],["z",["i","3"]]]]"#,
    );
    for (value, node, json) in [
        (
            RenamedVariants::BankWire { to_whom: 1 },
            r#"["e","BANK-WIRE",["o",[["ToWhom",["i","1"]]]]]"#,
            r#"{"kind":"BANK-WIRE","ToWhom":1}"#,
        ),
        (
            RenamedVariants::Card { number_of: 1 },
            r#"["e","CARD",["o",[["NUMBER_OF",["i","1"]]]]]"#,
            r#"{"kind":"CARD","NUMBER_OF":1}"#,
        ),
        (
            RenamedVariants::Away,
            r#"["e","gone"]"#,
            r#"{"kind":"gone"}"#,
        ),
    ] {
        check_node(&value, node);
        assert_eq!(serde_json::to_string(&value).unwrap(), json);
    }
}

/// Each case of serde, on a variant and on a field: the names must be the same in JSON.
macro_rules! cases {
    ($($module:ident: $case:literal;)+) => {$(
        mod $module {
            #[derive(super::KeyPart, super::Serialize)]
            #[serde(rename_all = $case, rename_all_fields = $case)]
            pub(super) enum Renamed {
                HTTPGetURLÉtat { a_field: u8, field2_b: u8, _under_score: u8, _0: u8, ab: u8 },
            }
        }
    )+

        #[test]
        fn every_case_of_serde_gives_the_same_names() {
            $({
                let value = $module::Renamed::HTTPGetURLÉtat {
                    a_field: 1, field2_b: 2, _under_score: 3, _0: 4, ab: 5,
                };
                let json = serde_json::to_string(&value).unwrap();
                let node = crate::key::node_of(&value).unwrap();
                assert_eq!(names_of_json(&json), names_of_node(&node), "{}", $case);
            })+
        }
    };
}

cases! {
    lower: "lowercase";
    upper: "UPPERCASE";
    pascal: "PascalCase";
    camel: "camelCase";
    snake: "snake_case";
    screaming_snake: "SCREAMING_SNAKE_CASE";
    kebab: "kebab-case";
    screaming_kebab: "SCREAMING-KEBAB-CASE";
}

/// The variant and its fields, the fields sorted.
fn names_of_json(json: &str) -> Vec<String> {
    let value: serde_json::Value = serde_json::from_str(json).unwrap();
    let (variant, fields) = value.as_object().unwrap().iter().next().unwrap();
    let mut names: Vec<String> = fields.as_object().unwrap().keys().cloned().collect();
    names.sort();
    names.insert(0, variant.clone());
    names
}

fn names_of_node(node: &str) -> Vec<String> {
    let value: serde_json::Value = serde_json::from_str(node).unwrap();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let fields = value[2][1].as_array().unwrap();
    std::iter::once(text(&value[1]))
        .chain(fields.iter().map(|field| text(&field[0])))
        .collect()
}

/// Names that the expansion uses or could clash with.
mod hygiene {
    use super::KeyPart;

    #[expect(non_camel_case_types, reason = "a hostile name")]
    #[derive(KeyPart)]
    struct core;

    #[derive(KeyPart)]
    struct Written<Node, Present> {
        node: Node,
        into: Present,
        fields: u8,
    }

    #[derive(KeyPart)]
    enum Fields<Items> {
        None,
        Some(Items),
        Ok { node: u8, into: u8, of_0: u8 },
    }

    mod renamed {
        #[derive(do_macros::KeyPart)]
        #[key_part(crate = crate)]
        struct Renamed {
            a: u8,
        }
    }

    #[test]
    fn hostile_names_do_no_harm() {
        super::check_node(
            &Written {
                node: core,
                into: 1,
                fields: 2,
            },
            r#"["o",[["fields",["i","2"]],["into",["i","1"]],["node",["o",[]]]]]"#,
        );
        super::check_node(&Fields::Some("x"), r#"["e","Some",["s","x"]]"#);
        super::check_node(
            &Fields::Ok::<u8> {
                node: 1,
                into: 2,
                of_0: 3,
            },
            r#"["e","Ok",["o",[["into",["i","2"]],["node",["i","1"]],["of_0",["i","3"]]]]]"#,
        );
    }
}
