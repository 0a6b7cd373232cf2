//! The node of each type that can be part of a key.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, LinkedList, VecDeque};
use std::num::{NonZeroI128, NonZeroU8, NonZeroU64};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use super::check_node;
use crate::key::{KeyError, KeyFields, KeyPart, MAX_DEPTH, Node, Present, Written, node_of};

#[test]
fn integers_of_any_width_have_one_form() {
    check_node(&1_u8, r#"["i","1"]"#);
    for one in [
        node_of(&1_i8),
        node_of(&1_u16),
        node_of(&1_i16),
        node_of(&1_u32),
        node_of(&1_i32),
        node_of(&1_u64),
        node_of(&1_i64),
        node_of(&1_u128),
        node_of(&1_i128),
        node_of(&1_usize),
        node_of(&1_isize),
        node_of(&NonZeroU8::MIN),
        node_of(&NonZeroU64::MIN),
    ] {
        assert_eq!(one.as_deref(), Ok(r#"["i","1"]"#));
    }
    check_node(&0_u64, r#"["i","0"]"#);
    check_node(&-12_i16, r#"["i","-12"]"#);
    check_node(&u64::MAX, r#"["i","18446744073709551615"]"#);
    check_node(&i64::MIN, r#"["i","-9223372036854775808"]"#);
    check_node(&u128::MAX, r#"["i","340282366920938463463374607431768211455"]"#);
    check_node(&NonZeroI128::MIN, r#"["i","-170141183460469231731687303715884105728"]"#);
}

#[test]
fn texts_are_taken_as_they_are() {
    for text in [
        node_of("é"),
        node_of(&"é"),
        node_of(&String::from("é")),
        node_of(&'é'),
        node_of(&Cow::Borrowed("é")),
        node_of(&Box::<str>::from("é")),
        node_of(&Rc::<str>::from("é")),
        node_of(&Arc::new(String::from("é"))),
    ] {
        assert_eq!(text.as_deref(), Ok(r#"["s","é"]"#));
    }
    check_node(" A b ", r#"["s"," A b "]"#);
    check_node("\u{8}\u{c}\r\u{1}\u{1e}/", r#"["s","\b\f\r\u0001\u001e/"]"#);
    check_node("\u{80}\u{2029}\u{ffff}\u{10ffff}", "[\"s\",\"\u{80}\u{2029}\u{ffff}\u{10ffff}\"]");
}

#[test]
fn bytes_are_bytes_in_every_list() {
    let bytes = [0x00, 0xff_u8];
    let nonzero = [NonZeroU8::MIN, NonZeroU8::MAX];
    for list in [
        node_of(&bytes),
        node_of(&bytes[..]),
        node_of(&bytes.to_vec()),
        node_of(&bytes.map(Box::new)),
        node_of(&Cow::Borrowed(&bytes[..])),
        node_of(&VecDeque::from(bytes)),
        node_of(&LinkedList::from(bytes)),
        node_of(&bytes.iter().collect::<Vec<_>>()),
    ] {
        assert_eq!(list.as_deref(), Ok(r#"["x","00ff"]"#));
    }
    check_node(&nonzero, r#"["x","01ff"]"#);
    check_node(&Vec::<u8>::new(), r#"["x",""]"#);
    check_node(&[0_u8; 0], r#"["x",""]"#);
    // One that may be absent is no byte, and neither are those of another width.
    check_node(&[Some(1_u8), None], r#"["l",[["i","1"],["n"]]]"#);
    check_node(&[1_u16], r#"["l",[["i","1"]]]"#);
    check_node(&(1_u8, 2_u8), r#"["l",[["i","1"],["i","2"]]]"#);
    check_node(&BTreeSet::from([2_u8]), r#"["S",[["i","2"]]]"#);
}

#[test]
fn lists_and_tuples_keep_their_order_and_their_nulls() {
    check_node(&vec!["b", "a"], r#"["l",[["s","b"],["s","a"]]]"#);
    check_node(
        &[[1, 2], [3, 4]],
        r#"["l",[["l",[["i","1"],["i","2"]]],["l",[["i","3"],["i","4"]]]]]"#,
    );
    check_node(&(true, 'x', None::<u8>), r#"["l",[["b","1"],["s","x"],["n"]]]"#);
    check_node(&(false,), r#"["l",[["b","0"]]]"#);
    check_node(
        &(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ()),
        r#"["l",[["i","1"],["i","2"],["i","3"],["i","4"],["i","5"],["i","6"],["i","7"],["i","8"],["i","9"],["i","10"],["i","11"],["o",[]]]]"#,
    );
    check_node(&vec![Some(Vec::<String>::new()), None], r#"["l",[["l",[]],["n"]]]"#);
}

#[test]
fn sets_and_maps_are_sorted_by_what_is_encoded() {
    let numbers = [100, 9, 10, -1, 1];
    let set = r#"["S",[["i","-1"],["i","1"],["i","10"],["i","100"],["i","9"]]]"#;
    check_node(&HashSet::from(numbers), set);
    check_node(&BTreeSet::from(numbers), set);
    let entries = [("b", None), ("a\"", Some(1)), ("a", Some(2))];
    // The quote is escaped, and a backslash comes after the quote that ends a string.
    let map = r#"["m",[[["s","a"],["i","2"]],[["s","a\""],["i","1"]],[["s","b"],["n"]]]]"#;
    check_node(&HashMap::from(entries), map);
    check_node(&BTreeMap::from(entries), map);
    check_node(
        &BTreeMap::from([((1, true), [0_u8])]),
        r#"["m",[[["l",[["i","1"],["b","1"]]],["x","00"]]]]"#,
    );
    check_node(&HashMap::<u8, u8>::new(), r#"["m",[]]"#);
    check_node(&HashSet::<u8>::new(), r#"["S",[]]"#);
    check_node(
        &BTreeMap::from([(None, 1), (Some("n"), 2)]),
        r#"["m",[[["n"],["i","1"]],[["s","n"],["i","2"]]]]"#,
    );
}

#[test]
fn an_instant_is_nanoseconds_also_before_1970() {
    check_node(&UNIX_EPOCH, r#"["t","0"]"#);
    check_node(&(UNIX_EPOCH + Duration::new(1, 5)), r#"["t","1000000005"]"#);
    check_node(&(UNIX_EPOCH - Duration::from_secs(1)), r#"["t","-1000000000"]"#);
}

/// Writes what the closure writes.
struct By<F>(F);

impl<F: Fn(Node<'_>) -> Written> KeyPart for By<F> {
    type Kind = Present;

    fn write(&self, node: Node<'_>) -> Written {
        (self.0)(node)
    }
}

#[test]
fn decimals_have_no_trailing_zeros_and_no_negative_zero() {
    for (mantissa, scale, text) in [
        (15, 1, "1.5"),
        (150, 2, "1.5"),
        (-150, 2, "-1.5"),
        (0, 0, "0"),
        (0, 5, "0"),
        (100, 2, "1"),
        (100, 0, "100"),
        (100, 1, "10"),
        (1, 3, "0.001"),
        (-1, 3, "-0.001"),
        (10, 3, "0.01"),
        (i128::MAX, 0, "170141183460469231731687303715884105727"),
        (i128::MIN, 39, "-0.170141183460469231731687303715884105728"),
    ] {
        let node = format!(r#"["d","{text}"]"#);
        check_node(&By(|node: Node<'_>| node.decimal(mantissa, scale)), &node);
    }
}

#[test]
fn fields_written_in_any_order_are_sorted_by_the_bytes_of_their_names() {
    let write = |node: Node<'_>| {
        node.fields(|fields| {
            fields.field("b", &1).field("é", &2).field("B", &3).field("a\"", &4).field("a!", &5);
            fields.field("z", &None::<u8>);
        })
    };
    check_node(
        &By(write),
        r#"["o",[["B",["i","3"]],["a!",["i","5"]],["a\"",["i","4"]],["b",["i","1"]],["é",["i","2"]]]]"#,
    );
}

/// As many lists, or structs, in one another.
struct Nested(usize, bool);

impl KeyPart for Nested {
    type Kind = Present;

    fn write(&self, node: Node<'_>) -> Written {
        match (self.0.checked_sub(1), self.1) {
            (None, _) => node.string("core"),
            (Some(less), true) => node.list([&Self(less, true)]),
            (Some(less), false) => node.fields(|fields| _ = fields.field("f", &Self(less, false))),
        }
    }
}

#[test]
fn nesting_has_a_limit_and_what_is_within_is_read_back() {
    assert_eq!(MAX_DEPTH, 64);
    for lists in [true, false] {
        for (depth, taken) in [(63, true), (64, true), (65, false), (1_000_000, false)] {
            let nested = Nested(depth, lists);
            assert_eq!(node_of(&nested).is_ok(), taken, "{depth}");
            match super::one(&nested) {
                Ok(fields) => {
                    assert!(taken);
                    assert!(fields.readable()[0].1.contains("core"), "{depth}");
                    assert_eq!(KeyFields::from_json(fields.as_json()), Ok(fields));
                }
                Err(error) => {
                    assert!(!taken);
                    assert_eq!(error, KeyError::TooDeep { path: "v".into() });
                }
            }
        }
    }
    let deep = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
    assert_eq!(KeyFields::from_json(&deep), Err(KeyError::UnknownFields));
}

#[test]
fn what_is_side_by_side_is_not_deep() {
    assert!(node_of(&vec![vec![()]; 2 * MAX_DEPTH]).is_ok());
    assert!(super::json_node(&vec![vec![[0]]; 2 * MAX_DEPTH]).is_ok());
}
