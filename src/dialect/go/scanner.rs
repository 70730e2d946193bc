//! The grammar of JSON with the complaints of Go's `encoding/json`, byte by byte.

use super::Unread;
use crate::domain::limits::NESTING_MAX;

/// Walks over JSON values and says what is wrong with them; reading them is left to others.
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Scanner<'a> {
    /// At the beginning of a text.
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, depth: 0 }
    }

    /// Whether nothing but blanks is left.
    pub(super) fn is_at_end(&mut self) -> bool {
        self.skip_blanks();
        self.at >= self.text.len()
    }

    /// What Go says if nothing more was wanted.
    pub(super) fn fault_of_more(&mut self) -> Unread {
        self.skip_blanks();
        self.fault("after top-level value")
    }

    /// Walks over one value: its text.
    pub(super) fn value(&mut self) -> Result<&'a str, Unread> {
        self.skip_to("looking for beginning of value", |byte| b"{[\"-0123456789tfn".contains(&byte))?;
        let start = self.at;
        match self.byte() {
            b'{' => self.nested(Self::object)?,
            b'[' => self.nested(Self::array)?,
            b'"' => self.string()?,
            b't' => self.word("true")?,
            b'f' => self.word("false")?,
            b'n' => self.word("null")?,
            _ => self.number()?,
        }
        Ok(&self.text[start..self.at])
    }

    fn nested(&mut self, walk: fn(&mut Self) -> Result<(), Unread>) -> Result<(), Unread> {
        if self.depth >= NESTING_MAX {
            return Err(Unread::TooDeep);
        }
        self.depth += 1;
        self.at += 1;
        walk(self)?;
        self.depth -= 1;
        Ok(())
    }

    fn object(&mut self) -> Result<(), Unread> {
        if self.takes_end(b'}') {
            return Ok(());
        }
        loop {
            self.skip_to("looking for beginning of object key string", |byte| byte == b'"')?;
            self.string()?;
            self.skip_to("after object key", |byte| byte == b':')?;
            self.at += 1;
            self.value()?;
            self.skip_to("after object key:value pair", |byte| b",}".contains(&byte))?;
            self.at += 1;
            if self.text.as_bytes()[self.at - 1] == b'}' {
                return Ok(());
            }
        }
    }

    fn array(&mut self) -> Result<(), Unread> {
        if self.takes_end(b']') {
            return Ok(());
        }
        loop {
            self.value()?;
            self.skip_to("after array element", |byte| b",]".contains(&byte))?;
            self.at += 1;
            if self.text.as_bytes()[self.at - 1] == b']' {
                return Ok(());
            }
        }
    }

    fn takes_end(&mut self, end: u8) -> bool {
        self.skip_blanks();
        let is_empty = self.byte() == end;
        self.at += usize::from(is_empty);
        is_empty
    }

    fn word(&mut self, word: &str) -> Result<(), Unread> {
        for expected in word.chars() {
            let context = format!("in literal {word} (expecting '{expected}')");
            self.step(&context, |byte| char::from(byte) == expected)?;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<(), Unread> {
        if self.byte() == b'-' {
            self.at += 1;
        }
        let is_zero = self.byte() == b'0';
        self.step("in numeric literal", |byte| byte.is_ascii_digit())?;
        if !is_zero {
            self.skip_digits();
        }
        if self.byte() == b'.' {
            self.at += 1;
            self.step("after decimal point in numeric literal", |byte| byte.is_ascii_digit())?;
            self.skip_digits();
        }
        if b"eE".contains(&self.byte()) {
            self.at += 1;
            if b"+-".contains(&self.byte()) {
                self.at += 1;
            }
            self.step("in exponent of numeric literal", |byte| byte.is_ascii_digit())?;
            self.skip_digits();
        }
        Ok(())
    }

    fn string(&mut self) -> Result<(), Unread> {
        self.at += 1;
        while self.at < self.text.len() {
            let byte = self.byte();
            self.step("in string literal", |byte| byte >= b' ')?;
            match byte {
                b'"' => return Ok(()),
                b'\\' => self.escape()?,
                _ => {}
            }
        }
        Err(ends_too_early())
    }

    fn escape(&mut self) -> Result<(), Unread> {
        let is_unicode = self.byte() == b'u';
        self.step("in string escape code", |byte| b"bfnrt\\/\"u".contains(&byte))?;
        for _ in 0..if is_unicode { 4 } else { 0 } {
            self.step("in \\u hexadecimal character escape", |byte| byte.is_ascii_hexdigit())?;
        }
        Ok(())
    }

    /// Goes on to the next byte that is no blank, which must fit.
    fn skip_to(&mut self, context: &str, fits: impl Fn(u8) -> bool) -> Result<(), Unread> {
        self.skip_blanks();
        match self.text.as_bytes().get(self.at) {
            None => Err(ends_too_early()),
            Some(byte) if fits(*byte) => Ok(()),
            Some(_) => Err(self.fault(context)),
        }
    }

    /// Goes over one byte, which must fit.
    fn step(&mut self, context: &str, fits: impl Fn(u8) -> bool) -> Result<(), Unread> {
        if !fits(self.byte()) {
            return Err(self.fault(context));
        }
        self.at += 1;
        Ok(())
    }

    fn skip_blanks(&mut self) {
        while self.at < self.text.len() && b" \t\r\n".contains(&self.byte()) {
            self.at += 1;
        }
    }

    fn skip_digits(&mut self) {
        while self.byte().is_ascii_digit() {
            self.at += 1;
        }
    }

    /// The byte under the cursor. Beyond the end there is a blank: with one Go finds out whether a text may end here.
    fn byte(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(b' ')
    }

    fn fault(&self, context: &str) -> Unread {
        Unread::Refused(format!("invalid character {} {context}", quoted(self.byte())))
    }
}

fn ends_too_early() -> Unread {
    Unread::Refused("unexpected end of JSON input".to_owned())
}

/// One byte in quotes. Go takes it for a character of its own, so the first byte of `é` is shown as `Ã`.
fn quoted(byte: u8) -> String {
    let shown = match byte {
        b'\'' => "\\'".to_owned(),
        b'\\' => "\\\\".to_owned(),
        0x07 => "\\a".to_owned(),
        0x08 => "\\b".to_owned(),
        0x0c => "\\f".to_owned(),
        b'\n' => "\\n".to_owned(),
        b'\r' => "\\r".to_owned(),
        b'\t' => "\\t".to_owned(),
        0x0b => "\\v".to_owned(),
        0..0x20 | 0x7f => format!("\\x{byte:02x}"),
        0x80..=0xa0 | 0xad => format!("\\u{byte:04x}"),
        printable => char::from(printable).to_string(),
    };
    format!("'{shown}'")
}
