//! Providers that fail at random (`--fail-rate`): a rehearsal of the outages that will come.

/// How often a provider fails.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Trouble {
    rate: f64,
}

impl Trouble {
    /// A provider that fails with that probability, from 0 to 1, on every call.
    pub(crate) const fn at_rate(rate: f64) -> Self {
        Self { rate }
    }

    /// Decides one call.
    pub(crate) fn strikes(self) -> bool {
        // Without a source of randomness nothing fails on purpose.
        self.rate > 0.0
            && getrandom::u32()
                .is_ok_and(|drawn| f64::from(drawn) < self.rate * f64::from(u32::MAX))
    }
}
