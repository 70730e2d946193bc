//! Texts of JavaScript that no Rust text can hold: with half of a surrogate pair.
//!
//! Such a text is *marked*: a half is U+FFFD and a stand-in from U+E000 on, and U+FFFD itself is two of it. So nothing
//! is lost, only equal texts are equal, and `javascript::trim` finds the blanks that it should.

use std::fmt::Write as _;

use super::json::{Piece, escaped_unit, pieces};
use crate::domain::json::write_character;

const MARK: char = '\u{fffd}';
const FIRST_HALF: u32 = 0xD800;
const FIRST_STAND_IN: u32 = 0xE000;

/// A JSON text whose strings are marked once they are read.
pub(super) fn mark(raw: &str) -> String {
    let mut marked = String::with_capacity(raw.len());
    for piece in pieces(raw) {
        match piece {
            Piece::Plain(text) => marked.push_str(&text.replace(MARK, "\u{fffd}\u{fffd}")),
            Piece::Escape(text) if escaped_unit(text) == Some(u32::from(MARK)) => marked.extend([MARK, MARK]),
            Piece::Escape(text) => marked.push_str(text),
            Piece::Half(unit) => {
                marked.push(MARK);
                marked.extend(char::from_u32(unit - FIRST_HALF + FIRST_STAND_IN));
            }
        }
    }
    marked
}

/// The text as JavaScript hands it on as UTF-8: with U+FFFD for a half.
pub(super) fn to_utf8(marked: &str) -> String {
    characters(marked).map(|character| character.unwrap_or(MARK)).collect()
}

/// Appends the text as `JSON.stringify` writes it: with the escape of a half.
pub(super) fn write_json(out: &mut String, marked: &str) {
    out.push('"');
    for character in characters(marked) {
        match character {
            Ok(character) => write_character(out, character),
            Err(half) => {
                let _ = write!(out, "\\u{half:04x}");
            }
        }
    }
    out.push('"');
}

/// The characters, and in their places the halves.
fn characters(marked: &str) -> impl Iterator<Item = Result<char, u32>> + '_ {
    let mut rest = marked.chars();
    std::iter::from_fn(move || {
        let first = rest.next()?;
        let stand_in = if first == MARK { rest.next() } else { None };
        Some(match stand_in.map(u32::from).and_then(|code| code.checked_sub(FIRST_STAND_IN)) {
            Some(place @ 0..0x800) => Err(FIRST_HALF + place),
            _ => Ok(first),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::json::read_as_utf16;
    use super::*;
    use crate::domain::json::Json;
    use proptest::prelude::*;

    /// What a JSON string is as UTF-8, and what `JSON.stringify` makes of it.
    fn forms(raw: &str) -> (String, String) {
        let Json::String(marked) = read_as_utf16(raw).unwrap() else { panic!("{raw} is no string") };
        let mut stringified = String::new();
        write_json(&mut stringified, &marked);
        (to_utf8(&marked), stringified)
    }

    #[test]
    fn a_half_is_replaced_in_text_and_escaped_in_json() {
        // As Node.js prints them.
        for (raw, text, json) in [
            (r#""x\uD83D""#, "x\u{fffd}", r#""x\ud83d""#),
            (r#""\udc00\ud83d\ude00\ud83d""#, "\u{fffd}😀\u{fffd}", r#""\udc00😀\ud83d""#),
            (
                "\"\u{fffd}\\ufffd\\uFFFD\\ue000\"",
                "\u{fffd}\u{fffd}\u{fffd}\u{e000}",
                "\"\u{fffd}\u{fffd}\u{fffd}\u{e000}\"",
            ),
            (
                "\"\\udfff\u{e7ff}\u{fffd}\u{e000}\"",
                "\u{fffd}\u{e7ff}\u{fffd}\u{e000}",
                "\"\\udfff\u{e7ff}\u{fffd}\u{e000}\"",
            ),
            (r#""\\ud83d\n\"\u001F\u007f\/""#, "\\ud83d\n\"\u{1f}\u{7f}/", "\"\\\\ud83d\\n\\\"\\u001f\u{7f}/\""),
        ] {
            assert_eq!(forms(raw), (text.to_owned(), json.to_owned()), "{raw}");
        }
    }

    #[test]
    fn names_that_differ_in_a_half_alone_are_different() {
        let Json::Object(members) = read_as_utf16(r#"{"\ud800":1,"\ud801":2,"\ufffd":3,"\ud800":4}"#).unwrap() else {
            panic!("it is an object");
        };
        assert_eq!(members.len(), 3);
    }

    proptest! {
        #[test]
        fn a_text_without_halves_stays_as_it_is(text in "[\u{fffd}\u{e000}\u{e7ff}\u{e800}a\"\\\\]{0,12}") {
            let raw = Json::String(text.clone()).to_text();
            prop_assert_eq!(forms(&raw), (text, raw));
        }
    }
}
