//! The text of a key: one key, one text.

use crate::key::{DownstreamKey, Key, KeyError};

const TEXT: &str = "k1_yaKROoTspc7xPa0U-3FusCACBnfcPLCCg0EHEuRWN2E";

#[test]
fn only_the_one_text_of_a_key_is_read() {
    let key: Key = TEXT.parse().unwrap();
    assert_eq!(key.to_string(), TEXT);
    assert_eq!(format!("{key:?}"), TEXT);
    assert_eq!(Key::from_bytes(*key.as_bytes()), key);
    let digits = &TEXT[3..];
    for wrong in [
        String::new(),
        "k1_".to_owned(),
        digits.to_owned(),
        format!("K1_{digits}"),
        format!("k2_{digits}"),
        format!(" {TEXT}"),
        format!("{TEXT} "),
        format!("{TEXT}="),
        format!("{TEXT}A"),
        TEXT[..TEXT.len() - 1].to_owned(),
        // The same bytes with other unused bits.
        format!("{}F", &TEXT[..TEXT.len() - 1]),
        // The digits of plain base64.
        TEXT.replace('-', "+"),
        format!("k1_{}é", &digits[..41]),
    ] {
        assert_eq!(wrong.parse::<Key>(), Err(KeyError::NotAKey), "{wrong}");
    }
}

#[test]
fn every_byte_comes_back() {
    for byte in 0..=u8::MAX {
        let key = Key::from_bytes([byte; 32]);
        let text = key.to_string();
        assert_eq!(text.len(), 46);
        assert_eq!(text.parse(), Ok(key));
    }
}

#[test]
fn a_key_is_a_string_in_json() {
    let key: Key = TEXT.parse().unwrap();
    let json = serde_json::to_string(&key).unwrap();
    assert_eq!(json, format!("\"{TEXT}\""));
    assert_eq!(serde_json::from_str::<Key>(&json).unwrap(), key);
    assert!(serde_json::from_str::<Key>("\"k1_\"").is_err());
}

#[test]
fn a_downstream_key_is_a_uuid_of_version_8() {
    for round in 1..200 {
        let key: DownstreamKey = Key::from_bytes([7; 32]).downstream("crm", round);
        let text = key.to_string();
        assert_eq!(text.len(), 36);
        assert_eq!(&text[14..15], "8", "{text}");
        assert!(matches!(&text[19..20], "8" | "9" | "a" | "b"), "{text}");
    }
}

#[test]
fn round_one_and_the_rounds_after_it_have_different_keys() {
    let key = Key::from_bytes([7; 32]);
    let all: std::collections::BTreeSet<DownstreamKey> = (1..50)
        .flat_map(|round| ["a", "b", "a\",\"2"].map(|service| key.downstream(service, round)))
        .collect();
    assert_eq!(all.len(), 49 * 3);
}
