//! Unicode's simple case folding, character by character: how Go's `strings.EqualFold` and JavaScript's regular
//! expressions with `iu` compare. `ſ` is `s`, the Kelvin sign is `k`; `ß` is not `ss`.

/// Whether two texts differ in case at most.
pub(super) fn equal(one: &str, other: &str) -> bool {
    one.chars().map(fold).eq(other.chars().map(fold))
}

/// One character for all that differ in case alone.
pub(super) fn fold(character: char) -> char {
    // The dotless i has a capital, and yet is in nobody's fold.
    if character == 'ı' {
        return character;
    }
    // Where the other case is several characters, simple folding has none.
    let upper = single(character.to_uppercase()).unwrap_or(character);
    single(upper.to_lowercase()).unwrap_or(upper)
}

fn single(mut characters: impl Iterator<Item = char>) -> Option<char> {
    let first = characters.next();
    first.filter(|_| characters.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_fold_one_by_one() {
        for (one, other) in [("ſ", "S"), ("\u{212a}", "k"), ("ς", "Σ"), ("ẞ", "ß"), ("Ǆ", "ǅ"), ("straẞe", "STRAßE")]
        {
            assert!(equal(one, other), "{one} {other}");
        }
        for (one, other) in [("ß", "SS"), ("ı", "I"), ("İ", "i"), ("ﬁ", "fi"), ("e\u{301}", "é"), ("a", "ab")] {
            assert!(!equal(one, other), "{one} {other}");
        }
    }
}
