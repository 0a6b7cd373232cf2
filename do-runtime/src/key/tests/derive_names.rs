//! `#[derive(KeyPart)]`: fields and variants are called as serde calls them.

use serde::{Deserialize, Serialize};

use super::check_node;
use crate::key::KeyPart;

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
    rename_all(serialize = "SCREAMING-KEBAB-CASE", deserialize = "SCREAMING-KEBAB-CASE"),
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
        &Renamed { first_name: 1, middle_name: 2, a: 3, last: None },
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
        (RenamedVariants::Away, r#"["e","gone"]"#, r#"{"kind":"gone"}"#),
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
    std::iter::once(text(&value[1])).chain(fields.iter().map(|field| text(&field[0]))).collect()
}
