//! The node of a value as JSON.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::{check_json, json_node};
use crate::key::{KeyError, MAX_DEPTH};

#[test]
fn scalars_have_the_node_of_their_json() {
    check_json(&(), r#"["n"]"#);
    check_json(&None::<u8>, r#"["n"]"#);
    check_json(&Some(true), r#"["b","1"]"#);
    check_json(&-12_i8, r#"["i","-12"]"#);
    check_json(&u64::MAX, r#"["i","18446744073709551615"]"#);
    check_json(&u128::MAX, r#"["i","340282366920938463463374607431768211455"]"#);
    check_json(&i128::MIN, r#"["i","-170141183460469231731687303715884105728"]"#);
    check_json("a\"\n", r#"["s","a\"\n"]"#);
    check_json(&'é', r#"["s","é"]"#);
}

#[test]
fn floats_are_their_bits_and_zero_has_one_form() {
    check_json(&(0.1 + 0.2), r#"["f","3fd3333333333334"]"#);
    check_json(&0.0, r#"["f","0000000000000000"]"#);
    check_json(&-0.0, r#"["f","0000000000000000"]"#);
    check_json(&1.0, r#"["f","3ff0000000000000"]"#);
    check_json(&1e21, r#"["f","444b1ae4d6e2ef50"]"#);
    check_json(&5e-324, r#"["f","0000000000000001"]"#);
    // The shortest digits of the narrow float, as JSON has them.
    check_json(&0.1_f32, r#"["f","3fb999999999999a"]"#);
    // Half-way between two shortest texts.
    let text = serde_json::to_string(&1_878_723.3_f32).unwrap();
    check_json(&1_878_723.3_f32, &json_node(&text.parse::<f64>().unwrap()).unwrap());
    check_json(&-0.0_f32, r#"["f","0000000000000000"]"#);
    check_json(&f32::MAX, &json_node(&3.402_823_5e38).unwrap());
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Order {
    unit_price: f64,
    lines: Vec<Line>,
    note: Option<&'static str>,
    prices: HashMap<&'static str, f64>,
    shipping: Shipping,
}

#[derive(Serialize)]
enum Line {
    Free,
    Priced(f64),
    Pair(u8, f64),
    Named { price: f32 },
    Nothing(Option<u8>),
}

#[derive(Serialize)]
#[serde(tag = "by", content = "at")]
enum Shipping {
    Air(f64),
}

fn order() -> Order {
    Order {
        unit_price: 1.5,
        lines: vec![
            Line::Free,
            Line::Priced(2.0),
            Line::Pair(1, 2.0),
            Line::Named { price: 0.5 },
            Line::Nothing(None),
        ],
        note: None,
        prices: HashMap::from([("usd", 1.0), ("eur", 2.0)]),
        shipping: Shipping::Air(0.5),
    }
}

#[test]
fn structs_and_enums_have_the_node_of_their_json() {
    let node = concat!(
        r#"["o",[["lines",["l",[["s","Free"],["o",[["Priced",["f","4000000000000000"]]]],"#,
        r#"["o",[["Pair",["l",[["i","1"],["f","4000000000000000"]]]]]],"#,
        r#"["o",[["Named",["o",[["price",["f","3fe0000000000000"]]]]]]],["o",[]]]]],"#,
        r#"["prices",["o",[["eur",["f","4000000000000000"]],["usd",["f","3ff0000000000000"]]]]],"#,
        r#"["shipping",["o",[["at",["f","3fe0000000000000"]],["by",["s","Air"]]]]],"#,
        r#"["unitPrice",["f","3ff8000000000000"]]]]"#,
    );
    check_json(&order(), node);
    check_json(&serde_json::to_value(order()).unwrap(), node);
    check_json(
        &RawValue::from_string(serde_json::to_string_pretty(&order()).unwrap()).unwrap(),
        node,
    );
}

#[test]
fn what_is_not_finite_is_refused_with_its_place() {
    let mut orders = vec![order(), order(), order()];
    let mut check = |spoil: fn(&mut Order), path: &str| {
        orders[2] = order();
        spoil(&mut orders[2]);
        let refused = KeyError::NotFinite { path: format!("p[2]{path}") };
        assert_eq!(json_node(&orders), Err(refused));
    };
    check(|order| order.unit_price = f64::NAN, ".unitPrice");
    check(|order| order.lines[1] = Line::Priced(f64::INFINITY), ".lines[1].Priced");
    check(|order| order.lines[0] = Line::Pair(0, f64::NEG_INFINITY), ".lines[0].Pair[1]");
    check(|order| order.lines[3] = Line::Named { price: f32::NAN }, ".lines[3].Named.price");
    check(|order| order.shipping = Shipping::Air(f64::NAN), ".shipping.at");
    // A map's keys may be personal.
    check(|order| _ = order.prices.insert("secret", f64::NAN), ".prices[_]");
    assert_eq!(json_node(&f32::INFINITY), Err(KeyError::NotFinite { path: "p".into() }));
    assert_eq!(
        json_node(&BTreeMap::from([("k", f64::NAN)])),
        Err(KeyError::NotFinite { path: "p[_]".into() })
    );
}

#[test]
fn null_members_are_left_out_and_null_items_are_kept() {
    check_json(
        &json!({"a": null, "b": [null], "c": {"d": null}, "e": 1}),
        r#"["o",[["b",["l",[["n"]]]],["c",["o",[]]],["e",["i","1"]]]]"#,
    );
    check_json(&json!({"b": 1, "a": null}), r#"["o",[["b",["i","1"]]]]"#);
    check_json(&json!({"z": 1, "y": null, "a": 2}), r#"["o",[["a",["i","2"]],["z",["i","1"]]]]"#);
}

#[test]
fn names_of_entries_are_those_of_serde_json() {
    #[derive(Serialize, PartialEq, Eq, PartialOrd, Ord)]
    enum Unit {
        A,
    }
    #[derive(Serialize, PartialEq, Eq, PartialOrd, Ord)]
    struct New(i128);
    fn check<K: Serialize + Ord>(key: K, name: &str) {
        check_json(&BTreeMap::from([(key, 1)]), &format!(r#"["o",[["{name}",["i","1"]]]]"#));
    }
    check("k", "k");
    check('c', "c");
    check(true, "true");
    check(-1, "-1");
    check(u128::MAX, "340282366920938463463374607431768211455");
    check(Unit::A, "A");
    check(New(5), "5");
    check(Some("some"), "some");
    for float in [1.0, 1e21, -0.0, 1e-7] {
        let entries = Pairs(vec![(float, 1)]);
        let text = RawValue::from_string(serde_json::to_string(&entries).unwrap()).unwrap();
        check_json(&entries, &json_node(&text).unwrap());
    }
    for refused in [
        json_node(&BTreeMap::from([(None::<u8>, 1)])),
        json_node(&BTreeMap::from([((), 1)])),
        json_node(&BTreeMap::from([([1], 1)])),
        json_node(&BTreeMap::from([(BTreeMap::from([(1, 1)]), 1)])),
    ] {
        assert_eq!(refused, Err(KeyError::NotJson { path: "p".into() }));
    }
    assert_eq!(
        json_node(&Pairs(vec![(f64::NAN, 1)])),
        Err(KeyError::NotFinite { path: "p".into() })
    );
}

/// A map with its entries in this order.
struct Pairs<K, V>(Vec<(K, V)>);

impl<K: Serialize, V: Serialize> Serialize for Pairs<K, V> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

#[test]
fn members_of_one_name_are_refused() {
    let twice = |path: &str| Err(KeyError::EntryTwice { path: path.into() });
    assert_eq!(json_node(&Pairs(vec![("a", 1), ("b", 2), ("a", 1)])), twice("p"));
    assert_eq!(json_node(&Pairs(vec![("a", None), ("a", Some(1))])), twice("p"));
    assert_eq!(json_node(&[Pairs(vec![(1, 1), (1, 2)])]), twice("p[0]"));
    assert_eq!(json_node(&Pairs(vec![("b", Pairs(vec![("a", 1), ("a", 1)]))])), twice("p[_]"));
}

#[test]
fn members_are_sorted_by_the_bytes_of_their_names() {
    check_json(
        &Pairs(vec![("b", 1), ("é", 2), ("B", 3), ("a\"", 4), ("a!", 5)]),
        r#"["o",[["B",["i","3"]],["a!",["i","5"]],["a\"",["i","4"]],["b",["i","1"]],["é",["i","2"]]]]"#,
    );
}

/// As many lists, or variants, in one another.
struct Nested(usize, bool);

impl Serialize for Nested {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (self.0.checked_sub(1), self.1) {
            (None, _) => serializer.serialize_bool(true),
            (Some(less), true) => serializer.collect_seq([Self(less, true)]),
            (Some(less), false) => {
                serializer.serialize_newtype_variant("E", 0, "V", &Self(less, false))
            }
        }
    }
}

#[test]
fn nesting_has_a_limit() {
    assert_eq!(MAX_DEPTH, 64);
    for lists in [true, false] {
        for (depth, taken) in [(63, true), (64, true), (65, false), (1_000_000, false)] {
            let node = json_node(&Nested(depth, lists));
            let too_deep =
                matches!(&node, Err(KeyError::TooDeep { path }) if path.starts_with('p'));
            assert_eq!((node.is_ok(), too_deep), (taken, !taken), "{depth}");
        }
    }
    let tuple = |depth| Nested(depth, true);
    #[derive(Serialize)]
    enum E {
        T(Nested, u8),
        S { n: Nested },
    }
    // The variant and what it holds are two.
    assert!(json_node(&E::T(tuple(62), 1)).is_ok() && json_node(&E::T(tuple(63), 1)).is_err());
    assert!(
        json_node(&E::S { n: tuple(62) }).is_ok() && json_node(&E::S { n: tuple(63) }).is_err()
    );
}

#[test]
fn a_refusal_of_the_value_itself_shows_no_value() {
    struct Secret;
    impl Serialize for Secret {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("secret"))
        }
    }
    let refused = json_node(&[Some(Secret)]);
    assert_eq!(refused, Err(KeyError::NotJson { path: "p[0]".into() }));
}

#[test]
fn bytes_are_a_list_of_integers_as_in_json() {
    struct Bytes;
    impl Serialize for Bytes {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_bytes(&[0, 255])
        }
    }
    check_json(&Bytes, r#"["l",[["i","0"],["i","255"]]]"#);
}
