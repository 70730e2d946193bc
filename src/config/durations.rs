//! Durations as people type them. Used by `config` and, through it, by `cli`.

use std::time::Duration;

const UNITS: [(char, u64); 4] = [('d', 24 * 60 * 60), ('h', 60 * 60), ('m', 60), ('s', 1)];

/// Reads whole seconds (`90`) or numbers with units from long to short (`1h30m`, `2d`).
///
/// # Errors
/// Why it is no duration, in words.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("{text:?} is no duration: use seconds (90), or d, h, m and s (1h30m)");
    if let Some(seconds) = whole(text) {
        return Ok(Duration::from_secs(seconds));
    }
    let mut rest = text;
    let mut seconds: u64 = 0;
    let mut units = UNITS.iter();
    while !rest.is_empty() {
        let end = rest.find(|character: char| !character.is_ascii_digit()).ok_or_else(wrong)?;
        let number = whole(&rest[..end]).ok_or_else(wrong)?;
        let letter = rest[end..].chars().next().ok_or_else(wrong)?;
        // The iterator goes on from where the last unit was found: each at most once, longer ones first.
        let (_, unit) = units.find(|(name, _)| *name == letter).ok_or_else(wrong)?;
        seconds = number.checked_mul(*unit).and_then(|part| seconds.checked_add(part)).ok_or_else(wrong)?;
        rest = &rest[end + letter.len_utf8()..];
    }
    if text.is_empty() { Err(wrong()) } else { Ok(Duration::from_secs(seconds)) }
}

fn whole(digits: &str) -> Option<u64> {
    let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_plain { digits.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_and_units_are_durations() {
        for (text, seconds) in
            [("0", 0), ("3600", 3600), ("30m", 1800), ("1h30m", 5400), ("2d", 172_800), ("1d1s", 86_401)]
        {
            assert_eq!(parse_duration(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
    }

    #[test]
    fn everything_else_is_none() {
        for text in [
            "",
            "m",
            "-1",
            "+1",
            "1.5h",
            "30 m",
            "30m1h",
            "1m1m",
            "1w",
            "٣",
            "1é",
            "99999999999999999999",
            "9999999999999999d",
        ] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }
}
