//! Writes to stdout and stderr.
//!
//! Invariant: words of agents and people reach a terminal without anything that could drive it: no control characters
//! but newline and tab, and nothing that turns the reading direction. What goes to a file or a pipe by [`print`] and
//! [`print_json`] stays as it is.

use std::borrow::Cow;
use std::io::{self, IsTerminal as _, Write as _};

use super::exit::{Exit, Failure};

/// Prints a result: for a program as it is, for a terminal made safe.
///
/// # Errors
/// stdout cannot be written: then the result did not arrive.
pub fn print(text: &str) -> Result<(), Failure> {
    if io::stdout().is_terminal() { write(&visible(text)) } else { write(text) }
}

/// Prints something to look at.
///
/// # Errors
/// As [`print`].
pub fn print_view(text: &str) -> Result<(), Failure> {
    write(&visible(text))
}

/// Prints JSON as it was received; for a terminal with more of it escaped, which means the same.
///
/// # Errors
/// As [`print`].
pub fn print_json(json: &str) -> Result<(), Failure> {
    if io::stdout().is_terminal() { write(&visible_json(json)) } else { write(json) }
}

/// Prints something of our own making, with the control characters that it needs.
///
/// # Errors
/// As [`print`].
pub fn print_drawing(drawing: &str) -> Result<(), Failure> {
    write(drawing)
}

/// Says something beside the result. Where nobody listens it is lost, and that is all.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", visible(text));
}

/// Text without control characters (newline and tab aside) and without marks that turn the reading direction.
pub fn visible(text: &str) -> Cow<'_, str> {
    escape(
        text,
        |character| character.is_control() && !"\n\t".contains(character),
        |character| character.escape_unicode().to_string(),
    )
}

/// Text in one line.
pub fn visible_line(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    visible(&words.join(" ")).into_owned()
}

fn visible_json(json: &str) -> Cow<'_, str> {
    // What JSON itself leaves unescaped: everything above the space. All of these fit one UTF-16 unit.
    escape(
        json,
        |character| character.is_control() && !"\n\t\r".contains(character),
        |character| format!("\\u{:04x}", u32::from(character)),
    )
}

fn escape(text: &str, is_control: impl Fn(char) -> bool, escaped: impl Fn(char) -> String) -> Cow<'_, str> {
    let is_bad = |character: char| is_control(character) || turns_direction(character);
    if !text.chars().any(is_bad) {
        return Cow::Borrowed(text);
    }
    let safe = |character| if is_bad(character) { escaped(character) } else { character.to_string() };
    Cow::Owned(text.chars().map(safe).collect())
}

/// Unicode's bidirectional controls: with them a text shows in another order than it has.
fn turns_direction(character: char) -> bool {
    matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn write(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    let end = if text.ends_with('\n') { "" } else { "\n" };
    let written = write!(stdout, "{text}{end}").and_then(|()| stdout.flush());
    written.map_err(|error| Failure::new(Exit::Failed, format!("cannot write the result: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_drives_the_terminal() {
        let nasty = "a\u{1b}]0;owned\u{7}\u{9b}31m\rb\u{202e}c\u{7f}";
        let shown = visible(nasty);
        assert!(!shown.chars().any(|character| character.is_control() || turns_direction(character)), "{shown}");
        assert!(shown.contains("\\u{1b}]0;owned"));
    }

    #[test]
    fn ordinary_text_stays_as_it_is() {
        let text = "Größe: 3\n\t日本語 👩‍💻 שלום";
        assert!(matches!(visible(text), Cow::Borrowed(same) if same == text));
    }

    #[test]
    fn a_line_is_one_line() {
        assert_eq!(visible_line(" a\r\n b\t\u{1b}c "), "a b \\u{1b}c");
    }

    #[test]
    fn escaped_json_means_the_same() {
        let json = serde_json::to_string("a\u{9b}\u{202e}\u{7f}\u{1b}b").unwrap();
        let shown = visible_json(&json);
        assert!(shown.is_ascii());
        assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), "a\u{9b}\u{202e}\u{7f}\u{1b}b");
    }
}
