//! The node of a JSON text, and that it is the node of the value it was written from.

use proptest::prelude::*;
use serde_json::value::RawValue;
use serde_json::{Number, Value, json};

use super::{check_json, json_node};
use crate::key::KeyError;

fn raw(json: &str) -> Box<RawValue> {
    RawValue::from_string(json.to_owned()).unwrap()
}

#[test]
fn white_space_order_and_escapes_of_a_text_do_not_matter() {
    let node = r#"["o",[["a",["l",[["i","1"],["n"],["b","0"],["b","1"]]]],["b",["s","é\"\n"]]]]"#;
    for text in [
        r#"{"a":[1,null,false,true],"b":"é\"\n"}"#,
        " {\n\t\"b\" : \"\\u00e9\\u0022\\u000A\" , \"a\" : [ 1 ,\r null, false,true ] , \"c\":null } ",
    ] {
        check_json(&raw(text), node);
        check_json(&serde_json::from_str::<Value>(text).unwrap(), node);
    }
    check_json(&[raw("[]")], r#"["l",[["l",[]]]]"#);
    check_json(&raw("{}"), r#"["o",[]]"#);
    check_json(&raw(r#""\\""#), r#"["s","\\"]"#);
    check_json(&raw(r#"["\\\"",""]"#), r#"["l",[["s","\\\""],["s",""]]]"#);
}

#[test]
fn numbers_of_a_text_are_integers_or_floats() {
    for (text, node) in [
        ("0", r#"["i","0"]"#),
        ("-0", r#"["f","0000000000000000"]"#),
        ("-0.0", r#"["f","0000000000000000"]"#),
        ("1.0", r#"["f","3ff0000000000000"]"#),
        ("1e0", r#"["f","3ff0000000000000"]"#),
        ("10E-1", r#"["f","3ff0000000000000"]"#),
        ("-9223372036854775808", r#"["i","-9223372036854775808"]"#),
        ("18446744073709551615", r#"["i","18446744073709551615"]"#),
        ("0.30000000000000004", r#"["f","3fd3333333333334"]"#),
        ("1e-400", r#"["f","0000000000000000"]"#),
    ] {
        check_json(&raw(text), node);
        // Built with `arbitrary_precision` or without: this must hold.
        check_json(&serde_json::from_str::<Value>(text).unwrap(), node);
    }
}

#[test]
fn integers_beyond_64_bits_are_exact_where_their_text_is_there() {
    let text = "18446744073709551616";
    check_json(&raw(text), r#"["i","18446744073709551616"]"#);
    // A `Value` holds a float, at least in some builds.
    check_json(&serde_json::from_str::<Value>(text).unwrap(), r#"["f","43f0000000000000"]"#);
}

#[test]
fn a_number_that_no_float_is_near_to_is_refused() {
    assert_eq!(json_node(&raw("[1e400]")), Err(KeyError::NotFinite { path: "p[0]".into() }));
}

#[test]
fn a_text_is_refused_for_what_a_value_is_refused_for() {
    let twice = |path: &str| Err(KeyError::EntryTwice { path: path.into() });
    assert_eq!(json_node(&raw(r#"{"a":1,"a":1}"#)), twice("p"));
    assert_eq!(json_node(&raw(r#"[{"a":1,"\u0061":2}]"#)), twice("p[0]"));
    let lone = raw(r#"{"a":"\ud800"}"#);
    assert_eq!(json_node(&lone), Err(KeyError::NotJson { path: "p[_]".into() }));
    for (depth, taken) in [(63, true), (64, true), (65, false), (100_000, false)] {
        let text = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(json_node(&raw(&text)).is_ok(), taken, "{depth}");
    }
    // Depth counts across the border.
    let text = format!("{}{}", "[".repeat(63), "]".repeat(63));
    assert!(json_node(&[raw(&text)]).is_ok());
    assert!(json_node(&[[raw(&text)]]).is_err());
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter_map("finite", |float| Number::from_f64(float).map(Value::Number)),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::hash_map("[a-c\"\\\\é]{0,2}", inner, 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn a_value_has_the_node_of_the_text_that_is_written_for_it(value in value()) {
        let text = serde_json::to_string(&value).unwrap();
        let node = json_node(&value);
        prop_assert!(node.is_ok());
        prop_assert_eq!(&json_node(&raw(&text)), &node);
        prop_assert_eq!(&json_node(&serde_json::from_str::<Value>(&text).unwrap()), &node);
        prop_assert_eq!(&json_node(&raw(&serde_json::to_string_pretty(&value).unwrap())), &node);
    }

    #[test]
    fn a_narrow_float_has_the_node_of_its_text(float in any::<f32>()) {
        if float.is_finite() {
            let text = serde_json::to_string(&float).unwrap();
            prop_assert_eq!(json_node(&float), json_node(&raw(&text)));
        }
    }

    #[test]
    fn integers_of_any_width_have_the_node_of_their_text(wide in any::<i128>()) {
        let text = serde_json::to_string(&wide).unwrap();
        prop_assert_eq!(json_node(&wide), json_node(&raw(&text)));
    }
}

#[test]
fn a_value_inside_a_struct_and_a_map_is_the_same() {
    let both = json!({"v": {"b": 1, "a": [1.5]}});
    check_json(
        &both,
        r#"["o",[["v",["o",[["a",["l",[["f","3ff8000000000000"]]]],["b",["i","1"]]]]]]]"#,
    );
}
