//! Tests of keys and fingerprints.

mod vectors;
