//! Argument text, read as the originals read it: for a JavaScript tool as `JSON.parse` does.
//!
//! What cannot be said in a Rust text is decided here, once for all dialects of a kind. Other kinds (several values
//! in a row, keys sorted) get a function of their own beside [`read_as_javascript`].

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::{javascript, utf16};
use crate::domain::Faults;
use crate::domain::json::{Json, JsonError};
use crate::domain::limits::NESTING_MAX;

/// Reads a text as `JSON.parse` does.
///
/// Of a repeated member the last value counts, at the place of the first; array indexes come before other names.
/// Numbers keep their digits, for which JavaScript has only a double: no dialect shows one. Half of a surrogate pair
/// becomes U+FFFD, as it does when JavaScript hands a text on as UTF-8; so two texts that differ in such halves alone
/// are equal here.
///
/// # Errors
/// What is no JSON, and nesting deeper than [`NESTING_MAX`], which `JSON.parse` would take.
pub(super) fn read_as_javascript(raw: &str) -> Result<Json, JsonError> {
    read(&with_whole_pairs(raw))
}

/// The same with each half of a surrogate pair kept: every text in it is marked, as `utf16` describes.
///
/// # Errors
/// As for [`read_as_javascript`], but places are those of the marked text.
pub(super) fn read_as_utf16(raw: &str) -> Result<Json, JsonError> {
    read(&utf16::mark(raw))
}

fn read(text: &str) -> Result<Json, JsonError> {
    let mut value = Json::parse(text, NESTING_MAX)?;
    order(&mut value);
    Ok(value)
}

/// The arguments of a JavaScript tool; a call without any has an empty text, not an empty object.
///
/// What is no JSON is for the dialect to tell its model.
///
/// # Errors
/// Too deep nesting, which is a fault of the request.
pub(super) fn read_arguments(raw: &str) -> Result<Result<Json, JsonError>, Faults> {
    match read_as_javascript(if raw.is_empty() { "{}" } else { raw }) {
        Err(error) if error.too_deep => Err(Faults::of("/arguments", error.to_string())),
        read => Ok(read),
    }
}

fn order(value: &mut Json) {
    match value {
        Json::Array(items) => items.iter_mut().for_each(order),
        Json::Object(members) => {
            last_values_at_first_places(members);
            javascript::order_members(members);
            members.iter_mut().for_each(|(_, value)| order(value));
        }
        _ => {}
    }
}

fn last_values_at_first_places(members: &mut Vec<(String, Json)>) {
    let mut places = HashMap::with_capacity(members.len());
    let mut kept: Vec<(String, Json)> = Vec::with_capacity(members.len());
    for (name, value) in members.drain(..) {
        match places.entry(name.clone()) {
            Entry::Occupied(place) => {
                let place: usize = *place.get();
                kept[place].1 = value;
            }
            Entry::Vacant(place) => {
                place.insert(kept.len());
                kept.push((name, value));
            }
        }
    }
    *members = kept;
}

/// The text with `\ufffd` for each escaped half of a surrogate pair that lacks its other half. As long as before, so
/// that places in it stay right.
pub(super) fn with_whole_pairs(raw: &str) -> String {
    let text = |piece| match piece {
        Piece::Plain(text) | Piece::Escape(text) => text,
        Piece::Half(_) => "\\ufffd",
    };
    pieces(raw).map(text).collect()
}

/// A part of a JSON text.
pub(super) enum Piece<'a> {
    /// Without a backslash.
    Plain(&'a str),
    /// A backslash with what it escapes: for `\uXXXX` all of it, for a surrogate pair both halves.
    Escape(&'a str),
    /// `\uXXXX` for half of a surrogate pair that lacks its other half: that unit.
    Half(u32),
}

/// A JSON text, well-formed or not, in parts.
pub(super) fn pieces(raw: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = raw;
    std::iter::from_fn(move || {
        let mut half = None;
        let length = match (rest.find('\\'), escaped_unit(rest), rest.get(6..).and_then(escaped_unit)) {
            _ if rest.is_empty() => return None,
            (None, ..) => rest.len(),
            (Some(at @ 1..), ..) => at,
            (_, Some(0xD800..0xDC00), Some(0xDC00..0xE000)) => 12,
            (_, Some(unit), _) => {
                half = (0xD800..0xE000).contains(&unit).then_some(unit);
                6
            }
            // A backslash with what it escapes, which may be another backslash.
            (_, None, _) => rest.chars().take(2).map(char::len_utf8).sum(),
        };
        let (text, behind) = rest.split_at(length);
        rest = behind;
        Some(match half {
            Some(unit) => Piece::Half(unit),
            None if text.starts_with('\\') => Piece::Escape(text),
            None => Piece::Plain(text),
        })
    })
}

/// The UTF-16 unit of a text that starts with `\uXXXX`.
pub(super) fn escaped_unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let is_hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    u32::from_str_radix(digits, 16).ok().filter(|_| is_hexadecimal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(raw: &str) -> String {
        read_as_javascript(raw).unwrap().to_text()
    }

    #[test]
    fn of_a_repeated_member_the_last_value_counts_at_the_first_place() {
        assert_eq!(read(r#"{"a":1,"b":{"c":[],"c":2},"a":3}"#), r#"{"a":3,"b":{"c":2}}"#);
        assert_eq!(read(r#"{"b":1,"10":2,"9":3,"10":4}"#), r#"{"9":3,"10":4,"b":1}"#);
    }

    #[test]
    fn numbers_keep_their_digits() {
        assert_eq!(read("[1e999,18446744073709551617,-0.0]"), "[1e999,18446744073709551617,-0.0]");
    }

    #[test]
    fn half_a_surrogate_pair_becomes_the_replacement_character() {
        let text = |raw: &str| match read_as_javascript(raw).unwrap() {
            Json::String(text) => text,
            other => panic!("{other:?} is no text"),
        };
        assert_eq!(text(r#""a\ud83d\ude00b""#), "a😀b");
        assert_eq!(text(r#""\ud83d\ud83d\ude00\ude00\uD800x""#), "\u{fffd}😀\u{fffd}\u{fffd}x");
        assert_eq!(text(r#""\\ud800\\\udc00""#), "\\ud800\\\u{fffd}");
    }

    #[test]
    fn what_json_parse_refuses_is_refused_with_its_place() {
        assert_eq!(read_as_javascript(r#"["\ud800",]"#).unwrap_err().offset, 10);
        for raw in ["", "{} {}", "\u{feff}{}", "{'a':1}", "[01]", r#""\ud8""#, "\\", "\"\\"] {
            assert!(read_as_javascript(raw).is_err(), "{raw:?} was taken");
        }
        assert!(read_as_javascript(&"[".repeat(100_000)).unwrap_err().too_deep);
    }

    proptest! {
        #[test]
        fn no_text_is_too_much(raw in any::<String>(), escapes in "[\\\\ud8c0-9\"aé]{0,40}") {
            let _ = read_as_javascript(&raw);
            let _ = read_as_javascript(&escapes);
            prop_assert_eq!(with_whole_pairs(&escapes).len(), escapes.len());
        }
    }
}
