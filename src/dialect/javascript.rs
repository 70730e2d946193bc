//! Where JavaScript differs from Rust and a model can see it: blanks, and the order of an object's members.

/// The blanks of `String.prototype.trim` and of `\s`: Rust's, without U+0085 and with U+FEFF.
pub(super) fn is_blank(character: char) -> bool {
    character == '\u{feff}' || (character.is_whitespace() && character != '\u{85}')
}

/// `String.prototype.trim`.
pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(is_blank)
}

/// Puts members in the order of a JavaScript object: names that are array indexes first, by number, then the others
/// as they came.
pub(super) fn order_members<T>(members: &mut [(String, T)]) {
    members.sort_by_key(|(name, _)| array_index(name).map_or((1, 0), |index| (0, index)));
}

/// The number of a name that is an array index: up to 2³² − 2, written the one way.
fn array_index(name: &str) -> Option<u32> {
    let is_plain = name == "0" || (!name.starts_with('0') && name.bytes().all(|byte| byte.is_ascii_digit()));
    let index = name.parse().ok().filter(|_| is_plain)?;
    (index < u32::MAX).then_some(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_are_those_of_javascript() {
        assert_eq!(trim("\u{feff}\u{a0} \t\r\n\u{2029}a b\u{3000}\u{b}"), "a b");
        assert_eq!(trim("\u{85}a\u{200b}"), "\u{85}a\u{200b}");
    }

    #[test]
    fn array_indexes_come_first_and_the_others_stay() {
        // As `Object.keys(JSON.parse(…))` prints them in Node.js.
        let names = ["b", "2", "1", "01", "4294967294", "4294967295", "-1", "", "+5", "5", "0"];
        let mut members: Vec<_> = names.into_iter().map(|name| (name.to_owned(), ())).collect();
        order_members(&mut members);
        let ordered: Vec<_> = members.iter().map(|(name, ())| name.as_str()).collect();
        assert_eq!(ordered, ["0", "1", "2", "5", "4294967294", "b", "01", "4294967295", "-1", "", "+5"]);
    }
}
