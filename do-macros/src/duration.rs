//! Durations as authors write them: `"30s"`.

use std::fmt;

/// A whole number of milliseconds, more than none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Milliseconds(pub(crate) u64);

/// Why a text is no duration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mistake {
    NoNumber,
    NoUnit,
    UnknownUnit,
    Zero,
    TooLong,
}

impl Milliseconds {
    /// A hundred years: a longer one is no limit at all.
    const MAX: u64 = 100 * 366 * 24 * 3600 * 1000;

    pub(crate) fn parse(text: &str) -> Result<Self, Mistake> {
        let text = text.trim();
        let digits = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        if number.is_empty() {
            return Err(Mistake::NoNumber);
        }
        let unit: u64 = match unit.trim_start() {
            "ms" => 1,
            "s" => 1000,
            "m" => 60 * 1000,
            "h" => 3600 * 1000,
            "d" => 24 * 3600 * 1000,
            "" => return Err(Mistake::NoUnit),
            _ => return Err(Mistake::UnknownUnit),
        };
        let number: u64 = number.parse().map_err(|_| Mistake::TooLong)?;
        match number.checked_mul(unit) {
            Some(0) => Err(Mistake::Zero),
            Some(milliseconds) if milliseconds <= Self::MAX => Ok(Self(milliseconds)),
            _ => Err(Mistake::TooLong),
        }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoNumber => "it does not begin with a whole number",
            Self::NoUnit => "the unit is missing",
            Self::UnknownUnit => "the unit is not known",
            Self::Zero => "it cannot be zero",
            Self::TooLong => "it is longer than a hundred years",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_a_duration() {
        let cases = [
            ("250ms", Ok(250)),
            ("30s", Ok(30_000)),
            ("5m", Ok(300_000)),
            ("2h", Ok(7_200_000)),
            ("7d", Ok(604_800_000)),
            ("36500d", Ok(3_153_600_000_000)),
            ("30 s", Ok(30_000)),
            ("30", Err(Mistake::NoUnit)),
            ("", Err(Mistake::NoNumber)),
            ("s", Err(Mistake::NoNumber)),
            ("-1s", Err(Mistake::NoNumber)),
            ("1.5s", Err(Mistake::UnknownUnit)),
            ("30 parsecs", Err(Mistake::UnknownUnit)),
            ("0s", Err(Mistake::Zero)),
            ("99999999999999999999d", Err(Mistake::TooLong)),
            ("18446744073709551615d", Err(Mistake::TooLong)),
            ("40000d", Err(Mistake::TooLong)),
        ];
        for (text, expected) in cases {
            assert_eq!(Milliseconds::parse(text).map(|duration| duration.0), expected, "{text}");
        }
    }
}
