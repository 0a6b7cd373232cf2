//! Keys that the caller gives.

use crate::key::{Key, KeyError, KeyFields, MAX_CALLER_KEY};

#[test]
fn blank_keys_are_refused() {
    for blank in ["", " ", "\t", "\n", " \u{a0}\u{2003}\u{3000} "] {
        assert_eq!(KeyFields::caller(blank), Err(KeyError::CallerKeyBlank), "{blank:?}");
    }
}

#[test]
fn control_characters_are_refused_wherever_they_stand() {
    for control in (0..=0x1f).chain(0x7f..=0x9f) {
        let control = char::from_u32(control).unwrap();
        for key in [format!("{control}a"), format!("a{control}b"), format!("a{control}")] {
            assert_eq!(KeyFields::caller(&key), Err(KeyError::CallerKeyControl), "{key:?}");
        }
    }
}

#[test]
fn a_key_takes_at_most_255_bytes() {
    assert_eq!(MAX_CALLER_KEY, 255);
    for (length, taken) in [(254, true), (255, true), (256, false)] {
        let key = "k".repeat(length);
        let expected = if taken { Ok(format!("\"{key}\"")) } else { Err(length) };
        let fields = KeyFields::caller(&key);
        let given = fields.map(|fields| fields.as_json().to_owned()).map_err(|error| match error {
            KeyError::CallerKeyTooLong { bytes } => bytes,
            other => panic!("{other}"),
        });
        assert_eq!(given, expected);
    }
    // Bytes, not characters.
    assert!(KeyFields::caller(&"é".repeat(127)).is_ok());
    assert!(KeyFields::caller(&"é".repeat(128)).is_err());
}

#[test]
fn a_key_is_taken_as_it_is() {
    let keys = ["a", " a", "a ", "A", "é", "e\u{301}", "a\"b", "a\\b", "\u{200b}", "😀"];
    for (at, key) in keys.iter().enumerate() {
        let fields = KeyFields::caller(key).unwrap();
        assert!(fields.is_caller());
        assert_eq!(fields.iter().count(), 0);
        assert_eq!(fields.readable(), [("key".to_owned(), (*key).to_owned())]);
        assert_eq!(KeyFields::from_json(fields.as_json()), Ok(fields.clone()));
        for other in &keys[at + 1..] {
            let other = KeyFields::caller(other).unwrap();
            assert_ne!(Key::derived("s", "a", 1, &fields), Key::derived("s", "a", 1, &other));
        }
    }
}
