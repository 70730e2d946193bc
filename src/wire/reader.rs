//! Reads one JSON object of a request, member by member, and collects every fault.

use crate::domain::json::{Json, push_pointer};
use crate::domain::limits::TEXT_BYTES_MAX;
use crate::domain::{Faults, JsonText};

/// One object of a request. Null members are absent; members that nobody takes are unknown.
pub struct Reader<'a> {
    members: &'a [(String, Json)],
    pointer: &'a str,
    known: Vec<&'static str>,
    faults: &'a mut Faults,
}

impl<'a> Reader<'a> {
    /// Opens an object; a fault if the value is none or repeats a key.
    pub fn open(value: &'a Json, pointer: &'a str, faults: &'a mut Faults) -> Option<Self> {
        let Json::Object(members) = value else {
            faults.add(pointer, format!("must be an object, not {}", value.kind()));
            return None;
        };
        for (index, (name, _)) in members.iter().enumerate() {
            if members[..index].iter().any(|(earlier, _)| earlier == name) {
                faults.add(below(pointer, name), "this key is repeated");
            }
        }
        Some(Self { members, pointer, known: Vec::new(), faults })
    }

    /// The member as it is; none if absent or null. Counts as known from then on.
    pub fn any(&mut self, name: &'static str) -> Option<&'a Json> {
        self.any_or_null(name).filter(|value| **value != Json::Null)
    }

    /// The member as it is, null too; none if absent. Counts as known from then on.
    pub fn any_or_null(&mut self, name: &'static str) -> Option<&'a Json> {
        self.known.push(name);
        self.members.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// A text without NUL, of at most [`TEXT_BYTES_MAX`] bytes.
    pub fn text(&mut self, name: &'static str) -> Option<String> {
        let text = self.text_with_nul(name)?;
        if text.contains('\0') {
            self.fault(name, "a text has no NUL character");
            return None;
        }
        Some(text)
    }

    /// A text of at most [`TEXT_BYTES_MAX`] bytes that may hold NUL: whether it may is known only later.
    pub fn text_with_nul(&mut self, name: &'static str) -> Option<String> {
        let value = self.any(name)?;
        match value {
            Json::String(text) if text.len() <= TEXT_BYTES_MAX => Some(text.clone()),
            Json::String(_) => {
                self.fault(name, format!("a text has at most {TEXT_BYTES_MAX} bytes"));
                None
            }
            other => self.wrong(name, "a string", other),
        }
    }

    /// True or false.
    pub fn flag(&mut self, name: &'static str) -> Option<bool> {
        match self.any(name)? {
            Json::Bool(flag) => Some(*flag),
            other => self.wrong(name, "true or false", other),
        }
    }

    /// A whole number in plain digits, without sign, point or exponent.
    pub fn whole(&mut self, name: &'static str) -> Option<u64> {
        match self.any(name)? {
            Json::Number(digits) => {
                let number = parse_whole(digits);
                if number.is_none() {
                    self.fault(name, format!("{digits} is not a whole number in plain digits that fits 64 bits"));
                }
                number
            }
            other => self.wrong(name, "a whole number", other),
        }
    }

    /// One of some words.
    pub fn word<T: Copy>(&mut self, name: &'static str, words: &[(&str, T)]) -> Option<T> {
        let text = self.text(name)?;
        let found = words.iter().find(|(word, _)| *word == text);
        if found.is_none() {
            let known: Vec<_> = words.iter().map(|(word, _)| *word).collect();
            self.fault(name, format!("must be one of {}", known.join(", ")));
        }
        found.map(|(_, value)| *value)
    }

    /// A list whose items `read` reads; items that cannot be read are left out, with their faults noted.
    pub fn list<T>(
        &mut self,
        name: &'static str,
        mut read: impl FnMut(&'a Json, &str, &mut Faults) -> Option<T>,
    ) -> Option<Vec<T>> {
        let items = match self.any(name)? {
            Json::Array(items) => items,
            other => return self.wrong(name, "a list", other),
        };
        let list = below(self.pointer, name);
        let read_one = |(index, item)| read(item, &format!("{list}/{index}"), self.faults);
        Some(items.iter().enumerate().filter_map(read_one).collect())
    }

    /// A list of texts without NUL.
    pub fn texts(&mut self, name: &'static str) -> Option<Vec<String>> {
        self.list(name, |item, pointer, faults| match item {
            Json::String(text) if text.contains('\0') => {
                faults.add(pointer, "a text has no NUL character");
                None
            }
            Json::String(text) => Some(text.clone()),
            other => {
                faults.add(pointer, format!("must be a string, not {}", other.kind()));
                None
            }
        })
    }

    /// An object that `read` reads.
    pub fn object<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&'a Json, &str, &mut Faults) -> Option<T>,
    ) -> Option<T> {
        let value = self.any(name)?;
        read(value, &below(self.pointer, name), self.faults)
    }

    /// An object of the sender's own, kept digit for digit; NUL is refused in it.
    pub fn free_object(&mut self, name: &'static str) -> Option<JsonText> {
        let value = self.any(name)?;
        if !matches!(value, Json::Object(_)) {
            return self.wrong(name, "an object", value);
        }
        if value.holds_nul() {
            self.fault(name, "a text has no NUL character");
        }
        Some(JsonText::of(value))
    }

    /// Refuses a member of the contract that is not built yet.
    pub fn not_yet(&mut self, name: &'static str) {
        if self.any(name).is_some() {
            self.faults.add_unsupported(below(self.pointer, name), format!("{name} is not built yet"));
        }
    }

    /// Notes that a member is wrong.
    pub fn fault(&mut self, name: &str, detail: impl Into<String>) {
        self.faults.add(below(self.pointer, name), detail);
    }

    /// Refuses whatever nobody asked for.
    pub fn finish(self) {
        for (name, _) in self.members {
            if !self.known.iter().any(|known| known == name) {
                let detail = format!("unknown key; known here: {}", self.known.join(", "));
                self.faults.add(below(self.pointer, name), detail);
            }
        }
    }

    fn wrong<T>(&mut self, name: &str, wanted: &str, found: &Json) -> Option<T> {
        self.fault(name, format!("must be {wanted}, not {}", found.kind()));
        None
    }
}

/// A whole number in plain digits: `1.0`, `1e3`, `+1`, `-0` and `007` are none.
pub fn parse_whole(digits: &str) -> Option<u64> {
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && (digits.len() == 1 || !digits.starts_with('0'));
    if is_plain { digits.parse().ok() } else { None }
}

fn below(pointer: &str, name: &str) -> String {
    let mut below = pointer.to_owned();
    push_pointer(&mut below, name);
    below
}
