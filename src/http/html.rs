//! Writes HTML for the pages without script.
//!
//! Invariant: whatever comes in at run time is escaped. Names of elements and attributes are `'static`, so they are
//! written in this program; there is no way to put in a text as markup. Three methods and a builder are all that six
//! pages need; a template language would bring its own escaping rules and a build step. Used by the pages of `http`.

use std::fmt::Write as _;

/// A piece of HTML under construction.
#[derive(Debug, Default)]
pub struct Html {
    out: String,
}

/// An element whose opening tag is being written. Nothing is complete until [`Tag::body`] or one of its kin is called.
#[must_use = "an element needs a body, a text or an end"]
pub struct Tag<'a> {
    html: &'a mut Html,
    name: &'static str,
}

impl Html {
    /// A whole document, in English (texts of agents say their direction themselves).
    pub fn document(content: impl FnOnce(&mut Self)) -> String {
        let mut html = Self { out: String::from("<!doctype html>\n") };
        html.tag("html").attr("lang", "en").body(content);
        html.out
    }

    /// Begins an element.
    pub fn tag(&mut self, name: &'static str) -> Tag<'_> {
        self.out.push('<');
        self.out.push_str(name);
        Tag { html: self, name }
    }

    /// Writes a text of ours.
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.escape(text);
        self
    }

    /// Writes a text of somebody else's: characters that cannot be seen, or that change the order of what is seen,
    /// stand as visible marks, so that nobody agrees to something other than what they read.
    pub fn foreign(&mut self, text: &str) -> &mut Self {
        let mut before = None;
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            let after = characters.peek().copied();
            match appearance(before, character, after) {
                Appearance::Itself => self.escape_char(character),
                Appearance::Nothing => {}
                Appearance::Mark => {
                    let code = format!("U+{:04X}", u32::from(character));
                    self.tag("span").attr("class", "mark").attr("title", "invisible character").text(&code);
                }
            }
            before = Some(character);
        }
        self
    }

    fn escape(&mut self, text: &str) {
        text.chars().for_each(|character| self.escape_char(character));
    }

    fn escape_char(&mut self, character: char) {
        match character {
            '&' => self.out.push_str("&amp;"),
            '<' => self.out.push_str("&lt;"),
            '>' => self.out.push_str("&gt;"),
            '"' => self.out.push_str("&quot;"),
            '\'' => self.out.push_str("&#39;"),
            // HTML has no way to write NUL; a parser would put in the same sign.
            '\0' => self.out.push('\u{FFFD}'),
            other => self.out.push(other),
        }
    }
}

impl Tag<'_> {
    /// An attribute.
    pub fn attr(self, name: &'static str, value: impl AsRef<str>) -> Self {
        let _ = write!(self.html.out, " {name}=\"");
        self.html.escape(value.as_ref());
        self.html.out.push('"');
        self
    }

    /// An attribute that has a value or is left out.
    pub fn attr_if(self, name: &'static str, value: Option<impl AsRef<str>>) -> Self {
        match value {
            Some(value) => self.attr(name, value),
            None => self,
        }
    }

    /// The attribute `class`.
    pub fn class(self, names: &'static str) -> Self {
        self.attr("class", names)
    }

    /// An attribute without a value, if it holds.
    pub fn flag(self, name: &'static str, holds: bool) -> Self {
        if holds {
            self.html.out.push(' ');
            self.html.out.push_str(name);
        }
        self
    }

    /// Ends an element that has no content, such as `input`.
    pub fn end(self) {
        self.html.out.push('>');
    }

    /// Ends it with a text of ours as content.
    pub fn text(self, text: &str) {
        self.body(|html| {
            html.text(text);
        });
    }

    /// Ends it with a text of somebody else's as content; see [`Html::foreign`].
    pub fn foreign(self, text: &str) {
        self.body(|html| {
            html.foreign(text);
        });
    }

    /// Ends it with content.
    pub fn body(self, content: impl FnOnce(&mut Html)) {
        let Tag { html, name } = self;
        html.out.push('>');
        content(html);
        let _ = write!(html.out, "</{name}>");
    }

    /// Ends a `textarea` with its content, which can be nothing but text.
    pub fn value(self, text: &str) {
        let Tag { html, name } = self;
        // A parser drops one line break at the beginning: without this one it would be the person's own.
        html.out.push_str(">\n");
        html.escape(text);
        let _ = write!(html.out, "</{name}>");
    }
}

enum Appearance {
    Itself,
    Mark,
    Nothing,
}

fn appearance(before: Option<char>, character: char, after: Option<char>) -> Appearance {
    match character {
        '\n' | '\t' => Appearance::Itself,
        '\r' if after == Some('\n') => Appearance::Nothing,
        // Joiners belong into emoji and some scripts; between Latin letters they only hide something.
        '\u{200C}' | '\u{200D}' => {
            let is_latin = |neighbour: Option<char>| neighbour.is_none_or(|neighbour| neighbour.is_ascii());
            if is_latin(before) && is_latin(after) { Appearance::Mark } else { Appearance::Itself }
        }
        other if other.is_control() || is_invisible(other) => Appearance::Mark,
        _ => Appearance::Itself,
    }
}

/// Characters of no width, those that turn the writing direction, and those that stand for tags.
fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180E}'
        | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{3164}'
        | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
}

/// A text for places that can hold no marks, such as the title of a window: the codes stand in brackets.
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\r' | '\t' => line.push(' '),
            other if other.is_control() || is_invisible(other) => {
                let _ = write!(line, "[U+{:04X}]", u32::from(other));
            }
            other => line.push(other),
        }
    }
    line
}

/// A JSON text for places that can hold no marks, such as a field to edit it in: the same value, with what cannot be
/// seen as JSON's own escapes.
pub fn visible_json(text: &str) -> String {
    let mut visible = String::with_capacity(text.len());
    for character in text.chars() {
        let is_hidden =
            character.is_control() || is_invisible(character) || matches!(character, '\u{200C}' | '\u{200D}');
        if !is_hidden || character == '\n' {
            visible.push(character);
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            let _ = write!(visible, "\\u{unit:04x}");
        }
    }
    visible
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(content: impl FnOnce(&mut Html)) -> String {
        let mut html = Html::default();
        content(&mut html);
        html.out
    }

    #[test]
    fn elements_nest_and_attributes_are_quoted() {
        let out = written(|html| {
            html.tag("p").class("x").attr("title", "a \"b\" & c").body(|html| {
                html.text("1 < 2");
                html.tag("br").end();
                html.tag("input").flag("checked", true).flag("disabled", false).end();
            });
        });
        let expected = "<p class=\"x\" title=\"a &quot;b&quot; &amp; c\">1 &lt; 2<br><input checked></p>";
        assert_eq!(out, expected);
    }

    #[test]
    fn hidden_characters_of_a_json_text_are_escaped_and_mean_the_same() {
        let text = "{\"a\":\"é\u{202e}\u{e0041}\u{200d}👩\\n\"}";
        let visible = visible_json(text);
        assert_eq!(visible, "{\"a\":\"é\\u202e\\udb40\\udc41\\u200d👩\\n\"}");
        let same = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(same(&visible), same(text));
    }

    #[test]
    fn what_cannot_be_seen_is_shown() {
        let shown = |text: &str| {
            written(|html| {
                html.foreign(text);
            })
        };
        let mark = |code: &str| format!("<span class=\"mark\" title=\"invisible character\">{code}</span>");
        assert_eq!(shown("a\u{202E}b"), format!("a{}b", mark("U+202E")));
        assert_eq!(shown("rm\u{200D} x\u{1b}"), format!("rm{} x{}", mark("U+200D"), mark("U+001B")));
        assert_eq!(shown("\u{E0041}"), mark("U+E0041"));
        assert_eq!(shown("one\r\ntwo\tthree"), "one\ntwo\tthree");
        assert_eq!(shown("👩\u{200D}💻"), "👩\u{200D}💻", "a joiner inside an emoji is part of it");
        assert_eq!(one_line("a\u{202E}\nb"), "a[U+202E] b");
    }

    #[test]
    fn a_text_keeps_its_first_line_break_in_a_field() {
        assert_eq!(
            written(|html| html.tag("textarea").value("\n</textarea>")),
            "<textarea>\n\n&lt;/textarea&gt;</textarea>"
        );
    }

    proptest! {
        #[test]
        fn nothing_that_comes_in_becomes_markup(text in "\\PC{0,40}|[<>&\"'/a-z=\\x00-\\x1f ]{0,40}") {
            let out = written(|html| {
                html.tag("p").attr("title", &text).text(&text);
                html.tag("textarea").value(&text);
            });
            let inside = out.strip_prefix("<p title=\"").and_then(|out| out.strip_suffix("</textarea>")).unwrap();
            let (title, rest) = inside.split_once("\">").unwrap();
            let (content, value) = rest.split_once("</p><textarea>\n").unwrap();
            for part in [title, content, value] {
                prop_assert!(!part.contains(['<', '>', '"', '\'', '\0']), "{part}");
            }
            let marked = written(|html| {
                html.foreign(&text);
            });
            let without_marks = marked.replace("<span class=\"mark\" title=\"invisible character\">", "").replace("</span>", "");
            prop_assert!(!without_marks.contains(['<', '>']), "{without_marks}");
        }
    }
}
