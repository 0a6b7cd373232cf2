//! What must be one key, and what must be different keys.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::one;
use crate::key::{Key, KeyFields, KeyPart};

fn key<T: KeyPart + ?Sized>(value: &T) -> Key {
    Key::derived("default", "a", 1, &one(value).unwrap())
}

#[derive(KeyPart)]
struct Outer<T> {
    pk: T,
}

#[derive(KeyPart)]
struct Inner {
    id: &'static str,
    extra: Option<&'static str>,
}

#[derive(KeyPart)]
enum Word {
    Card,
}

#[test]
fn values_that_only_look_alike_have_different_keys() {
    let inner = |id, extra| Outer { pk: Inner { id, extra } };
    let keys = [
        key(&1),
        key("1"),
        key(&true),
        key(&Some("true")),
        key(&[1]),
        key(&[1_u8]),
        key(&(1, 1)),
        key(&BTreeSet::from([1])),
        key(&BTreeMap::from([(1, 1)])),
        key(&0),
        key(&false),
        key(""),
        key(&()),
        key(&Vec::<String>::new()),
        key(&Vec::<u8>::new()),
        key(&BTreeSet::<u8>::new()),
        key(&BTreeMap::<u8, u8>::new()),
        key(&vec![None::<u8>]),
        key(&vec![None::<u8>, None]),
        key(&[""]),
        key(&["", ""]),
        key(&[vec![1], vec![2, 3]]),
        key(&[vec![1, 2], vec![3]]),
        key("Card"),
        key(&Word::Card),
        key("e"),
        key("é"),
        key("e\u{301}"),
        key("E"),
        key(" e"),
        key(r#"["s","e"]"#),
        key(r#"e"]],["w",["s","e"#),
        key(&inner("A", None)),
        key(&inner("B", None)),
        key(&inner("A", Some("x"))),
        key(&Outer { pk: "A" }),
        key(&BTreeMap::from([("pk", BTreeMap::from([("id", "A")]))])),
        key(&9_007_199_254_740_992_u64),
        key(&9_007_199_254_740_993_u64),
    ];
    let different: BTreeSet<Key> = keys.into_iter().collect();
    assert_eq!(different.len(), keys.len());
}

#[test]
fn a_derived_key_and_a_callers_key_of_one_text_are_different() {
    let callers = KeyFields::caller(one("x").unwrap().as_json()).unwrap();
    assert_ne!(key("x"), Key::derived("default", "a", 1, &callers));
}

#[test]
fn values_that_mean_one_thing_have_one_key() {
    assert_eq!(key(&7_u8), key(&7_i128));
    assert_eq!(key(&Some(7)), key(&7));
    assert_eq!(key(&Box::new(7)), key(&7));
    let forward: HashMap<u32, u32> = (0..100).map(|n| (n, n)).collect();
    let backward: HashMap<u32, u32> = (0..100).rev().map(|n| (n, n)).collect();
    assert_eq!(key(&forward), key(&backward));
    assert_eq!(key(&forward), key(&forward.into_iter().collect::<BTreeMap<_, _>>()));
    assert_eq!(key(&Inner { id: "A", extra: None }), {
        #[derive(KeyPart)]
        struct Before {
            id: &'static str,
        }
        key(&Before { id: "A" })
    });
}

#[cfg(feature = "uuid")]
#[test]
fn a_uuid_is_one_in_either_case() {
    let node = r#"["u","8e03978e-40d5-43e8-bc93-6894a57f9324"]"#;
    for text in ["8E03978E-40D5-43E8-BC93-6894A57F9324", "8e03978e40d543e8bc936894a57f9324"] {
        super::check_node(&uuid::Uuid::parse_str(text).unwrap(), node);
    }
}

#[cfg(feature = "rust_decimal")]
#[test]
fn a_decimal_is_one_however_it_is_written() {
    use rust_decimal::Decimal;

    let plain = |text| Decimal::from_str_exact(text).unwrap();
    let same = [plain("1.5"), plain("1.50"), Decimal::from_scientific("15E-1").unwrap()];
    for decimal in same {
        super::check_node(&decimal, r#"["d","1.5"]"#);
    }
    super::check_node(&-plain("0.00"), r#"["d","0"]"#);
    super::check_node(&Decimal::MIN, r#"["d","-79228162514264337593543950335"]"#);
    super::check_node(
        &plain("0.0000000000000000000000000001"),
        r#"["d","0.0000000000000000000000000001"]"#,
    );
}

#[cfg(all(feature = "chrono", feature = "time", feature = "jiff"))]
#[test]
fn an_instant_is_one_in_every_crate_and_zone() {
    let node = r#"["t","1796040000123456789"]"#;
    let utc = chrono::DateTime::from_timestamp_nanos(1_796_040_000_123_456_789);
    super::check_node(&utc, node);
    super::check_node(&utc.with_timezone(&chrono::FixedOffset::east_opt(3600).unwrap()), node);
    let time = time::OffsetDateTime::from_unix_timestamp_nanos(1_796_040_000_123_456_789).unwrap();
    super::check_node(&time, node);
    super::check_node(&time.to_offset(time::UtcOffset::from_hms(-1, 0, 0).unwrap()), node);
    super::check_node(&time::UtcDateTime::from(time), node);
    super::check_node(&jiff::Timestamp::from_nanosecond(1_796_040_000_123_456_789).unwrap(), node);
    let before = chrono::DateTime::from_timestamp(-1, 999_999_999).unwrap();
    super::check_node(&before, r#"["t","-1"]"#);
}

#[cfg(feature = "url")]
#[test]
fn a_url_is_its_text() {
    let url = url::Url::parse("HTTPS://Example.com:443/a b").unwrap();
    super::check_node(&url, r#"["s","https://example.com/a%20b"]"#);
}
