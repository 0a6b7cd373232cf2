//! The same nodes and keys with and without the feature `unusual`: both builds must meet what is
//! pinned here.

use std::collections::HashMap;

use do_runtime::key::{FingerprintPart, Key, KeyFields};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

fn node<T: Serialize + ?Sized>(value: &T) -> String {
    FingerprintPart::of_json("p", value).unwrap().node
}

#[test]
fn the_features_are_what_they_are_said_to_be() {
    let text = r#"{"b":1.0000000000000000000001,"a":1}"#;
    let written = serde_json::from_str::<Value>(text).unwrap().to_string();
    let usual = r#"{"a":1,"b":1.0}"#;
    assert_eq!(written, if cfg!(feature = "unusual") { text } else { usual });
}

#[test]
fn values_read_from_a_text_have_the_pinned_nodes() {
    for (text, pinned) in [
        (r#"{"b":2,"a":1}"#, r#"["o",[["a",["i","1"]],["b",["i","2"]]]]"#),
        (r#"{"a":1,"b":2}"#, r#"["o",[["a",["i","1"]],["b",["i","2"]]]]"#),
        (
            r#"[{"é":null,"B":{"z":true,"y":[null]}}]"#,
            r#"["l",[["o",[["B",["o",[["y",["l",[["n"]]]],["z",["b","1"]]]]]]]]]"#,
        ),
        ("0", r#"["i","0"]"#),
        ("-0", r#"["f","0000000000000000"]"#),
        ("-0.0", r#"["f","0000000000000000"]"#),
        ("1.0", r#"["f","3ff0000000000000"]"#),
        ("1.50", r#"["f","3ff8000000000000"]"#),
        ("100e-2", r#"["f","3ff0000000000000"]"#),
        ("1E2", r#"["f","4059000000000000"]"#),
        ("0.1", r#"["f","3fb999999999999a"]"#),
        ("0.30000000000000004", r#"["f","3fd3333333333334"]"#),
        ("0.1000000000000000055511151231257827", r#"["f","3fb999999999999a"]"#),
        ("8.442911973260991817e129", r#"["f","5ae85c421011645e"]"#),
        ("5e-324", r#"["f","0000000000000001"]"#),
        ("1e-400", r#"["f","0000000000000000"]"#),
        ("9007199254740993", r#"["i","9007199254740993"]"#),
        ("-9223372036854775808", r#"["i","-9223372036854775808"]"#),
        ("18446744073709551615", r#"["i","18446744073709551615"]"#),
        ("18446744073709551616", r#"["f","43f0000000000000"]"#),
        ("-9223372036854775809", r#"["f","c3e0000000000000"]"#),
        (r#""\u00e9\u0000\ud83d\ude00""#, "[\"s\",\"é\\u0000😀\"]"),
    ] {
        assert_eq!(node(&serde_json::from_str::<Value>(text).unwrap()), pinned, "{text}");
        // Within a struct, a list and a map too.
        let held: Holder = serde_json::from_str(&format!(r#"{{"value":[{text}]}}"#)).unwrap();
        assert_eq!(node(&held), format!(r#"["o",[["value",["l",[{pinned}]]]]]"#), "{text}");
    }
}

#[derive(Serialize, Deserialize)]
struct Holder {
    value: Vec<Value>,
}

#[test]
fn values_made_in_rust_have_the_pinned_nodes() {
    let value = json!({
        "z": 0.1 + 0.2,
        "a": [1, -1, u64::MAX, i64::MIN, 1.0, -0.0, 1e21, f64::MIN_POSITIVE],
        "m": { "b": null, "a": "x" },
    });
    let pinned = concat!(
        r#"["o",[["a",["l",[["i","1"],["i","-1"],["i","18446744073709551615"],"#,
        r#"["i","-9223372036854775808"],["f","3ff0000000000000"],["f","0000000000000000"],"#,
        r#"["f","444b1ae4d6e2ef50"],["f","0010000000000000"]]]],"#,
        r#"["m",["o",[["a",["s","x"]]]]],["z",["f","3fd3333333333334"]]]]"#,
    );
    assert_eq!(node(&value), pinned);
    assert_eq!(node(&serde_json::from_str::<Value>(&value.to_string()).unwrap()), pinned);
}

/// Floats of all sizes: the text of each must be read as exactly that float.
#[test]
fn floats_have_their_own_bits_however_they_came() {
    // A multiplicative generator over all bit patterns; its constant is Knuth's.
    let mut bits = 1_u64;
    for _ in 0..50_000 {
        bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let float = f64::from_bits(bits);
        if !float.is_finite() || float == 0.0 {
            continue;
        }
        let pinned = format!(r#"["f","{:016x}"]"#, float.to_bits());
        assert_eq!(node(&float), pinned);
        assert_eq!(node(&json!(float)), pinned);
        let text = serde_json::to_string(&float).unwrap();
        assert_eq!(node(&serde_json::from_str::<Value>(&text).unwrap()), pinned, "{text}");
        assert_eq!(node(&serde_json::from_str::<f64>(&text).unwrap()), pinned, "{text}");
        assert_eq!(node(&RawValue::from_string(text).unwrap()), pinned);
    }
}

#[test]
fn raw_values_keep_every_digit_of_an_integer() {
    let raw = RawValue::from_string(r#" {"n": 18446744073709551617 } "#.to_owned()).unwrap();
    assert_eq!(node(&raw), r#"["o",[["n",["i","18446744073709551617"]]]]"#);
    assert_eq!(node(&u128::MAX), r#"["i","340282366920938463463374607431768211455"]"#);
}

#[test]
fn a_number_beyond_all_floats_is_refused() {
    let refused = match serde_json::from_str::<Value>("1e400") {
        Ok(value) => FingerprintPart::of_json("p", &value).is_err(),
        Err(_) => true,
    };
    assert!(refused);
}

#[test]
fn a_key_is_the_pinned_one() {
    let mut builder = KeyFields::builder();
    builder.field("v", &HashMap::from([("\u{1F600}", 2), ("a", 0), ("\u{FB33}", 1)]));
    let fields = builder.finish().unwrap();
    let key = Key::derived("acme", "t", 1, &fields);
    // Vector V16.
    assert_eq!(key.to_string(), "k1_fCDBPK-uct1wL542d9crkcgiorrZXaBIZmEJzdgSWp0");
    assert_eq!(KeyFields::from_json(fields.as_json()).unwrap(), fields);
}
