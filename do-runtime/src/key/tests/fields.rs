//! The fields of a derived key: what is left out, what is refused.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::{check_node, one};
use crate::key::{Key, KeyError, KeyFields, KeyPart, MAX_KEY_MATERIAL, Node, Present, Written};

#[test]
fn the_order_of_declaration_does_not_matter() {
    let mut ab = KeyFields::builder();
    ab.field("a", &1).field("b", &2);
    let mut ba = KeyFields::builder();
    ba.field("b", &2).field("a", &1);
    let (ab, ba) = (ab.finish().unwrap(), ba.finish().unwrap());
    assert_eq!(ab, ba);
    assert_eq!(ab.as_json(), r#"[["a",["i","1"]],["b",["i","2"]]]"#);
    let both: Vec<(&str, &str)> = ba.iter().collect();
    assert_eq!(both, [("a", r#"["i","1"]"#), ("b", r#"["i","2"]"#)]);
    assert!(!ba.is_caller());
}

#[test]
fn names_are_sorted_by_their_bytes_and_escaped() {
    let mut builder = KeyFields::builder();
    for name in ["b", "a.b", "é", "a", "Z", "a\"", "a-"] {
        builder.field(name, &true);
    }
    let fields = builder.finish().unwrap();
    let names: Vec<&str> = fields.iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["Z", "a", "a\"", "a-", "a.b", "b", "é"]);
    assert!(fields.iter().all(|(_, node)| node == r#"["b","1"]"#));
    assert_eq!(KeyFields::from_json(fields.as_json()), Ok(fields));
}

#[test]
fn none_is_absent_and_everything_else_is_there() {
    let with = |optional: Option<&str>| {
        let mut builder = KeyFields::builder();
        builder.field("a", &1).field("b", &optional);
        builder.finish().unwrap()
    };
    assert_eq!(with(None).as_json(), r#"[["a",["i","1"]]]"#);
    assert_eq!(with(Some("")).as_json(), r#"[["a",["i","1"]],["b",["s",""]]]"#);
    for there in [one(&0), one(&false), one(""), one(&Some("")), one(&()), one(&Vec::<u8>::new())] {
        assert!(there.is_ok());
    }
    assert!(one(&vec![None::<u8>]).is_ok());
}

#[test]
fn a_key_of_absent_fields_is_refused() {
    assert_eq!(one(&None::<u8>), Err(KeyError::AllAbsent));
    assert_eq!(one(&&Box::new(None::<u8>)), Err(KeyError::AllAbsent));
    assert_eq!(KeyFields::builder().finish(), Err(KeyError::AllAbsent));
}

#[test]
fn two_fields_of_one_name_are_refused() {
    let mut builder = KeyFields::builder();
    builder.field("b", &1).field("a", &1).field("b", &1);
    assert_eq!(builder.finish(), Err(KeyError::FieldTwice { name: "b".into() }));
    // The absent one does not count: it is not there.
    let mut builder = KeyFields::builder();
    builder.field("b", &1).field("b", &None::<u8>);
    assert!(builder.finish().is_ok());
}

/// Two of these are different in Rust and one in a key.
#[derive(PartialEq, Eq)]
struct Loose(u8);

impl KeyPart for Loose {
    type Kind = Present;

    fn write(&self, node: Node<'_>) -> Written {
        node.unsigned(u128::from(self.0 % 10))
    }
}

impl Ord for Loose {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.cmp(&other.0)
    }
}

impl PartialOrd for Loose {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[test]
fn two_entries_of_one_key_are_refused_and_a_set_holds_one_of_them() {
    let map = BTreeMap::from([(Loose(1), 1), (Loose(3), 1), (Loose(11), 1)]);
    let refused = KeyError::EntryTwice { path: "v".into() };
    assert_eq!(one(&map), Err(refused.clone()));
    assert_eq!(one(&vec![(1, map)]), Err(refused));
    check_node(&BTreeSet::from([Loose(11), Loose(1), Loose(3)]), r#"["S",[["i","1"],["i","3"]]]"#);
    check_node(
        &BTreeMap::from([(Loose(13), 1), (Loose(11), 1)]),
        r#"["m",[[["i","1"],["i","1"]],[["i","3"],["i","1"]]]]"#,
    );
}

#[test]
fn key_material_has_a_limit() {
    assert_eq!(MAX_KEY_MATERIAL, 64 * 1024);
    let around = r#"[["v",["s",""]]]"#.len();
    for (bytes, taken) in [(65_535, true), (65_536, true), (65_537, false)] {
        let fields = one(&"x".repeat(bytes - around));
        let expected = if taken { Ok(bytes) } else { Err(KeyError::TooLong { bytes }) };
        assert_eq!(fields.map(|fields| fields.as_json().len()), expected);
    }
}

#[test]
fn stored_fields_are_read_as_they_were_written_or_not_at_all() {
    for wrong in [
        "",
        "null",
        "[]",
        "{}",
        "1",
        "\"\"",
        "[1]",
        r#"["a"]"#,
        r#"[["a"]]"#,
        r#"[["a",1]]"#,
        r#"[["a",["i",1]]]"#,
        r#"[["a",["i","1"]] ]"#,
        r#"[["a",["i","1"]],["b"]]"#,
        r#"[["\u0061",["i","1"]]]"#,
    ] {
        assert!(KeyFields::from_json(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn scope_action_and_version_are_in_the_key() {
    let fields = one(&1).unwrap();
    let key = |scope, action, version| Key::derived(scope, action, version, &fields);
    let all = BTreeSet::from([
        key("a", "b", 1),
        key("a", "b", 2),
        key("a", "b", 12),
        key("a", "b1", 2),
        key("ab", "", 1),
        key("", "ab", 1),
        key("a\",\"b", "", 1),
    ]);
    assert_eq!(all.len(), 7);
}

#[test]
fn errors_and_debug_show_no_value() {
    let fields = one("secret").unwrap();
    let mut builder = KeyFields::builder();
    builder.field("v", "secret");
    for text in [format!("{fields:?}"), format!("{builder:?}")] {
        assert!(!text.contains("secret"), "{text}");
    }
    assert!(format!("{fields:?}").contains("\"v\""));
    for error in [
        KeyError::AllAbsent,
        KeyError::FieldTwice { name: "a".into() },
        KeyError::EntryTwice { path: "a".into() },
        KeyError::TooLong { bytes: 70_000 },
        KeyError::TooDeep { path: "a".into() },
        KeyError::NotFinite { path: "a".into() },
        KeyError::NotJson { path: "a".into() },
        KeyError::CallerKeyBlank,
        KeyError::CallerKeyTooLong { bytes: 256 },
        KeyError::CallerKeyControl,
        KeyError::NotAKey,
        KeyError::UnknownFields,
        KeyError::UnknownFingerprint,
    ] {
        let text = error.to_string();
        assert!(text.starts_with(char::is_lowercase), "{text}");
        assert!(text.contains(": ") && !text.ends_with('.'), "{text}");
    }
}
