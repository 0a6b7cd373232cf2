//! Nodes for people to read.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, UNIX_EPOCH};

use crate::key::{KeyFields, KeyPart};

fn readable<T: KeyPart + ?Sized>(value: &T) -> String {
    super::one(value).unwrap().readable().remove(0).1
}

#[test]
fn values_are_shown_as_people_write_them() {
    assert_eq!(readable("ada@example.com"), "ada@example.com");
    assert_eq!(readable("a\"b\n"), "a\"b\n");
    assert_eq!(readable(&-12), "-12");
    assert_eq!(readable(&true), "true");
    assert_eq!(readable(&false), "false");
    assert_eq!(readable(&[0_u8, 255]), "0x00ff");
    assert_eq!(readable(&[Some(1), None]), "[1, none]");
    assert_eq!(readable(&BTreeSet::from(["b", "a"])), "{a, b}");
    assert_eq!(readable(&BTreeMap::from([("a", vec![1, 2]), ("b", vec![])])), "{a: [1, 2], b: []}");
    assert_eq!(readable(&()), "{}");
}

#[derive(KeyPart)]
enum Payment {
    Card,
    Wire { iban: &'static str, to: (u8, u8) },
    Cheque(u64),
}

#[test]
fn structs_and_enums_are_shown_with_their_names() {
    assert_eq!(readable(&Payment::Card), "Card");
    assert_eq!(readable(&Payment::Cheque(7)), "Cheque(7)");
    assert_eq!(
        readable(&Payment::Wire { iban: "DE00", to: (1, 2) }),
        "Wire({iban: DE00, to: [1, 2]})"
    );
}

#[test]
fn instants_are_shown_as_dates() {
    let at = |seconds: u64, nanoseconds| UNIX_EPOCH + Duration::new(seconds, nanoseconds);
    for (instant, text) in [
        (at(0, 0), "1970-01-01T00:00:00Z"),
        (at(951_782_399, 0), "2000-02-28T23:59:59Z"),
        (at(951_782_400, 0), "2000-02-29T00:00:00Z"),
        (at(951_868_800, 0), "2000-03-01T00:00:00Z"),
        (at(1_796_040_000, 123_456_789), "2026-11-30T12:00:00.123456789Z"),
        (at(4_107_542_399, 500_000_000), "2100-02-28T23:59:59.5Z"),
        (at(4_107_542_400, 0), "2100-03-01T00:00:00Z"),
        (UNIX_EPOCH - Duration::from_nanos(1), "1969-12-31T23:59:59.999999999Z"),
    ] {
        assert_eq!(readable(&instant), text);
    }
}

#[test]
fn fields_are_shown_with_their_names() {
    let mut builder = KeyFields::builder();
    builder.field("user_id", &7).field("template", "welcome");
    let shown = builder.finish().unwrap().readable();
    let expected = [("template", "welcome"), ("user_id", "7")];
    assert_eq!(shown, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
}
