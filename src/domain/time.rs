//! Instants as the wire and the stores see them: whole milliseconds, UTC.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An instant in whole milliseconds since 1970 (UTC). Written as RFC 3339 with milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The instant that many milliseconds after 1970-01-01T00:00:00Z.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since 1970-01-01T00:00:00Z.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// The instant `seconds` later; stays at the end of time instead of overflowing.
    #[must_use]
    pub const fn plus_seconds(self, seconds: u64) -> Self {
        let millis = seconds.saturating_mul(1000);
        let millis = if millis > i64::MAX as u64 { i64::MAX } else { millis.cast_signed() };
        Self(self.0.saturating_add(millis))
    }

    /// How long it is from `self` until `later`; zero if that has passed.
    pub fn until(self, later: Self) -> Duration {
        Duration::from_millis(u64::try_from(later.0.saturating_sub(self.0)).unwrap_or(0))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clamped = self.0.clamp(MILLIS_MIN, MILLIS_MAX);
        match jiff::Timestamp::from_millisecond(clamped) {
            Ok(instant) => write!(f, "{instant:.3}"),
            Err(_) => write!(f, "{}", self.0),
        }
    }
}

/// Years 0001 to 9999: what RFC 3339 can say.
const MILLIS_MIN: i64 = -62_135_596_800_000;
const MILLIS_MAX: i64 = 253_402_207_200_000;

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        let instant: jiff::Timestamp = text.parse().map_err(serde::de::Error::custom)?;
        Ok(Self(instant.as_millisecond()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_is_written_with_milliseconds_and_read_back() {
        let instant = Timestamp::from_millis(1_796_083_443_007);
        let text = serde_json::to_string(&instant).unwrap();
        assert_eq!(text, "\"2026-12-01T00:04:03.007Z\"");
        assert_eq!(serde_json::from_str::<Timestamp>(&text).unwrap(), instant);
    }

    #[test]
    fn no_number_of_seconds_overflows_an_instant() {
        let end = Timestamp::from_millis(1).plus_seconds(u64::MAX);
        assert_eq!(end.as_millis(), i64::MAX);
        assert!(!end.to_string().is_empty());
    }
}
