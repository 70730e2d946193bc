//! Texts of a model as 2.1.332 shows them in its own: nothing invisible, nothing that looks like markup, not too long.
//!
//! Lengths are counted in UTF-16 units, as JavaScript does.

use super::super::javascript::is_blank;

/// The longest name that is shown whole.
const NAME_MAX: usize = 64;
/// How much of the end of a longer one is shown.
const NAME_END: usize = 24;
/// How much of the start of a text is shown.
const START_MAX: usize = 200;

/// Characters that cannot be seen, beside the control characters: formats, separators, fillers, variation selectors.
const INVISIBLE: &[(char, char)] = &[
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{600}', '\u{605}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{6dd}', '\u{6dd}'),
    ('\u{70f}', '\u{70f}'),
    ('\u{890}', '\u{891}'),
    ('\u{8e2}', '\u{8e2}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{2028}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fffb}'),
    ('\u{110bd}', '\u{110bd}'),
    ('\u{110cd}', '\u{110cd}'),
    ('\u{13430}', '\u{1343f}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e0fff}'),
];

/// A name: whole, or its start and its end with how much is left out.
pub(super) fn name(name: &str) -> String {
    let (start, end) = (name.len() - name.trim_start_matches(is_blank).len(), name.trim_end_matches(is_blank).len());
    let show = |at: usize, character| show(character, at < start || at >= end);
    let (mut whole, mut head, mut head_end) = (String::new(), 0, 0);
    for (at, character) in name.char_indices() {
        whole.push_str(&show(at, character));
        if units(&whole) <= NAME_MAX - NAME_END {
            (head, head_end) = (whole.len(), at + character.len_utf8());
        } else if units(&whole) > NAME_MAX {
            break;
        }
    }
    if units(&whole) <= NAME_MAX {
        return whole;
    }
    whole.truncate(head);
    let (mut tail, mut tail_start) = (String::new(), name.len());
    for (at, character) in name.char_indices().rev() {
        let longer = show(at, character) + &tail;
        if units(&longer) > NAME_END {
            break;
        }
        (tail, tail_start) = (longer, at);
    }
    let left_out = units(&name[head_end..tail_start]);
    format!("{whole}… [+{left_out} {}] …{tail}", plural(left_out, "char"))
}

/// The start of a text, and how much of it that is.
pub(super) fn start(text: &str) -> (String, usize) {
    let (mut start, mut taken) = (String::new(), 0);
    for character in text.chars() {
        let shown = show(character, false);
        if units(&start) + units(&shown) > START_MAX {
            break;
        }
        start.push_str(&shown);
        taken += character.len_utf16();
    }
    (start, taken)
}

/// The length as JavaScript counts it.
pub(super) fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

/// The word for so many.
pub(super) fn plural(number: usize, word: &str) -> String {
    if number == 1 { word.to_owned() } else { format!("{word}s") }
}

fn show(character: char, is_edge_blank: bool) -> String {
    match character {
        _ if is_edge_blank || is_invisible(character) => format!("\\u{{{:X}}}", u32::from(character)),
        '`' => "'".to_owned(),
        '<' => "‹".to_owned(),
        '>' => "›".to_owned(),
        other => other.to_string(),
    }
}

fn is_invisible(character: char) -> bool {
    character.is_control() || INVISIBLE.iter().any(|(first, last)| (*first..=*last).contains(&character))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_shown_by_its_number() {
        assert_eq!(name("a`<b>"), "a'‹b›");
        assert_eq!(name(" a b\u{a0}"), "\\u{20}a b\\u{A0}");
        assert_eq!(name("a\u{0}\u{200d}\u{e0041}\u{2028}é😀"), "a\\u{0}\\u{200D}\\u{E0041}\\u{2028}é😀");
        assert_eq!(name("  "), "\\u{20}\\u{20}");
        assert_eq!(name(""), "");
    }

    #[test]
    fn a_long_name_has_a_gap() {
        assert_eq!(name(&"x".repeat(64)), "x".repeat(64));
        let long = format!("{}{}{}", "a".repeat(40), "b".repeat(2), "c".repeat(24));
        assert_eq!(name(&long), format!("{}… [+2 chars] …{}", "a".repeat(40), "c".repeat(24)));
        let one = format!("{}{}{}", "a".repeat(40), "b", "c".repeat(24));
        assert_eq!(name(&one), format!("{}… [+1 char] …{}", "a".repeat(40), "c".repeat(24)));
        let wide = "😀".repeat(33);
        assert_eq!(name(&wide), format!("{}… [+2 chars] …{}", "😀".repeat(20), "😀".repeat(12)));
    }

    #[test]
    fn the_start_of_a_text_is_counted_in_the_texts_own_units() {
        assert_eq!(start("{\n\"a"), ("{\\u{A}\"a".to_owned(), 4));
        let (shown, taken) = start(&"\u{0}".repeat(100));
        assert_eq!((shown.len(), taken), (200, 40));
        assert_eq!(start(&"😀".repeat(200)).1, 200);
    }
}
