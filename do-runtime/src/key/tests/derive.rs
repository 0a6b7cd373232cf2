//! `#[derive(KeyPart)]`: the nodes of structs and enums.

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
    let order = |note, nick| Order { r#type: "x", id: UserId(7), note, nick, tags: vec![None] };
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
    let wire = |note| Payment::Wire { iban: "DE00".into(), note };
    for (payment, node) in [
        (Payment::Card, r#"["e","Card"]"#),
        (wire(None), r#"["e","Wire",["o",[["iban",["s","DE00"]]]]]"#),
        (wire(Some(1)), r#"["e","Wire",["o",[["iban",["s","DE00"]],["note",["i","1"]]]]]"#),
        (Payment::Cheque(1), r#"["e","Cheque",["i","1"]]"#),
        (Payment::Voucher(None), r#"["e","Voucher",["n"]]"#),
        (Payment::Split(1, None), r#"["e","Split",["l",[["i","1"],["n"]]]]"#),
        (Payment::Nothing {}, r#"["e","Nothing",["o",[]]]"#),
        (Payment::Never(), r#"["e","Never",["o",[]]]"#),
    ] {
        check_node(&payment, node);
    }
}

#[expect(dead_code, reason = "it has to compile, and has no value")]
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
    children: Vec<Self>,
    parent: Option<Box<Self>>,
}

#[derive(KeyPart)]
struct Forest(Vec<Self>);

#[test]
fn generic_and_recursive_types_are_parts() {
    check_node(&Id::<NotAPart> { raw: 1, marker: PhantomData }, r#"["i","1"]"#);
    check_node(
        &Generic::<str, u8, 2> { all: ["a", "b"], key: 'k', map: HashMap::new() },
        r#"["o",[["all",["l",[["s","a"],["s","b"]]]],["key",["s","k"]],["map",["m",[]]]]]"#,
    );
    let leaf = Tree { name: 'l', children: vec![], parent: None };
    check_node(
        &Tree { name: 't', children: vec![leaf], parent: None },
        r#"["o",[["children",["l",[["o",[["children",["l",[]]],["name",["s","l"]]]]]]],["name",["s","t"]]]]"#,
    );
    check_node(&Forest(vec![Forest(vec![])]), r#"["l",[["l",[]]]]"#);
}
