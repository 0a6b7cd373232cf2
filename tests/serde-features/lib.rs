//! Keys and fingerprints are the same whatever `serde_json` is built with; see the tests.
