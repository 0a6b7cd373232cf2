//! The pinned preimages and hashes: the promise to keys that are stored already.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde::Deserialize;

use crate::key::identity::{hash, preimage};
use crate::key::{
    Fingerprint, FingerprintPart, Form, Key, KeyFields, KeyFieldsBuilder, KeyPart, Node, Present,
    Written,
};

#[derive(Deserialize)]
struct Vector {
    id: String,
    canonical: String,
    canonical_hex: String,
    sha256: String,
    key: String,
    uuid8: Option<String>,
}

fn vectors() -> BTreeMap<String, Vector> {
    let all: Vec<Vector> = serde_json::from_str(include_str!("../vectors.json")).unwrap();
    all.into_iter().map(|vector| (vector.id.clone(), vector)).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A struct and an enum as the derive writes them.
struct Empty;

impl KeyPart for Empty {
    type Kind = Present;

    fn write(&self, node: Node<'_>) -> Written {
        node.fields(|_| {})
    }
}

enum Payment {
    Card,
    Wire { iban: &'static str },
}

impl KeyPart for Payment {
    type Kind = Present;

    fn write(&self, node: Node<'_>) -> Written {
        match self {
            Self::Card => node.variant("Card"),
            Self::Wire { iban } => node.variant_with("Wire", |node| {
                node.fields(|fields| {
                    fields.field("iban", iban);
                })
            }),
        }
    }
}

/// A node of the given letter, for what has a feature.
struct Raw<F>(F);

impl<F: Fn(Node<'_>) -> Written> KeyPart for Raw<F> {
    type Kind = Present;

    fn write(&self, node: Node<'_>) -> Written {
        (self.0)(node)
    }
}

fn fields(write: impl FnOnce(&mut KeyFieldsBuilder)) -> KeyFields {
    let mut builder = KeyFields::builder();
    write(&mut builder);
    builder.finish().unwrap()
}

/// Scope, action, key version, fields.
type Call = (&'static str, &'static str, u32, KeyFields);

fn value<T: KeyPart + ?Sized>(value: &T) -> Call {
    ("acme", "t", 1, fields(|key| _ = key.field("v", value)))
}

/// Every vector that can be made, made by the public API.
fn made() -> Vec<(&'static str, Call)> {
    let mail = || fields(|key| _ = key.field("to", "a@x.io").field("kind", "welcome"));
    let pair = |p: &str, q: &str| fields(|key| _ = key.field("p", p).field("q", q));
    let map = HashMap::from([("\u{1F600}", 2), ("a", 0), ("\u{FB33}", 1)]);
    vec![
        ("V01", ("acme", "send_mail", 1, mail())),
        ("V02", ("acme", "pair", 1, pair("ab", "c"))),
        ("V03", ("acme", "pair", 1, pair("a", "bc"))),
        ("V04", ("a:b", "c", 1, fields(|key| _ = key.field("id", &1)))),
        ("V05", ("a", "b:c", 1, fields(|key| _ = key.field("id", &1)))),
        ("V06", value(&1_u8)),
        ("V07", value("1")),
        ("V08", value(&true)),
        ("V09", value(&9_007_199_254_740_992_u64)),
        ("V10", value(&9_007_199_254_740_993_i128)),
        ("V11", value(&(u64::MAX, i128::MIN))),
        ("V13", value(&Raw(|node: Node<'_>| node.decimal(150, 2)))),
        ("V14", value("é")),
        ("V15", value("e\u{301}")),
        ("V16", value(&map)),
        ("V17", value("\0\u{1f}\u{7f}\"\\/<\u{2028}\t\n")),
        ("V18", value(&HashSet::from([10, 9, 10]))),
        ("V19", value(&[None, Some("")])),
        (
            "V20",
            (
                "acme",
                "t",
                1,
                fields(|key| {
                    key.field("d", &Empty).field("c", "").field("b", &BTreeMap::<u8, u8>::new());
                    key.field("a", &Vec::<String>::new());
                }),
            ),
        ),
        (
            "V21",
            (
                "acme",
                "t",
                1,
                fields(|key| {
                    key.field("a", &Payment::Card).field("b", "Card");
                    key.field("c", &Payment::Wire { iban: "DE00" });
                }),
            ),
        ),
        ("V22", ("acme", "t", 1, bytes_uuid_instant())),
        ("V23", ("acme", "send_mail", 2, mail())),
        ("V24", ("globex", "send_mail", 1, mail())),
        (
            "V25",
            (
                "acme",
                "send_mail",
                1,
                KeyFields::caller("8e03978e-40d5-43e8-bc93-6894a57f9324").unwrap(),
            ),
        ),
    ]
}

fn bytes_uuid_instant() -> KeyFields {
    let uuid = 0x8e03_978e_40d5_43e8_bc93_6894_a57f_9324_u128.to_be_bytes();
    fields(|key| {
        key.field("a", &[0x00_u8, 0xff]);
        key.field("b", &Raw(|node: Node<'_>| node.uuid(uuid)));
        key.field("c", &Raw(|node: Node<'_>| node.instant(1_796_040_000_123_456_789)));
    })
}

#[test]
fn every_vector_that_can_be_made_is_made() {
    let vectors = vectors();
    for (id, (scope, action, key_version, fields)) in made() {
        let vector = &vectors[id];
        let text = preimage(scope, action, key_version, &fields);
        assert_eq!(text, vector.canonical, "{id}");
        assert_eq!(hex(text.as_bytes()), vector.canonical_hex, "{id}");
        let key = Key::derived(scope, action, key_version, &fields);
        assert_eq!(hex(key.as_bytes()), vector.sha256, "{id}");
        assert_eq!(key.to_string(), vector.key, "{id}");
        assert_eq!(vector.key.parse(), Ok(key), "{id}");
        assert_eq!(KeyFields::from_json(fields.as_json()), Ok(fields), "{id}");
    }
}

#[test]
fn the_vectors_that_cannot_be_made_pin_bytes() {
    let vectors = vectors();
    let made: BTreeSet<&str> = made().into_iter().map(|(id, _)| id).collect();
    let rest: Vec<&str> =
        vectors.keys().map(String::as_str).filter(|id| !made.contains(id)).collect();
    assert_eq!(rest, ["V12", "V26", "V27"]);
    for id in rest {
        let vector = &vectors[id];
        assert_eq!(hex(vector.canonical.as_bytes()), vector.canonical_hex, "{id}");
        let key = Key::from_bytes(hash(vector.canonical.as_bytes()));
        assert_eq!(hex(key.as_bytes()), vector.sha256, "{id}");
        assert_eq!(key.to_string(), vector.key, "{id}");
    }
}

#[test]
fn all_vectors_are_pairwise_different() {
    let vectors = vectors();
    assert_eq!(vectors.len(), 27);
    for digest in [
        |v: &Vector| v.canonical_hex.clone(),
        |v: &Vector| v.sha256.clone(),
        |v: &Vector| v.key.clone(),
    ] {
        assert_eq!(vectors.values().map(digest).collect::<BTreeSet<_>>().len(), 27);
    }
}

fn first() -> Key {
    vectors()["V01"].key.parse().unwrap()
}

#[test]
fn the_first_occurrence_is_the_key_and_the_second_is_pinned() {
    assert_eq!(first().occurrence(1), first());
    assert_eq!(
        hex(first().occurrence(2).as_bytes()),
        "3a28b6a578615fc7a3b0807f8d6f7b9cd27ad5cd0464dc104342291fa00d50c1"
    );
    assert_ne!(first().occurrence(3), first().occurrence(2));
    assert_ne!(first().occurrence(u64::MAX), first().occurrence(2));
}

#[test]
fn downstream_keys_are_pinned_in_both_rounds() {
    let round_one = first().downstream("stripe", 1);
    assert_eq!(round_one.to_string(), "abed7173-0939-87f6-a454-8d12cff88b33");
    assert_eq!(first().downstream("stripe", 2).to_string(), "59e645b5-a0e2-86a9-95c9-e91d591267ee");
    assert_ne!(first().downstream("adyen", 1), round_one);
    // A form that is made no more: its fifth element was a label.
    assert_ne!(vectors()["V27"].uuid8.as_deref(), Some(round_one.to_string().as_str()));
    assert_eq!(serde_json::to_string(&round_one).unwrap(), format!("\"{round_one}\""));
}

#[test]
fn the_hash_of_a_parameter_is_pinned() {
    let part = FingerprintPart::of_key_part("name", "Ada").unwrap();
    assert_eq!((part.form, part.node.as_str()), (Form::KeyPart, r#"["s","Ada"]"#));
    let stored = Fingerprint::new([0; 16], &[part]).to_bytes();
    assert!(
        hex(&stored).ends_with("4881305bbad6865a3dc9fb2a9ab09a8dc4d9dbfcfaec7915d8f3d7f9a89b9f8d")
    );
}
