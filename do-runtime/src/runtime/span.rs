//! Spans of time as people write them.

use std::fmt;
use std::time::Duration;

/// A span of time: a [`Duration`], or a text such as `"250ms"`, `"30s"`, `"5m"`, `"2h"`, `"7d"`.
pub trait IntoSpan {
    /// The span.
    ///
    /// # Errors
    /// The text is not a whole number and a unit.
    fn into_span(self) -> Result<Duration, NotASpan>;
}

impl IntoSpan for Duration {
    fn into_span(self) -> Result<Duration, NotASpan> {
        Ok(self)
    }
}

impl IntoSpan for &str {
    fn into_span(self) -> Result<Duration, NotASpan> {
        let refused = || NotASpan { text: self.to_owned() };
        let digits = self.find(|c: char| !c.is_ascii_digit()).ok_or_else(refused)?;
        let number: u64 = self[..digits].parse().map_err(|_| refused())?;
        let ms_per_unit = match &self[digits..] {
            "ms" => 1,
            "s" => 1000,
            "m" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            _ => return Err(refused()),
        };
        let ms = number.checked_mul(ms_per_unit).ok_or_else(refused)?;
        Ok(Duration::from_millis(ms))
    }
}

/// A text that is no span of time.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotASpan {
    /// The text.
    pub text: String,
}

impl fmt::Display for NotASpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not a span of time; write a whole number and a unit, for example `250ms`, \
             `30s`, `5m`, `2h`, `7d`",
            self.text
        )
    }
}

impl std::error::Error for NotASpan {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_and_a_unit() {
        for (text, ms) in [("250ms", 250), ("30s", 30_000), ("0s", 0), ("7d", 604_800_000)] {
            assert_eq!(text.into_span(), Ok(Duration::from_millis(ms)), "{text}");
        }
        for text in ["", "5", "s", "5 s", "-5s", "1.5s", "5parsecs", "99999999999999999999d"] {
            assert!(text.into_span().is_err(), "{text}");
        }
        assert!("18446744073709551615d".into_span().is_err(), "too large");
    }
}
