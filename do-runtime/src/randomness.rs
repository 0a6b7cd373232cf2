//! The only source of randomness: tokens, salts, instance ids and jitter come from here.

use std::fmt;

/// A source of random bytes that can be put in another's place.
pub trait Randomness: fmt::Debug + Send + Sync + 'static {
    /// Fills the buffer with random bytes.
    fn fill(&self, bytes: &mut [u8]);
}

impl dyn Randomness {
    /// 16 random bytes.
    #[must_use]
    pub fn bytes(&self) -> [u8; 16] {
        let mut bytes = [0; 16];
        self.fill(&mut bytes);
        bytes
    }

    /// A number from 0 to 1, the end excluded.
    #[must_use]
    pub fn fraction(&self) -> f64 {
        let mut bytes = [0; 4];
        self.fill(&mut bytes);
        f64::from(u32::from_le_bytes(bytes)) / (f64::from(u32::MAX) + 1.0)
    }
}

/// The operating system's randomness.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct SystemRandomness;

impl SystemRandomness {
    /// The operating system's randomness.
    #[must_use]
    pub const fn new() -> Self {
        Self
    }
}

impl Randomness for SystemRandomness {
    #[expect(clippy::expect_used, reason = "no token, no claim: a system without randomness")]
    fn fill(&self, bytes: &mut [u8]) {
        getrandom::fill(bytes).expect("the operating system gives random bytes");
    }
}
