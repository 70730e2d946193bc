//! JSON as it was sent: members in order, repeated keys kept, numbers as their digits.
//!
//! `serde_json::Value` turns 18446744073709551617 into 1.8446744073709552e19 and lets the last of two equal keys win
//! in silence. A broker that hands on other people's data may do neither, and must be able to say where a fault is.

use std::fmt::Write as _;

/// A JSON value, as it was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as its digits.
    Number(String),
    /// A text, unescaped.
    String(String),
    /// An array.
    Array(Vec<Json>),
    /// An object: members in the order sent, repeated ones too.
    Object(Vec<(String, Json)>),
}

/// Why a text is not JSON that askhub takes (RFC 8259), and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason} at byte {offset}")]
pub struct JsonError {
    /// What is wrong.
    pub reason: &'static str,
    /// Bytes before the fault.
    pub offset: usize,
    /// JSON pointer (RFC 6901) of the value in which the fault is.
    pub pointer: String,
    /// Whether the text is well-formed so far but nests too deeply.
    pub too_deep: bool,
}

impl Json {
    /// Reads one JSON text whose arrays and objects nest at most `nesting` deep.
    ///
    /// # Errors
    /// Anything that RFC 8259 does not allow, half of a surrogate pair, and too deep nesting.
    pub fn parse(text: &str, nesting: usize) -> Result<Self, JsonError> {
        let mut parser = Parser { text, bytes: text.as_bytes(), at: 0, path: Vec::new(), nesting };
        parser.skip_blanks();
        let value = parser.value()?;
        parser.skip_blanks();
        if parser.at < parser.bytes.len() {
            return Err(parser.fault("unexpected text after the JSON value"));
        }
        Ok(value)
    }

    /// The member of that name, if this is an object that has it; the last one if it is repeated.
    pub fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The member of that name, if it is a text.
    pub fn string(&self, name: &str) -> Option<&str> {
        match self.get(name) {
            Some(Self::String(text)) => Some(text),
            _ => None,
        }
    }

    /// The items of the member of that name; none if it is no array.
    pub fn items(&self, name: &str) -> &[Self] {
        match self.get(name) {
            Some(Self::Array(items)) => items,
            _ => &[],
        }
    }

    /// What kind of value it is, with its article, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::Array(_) => "an array",
            Self::Object(_) => "an object",
        }
    }

    /// Whether a text in it, or a key, has the character NUL.
    pub fn holds_nul(&self) -> bool {
        match self {
            Self::String(text) => text.contains('\0'),
            Self::Array(items) => items.iter().any(Self::holds_nul),
            Self::Object(members) => members.iter().any(|(key, value)| key.contains('\0') || value.holds_nul()),
            Self::Null | Self::Bool(_) | Self::Number(_) => false,
        }
    }

    /// The value as compact JSON text, members in their order.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    /// The value in the one form that equal asks share: keys sorted by bytes, null members dropped, digits kept.
    pub fn to_canonical_text(&self) -> String {
        let mut out = String::new();
        self.write_canonical(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Array(items) => write_list(out, '[', ']', items, |out, item| item.write(out)),
            Self::Object(members) => write_list(out, '{', '}', members, |out, (key, value)| {
                write_string(out, key);
                out.push(':');
                value.write(out);
            }),
            scalar => scalar.write_scalar(out),
        }
    }

    fn write_canonical(&self, out: &mut String) {
        match self {
            Self::Array(items) => write_list(out, '[', ']', items, |out, item| item.write_canonical(out)),
            Self::Object(members) => {
                let mut sorted: Vec<_> = members.iter().filter(|(_, value)| *value != Self::Null).collect();
                sorted.sort_by(|a, b| a.0.cmp(&b.0));
                write_list(out, '{', '}', sorted, |out, (key, value)| {
                    write_string(out, key);
                    out.push(':');
                    value.write_canonical(out);
                });
            }
            scalar => scalar.write_scalar(out),
        }
    }

    fn write_scalar(&self, out: &mut String) {
        match self {
            Self::Bool(true) => out.push_str("true"),
            Self::Bool(false) => out.push_str("false"),
            Self::Number(digits) => out.push_str(digits),
            Self::String(text) => write_string(out, text),
            Self::Null | Self::Array(_) | Self::Object(_) => out.push_str("null"),
        }
    }
}

fn write_list<T>(
    out: &mut String,
    open: char,
    close: char,
    items: impl IntoIterator<Item = T>,
    each: impl Fn(&mut String, T),
) {
    out.push(open);
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        each(out, item);
    }
    out.push(close);
}

/// Writes a text as a JSON string, with the escapes that `JSON.stringify` uses.
pub fn write_string(out: &mut String, text: &str) {
    out.push('"');
    text.chars().for_each(|character| write_character(out, character));
    out.push('"');
}

/// Writes one character of a JSON string, escaped as [`write_string`] does.
pub fn write_character(out: &mut String, character: char) {
    match character {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        control if control < ' ' => {
            let _ = write!(out, "\\u{:04x}", u32::from(control));
        }
        other => out.push(other),
    }
}

/// Appends one step to a JSON pointer, escaped as RFC 6901 wants it.
pub fn push_pointer(pointer: &mut String, step: &str) {
    pointer.push('/');
    for character in step.chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    path: Vec<String>,
    nesting: usize,
}

type Parsed<T> = Result<T, JsonError>;

impl Parser<'_> {
    fn value(&mut self) -> Parsed<Json> {
        match self.bytes.get(self.at) {
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b'"') => self.string().map(Json::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            Some(_) => Err(self.fault("unexpected character")),
            None => Err(self.fault("the JSON text ends too early")),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Parsed<Json>) -> Parsed<Json> {
        if self.path.len() >= self.nesting {
            return Err(JsonError { too_deep: true, ..self.fault("arrays and objects nest too deeply") });
        }
        self.at += 1;
        read(self)
    }

    fn object(&mut self) -> Parsed<Json> {
        let mut members = Vec::new();
        self.skip_blanks();
        if self.take(b'}') {
            return Ok(Json::Object(members));
        }
        loop {
            self.skip_blanks();
            if self.bytes.get(self.at) != Some(&b'"') {
                return Err(self.fault("a member's name in quotes is missing"));
            }
            let name = self.string()?;
            self.skip_blanks();
            if !self.take(b':') {
                return Err(self.fault("a colon is missing after a member's name"));
            }
            self.skip_blanks();
            self.path.push(name);
            let value = self.value()?;
            let name = self.path.pop().unwrap_or_default();
            members.push((name, value));
            self.skip_blanks();
            if self.take(b'}') {
                return Ok(Json::Object(members));
            }
            if !self.take(b',') {
                return Err(self.fault("a comma or the end of the object is missing"));
            }
        }
    }

    fn array(&mut self) -> Parsed<Json> {
        let mut items = Vec::new();
        self.skip_blanks();
        if self.take(b']') {
            return Ok(Json::Array(items));
        }
        loop {
            self.skip_blanks();
            self.path.push(items.len().to_string());
            items.push(self.value()?);
            self.path.pop();
            self.skip_blanks();
            if self.take(b']') {
                return Ok(Json::Array(items));
            }
            if !self.take(b',') {
                return Err(self.fault("a comma or the end of the array is missing"));
            }
        }
    }

    fn word(&mut self, word: &str, value: Json) -> Parsed<Json> {
        if !self.bytes[self.at..].starts_with(word.as_bytes()) {
            return Err(self.fault("unexpected character"));
        }
        self.at += word.len();
        Ok(value)
    }

    fn number(&mut self) -> Parsed<Json> {
        let start = self.at;
        self.take(b'-');
        if !self.take(b'0') && self.digits() == 0 {
            return Err(self.fault("a number lacks digits"));
        }
        if self.take(b'.') && self.digits() == 0 {
            return Err(self.fault("a number lacks digits after the point"));
        }
        if self.take(b'e') || self.take(b'E') {
            if !self.take(b'+') {
                self.take(b'-');
            }
            if self.digits() == 0 {
                return Err(self.fault("a number lacks digits in its exponent"));
            }
        }
        Ok(Json::Number(self.text[start..self.at].to_owned()))
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        self.at - start
    }

    fn string(&mut self) -> Parsed<String> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let start = self.at;
            while self.bytes.get(self.at).is_some_and(|byte| *byte >= b' ' && *byte != b'"' && *byte != b'\\') {
                self.at += 1;
            }
            text.push_str(&self.text[start..self.at]);
            match self.bytes.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => text.push(self.escape()?),
                Some(_) => return Err(self.fault("a control character stands unescaped in a string")),
                None => return Err(self.fault("a string does not end")),
            }
        }
    }

    fn escape(&mut self) -> Parsed<char> {
        let escaped = self.bytes.get(self.at + 1).copied();
        let simple = match escaped {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(),
            _ => return Err(self.fault("unknown escape in a string")),
        };
        self.at += 2;
        Ok(simple)
    }

    fn unicode_escape(&mut self) -> Parsed<char> {
        let lone = "half of a surrogate pair in a string";
        let first = self.hex()?;
        if let Some(character) = char::from_u32(first) {
            return Ok(character);
        }
        let is_high = (0xD800..0xDC00).contains(&first);
        if !is_high || !self.bytes[self.at..].starts_with(b"\\u") {
            return Err(self.fault(lone));
        }
        let second = self.hex()?;
        if !(0xDC00..0xE000).contains(&second) {
            return Err(self.fault(lone));
        }
        char::from_u32(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)).ok_or_else(|| self.fault(lone))
    }

    /// Reads `\uXXXX`, of which the cursor stands on the backslash.
    fn hex(&mut self) -> Parsed<u32> {
        let digits = self.bytes.get(self.at + 2..self.at + 6).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let code =
            digits.and_then(|digits| std::str::from_utf8(digits).ok()).and_then(|d| u32::from_str_radix(d, 16).ok());
        let code = code.ok_or_else(|| self.fault("an escape lacks its four hexadecimal digits"))?;
        self.at += 6;
        Ok(code)
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.bytes.get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }

    fn skip_blanks(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn fault(&self, reason: &'static str) -> JsonError {
        let mut pointer = String::new();
        for step in &self.path {
            push_pointer(&mut pointer, step);
        }
        JsonError { reason, offset: self.at, pointer, too_deep: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(text: &str) -> Result<Json, JsonError> {
        Json::parse(text, 64)
    }

    #[test]
    fn digits_order_and_repeats_are_kept() {
        let text = r#"{"b":18446744073709551617,"a":1e400,"a":[-0.0,true,null]}"#;
        assert_eq!(parse(text).unwrap().to_text(), text);
    }

    #[test]
    fn the_canonical_text_forgets_order_and_nulls_but_no_digit() {
        let one = parse(r#"{"b": 1.0, "a": {"z": null, "y": "é"}}"#).unwrap();
        let other = parse(r#"{"a":{"y":"\u00e9"},"c":null,"b":1.0}"#).unwrap();
        assert_eq!(one.to_canonical_text(), other.to_canonical_text());
        assert_ne!(parse("1.0").unwrap().to_canonical_text(), parse("1").unwrap().to_canonical_text());
    }

    #[test]
    fn a_fault_says_where_it_is() {
        let fault = parse(r#"{"questions":[{"id":"a/b","x~y":nul}]}"#).unwrap_err();
        assert_eq!(fault.pointer, "/questions/0/x~0y");
        assert_eq!(fault.offset, 32);
    }

    #[test]
    fn what_is_not_json_is_refused() {
        for text in [
            "",
            " ",
            "{",
            "[1,]",
            "{\"a\":1,}",
            "01",
            "1.",
            "1e",
            "+1",
            "nan",
            "\"\u{1}\"",
            "\"\\ud800\"",
            "\"\\udc00\\ud800\"",
            "\"\\ud800\\u0041\"",
            "\"\\u12g4\"",
            "\"\\x\"",
            "{} {}",
            "'a'",
            "{a:1}",
            "\u{feff}{}",
        ] {
            assert!(parse(text).is_err(), "{text:?} was taken");
        }
    }

    #[test]
    fn nesting_has_a_limit() {
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(parse(&deep(64)).is_ok());
        assert!(parse(&deep(65)).unwrap_err().too_deep);
    }

    proptest! {
        #[test]
        fn any_text_survives_being_written_and_read(text: String) {
            let mut json = String::new();
            write_string(&mut json, &text);
            prop_assert_eq!(parse(&json).unwrap(), Json::String(text.clone()));
            prop_assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        }

        #[test]
        fn no_text_makes_the_parser_panic_and_it_takes_what_serde_takes(text in r#"[\[\]{}",:0-9eE+\-.\\u truefalsn]{0,40}"#) {
            let ours = parse(&text).is_ok();
            let theirs = serde_json::from_str::<&serde_json::value::RawValue>(&text).is_ok();
            // serde's raw value does not look into escapes; all else must agree.
            prop_assert!(ours == theirs || (theirs && text.contains("\\u")), "{:?}: {} {}", text, ours, theirs);
        }
    }
}
