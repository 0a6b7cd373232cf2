//! Fingerprints: which parameters differ.

use crate::key::{Fingerprint, FingerprintPart, KeyError};

fn part(name: &'static str, value: &str) -> FingerprintPart {
    FingerprintPart::of_key_part(name, value).unwrap()
}

#[test]
fn the_names_of_what_differs_are_given() {
    let recorded = Fingerprint::new([7; 16], &[part("a", "1"), part("b", "2"), part("c", "3")]);
    let differing = |parts: &[FingerprintPart]| recorded.differing(parts);
    assert!(differing(&[part("a", "1"), part("b", "2"), part("c", "3")]).is_empty());
    assert!(differing(&[part("c", "3"), part("a", "1")]).is_empty());
    assert_eq!(differing(&[part("a", "2"), part("b", "2"), part("c", "1")]), ["a", "c"]);
    // A value that moved to another parameter.
    assert_eq!(differing(&[part("a", "2"), part("b", "1")]), ["a", "b"]);
}

#[test]
fn only_what_is_known_on_both_sides_in_one_form_is_compared() {
    let recorded = Fingerprint::new([7; 16], &[part("a", "1"), part("gone", "2")]);
    assert!(recorded.differing(&[part("new", "9")]).is_empty());
    let json = |value: &str| FingerprintPart::of_json("a", value).unwrap();
    assert!(recorded.differing(&[json("other")]).is_empty());
    let recorded = Fingerprint::new([7; 16], &[json("1")]);
    assert!(recorded.differing(&[part("a", "2")]).is_empty());
    assert_eq!(recorded.differing(&[json("2")]), ["a"]);
}

#[test]
fn the_same_value_has_another_hash_under_another_salt() {
    let parts = [part("a", "1")];
    let (one, other) = (Fingerprint::new([1; 16], &parts), Fingerprint::new([2; 16], &parts));
    assert_ne!(one.to_bytes()[17..], other.to_bytes()[17..]);
    assert!(one.differing(&parts).is_empty() && other.differing(&parts).is_empty());
}

#[test]
fn what_is_stored_is_read_again() {
    let json = FingerprintPart::of_json("naïve", &[1.5]).unwrap();
    for parts in [vec![], vec![part("a", "1")], vec![part("a", "1"), json]] {
        let fingerprint = Fingerprint::new(*b"0123456789abcdef", &parts);
        let bytes = fingerprint.to_bytes();
        assert_eq!(Fingerprint::from_bytes(&bytes).as_ref(), Ok(&fingerprint));
        let text = serde_json::to_string(&fingerprint).unwrap();
        assert_eq!(serde_json::from_str::<Fingerprint>(&text).unwrap(), fingerprint);
        for cut in 0..bytes.len() {
            // Cut between two parameters, it is a fingerprint of fewer.
            let read = Fingerprint::from_bytes(&bytes[..cut]);
            assert_ne!(read.as_ref(), Ok(&fingerprint));
        }
        let mut unknown = bytes.clone();
        unknown[0] = 2;
        assert_eq!(Fingerprint::from_bytes(&unknown), Err(KeyError::UnknownFingerprint));
    }
}

#[test]
fn a_part_shows_its_name_and_not_its_value() {
    let shown = format!("{:?}", part("name", "secret"));
    assert!(shown.contains("name") && !shown.contains("secret"), "{shown}");
}
