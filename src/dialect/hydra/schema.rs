//! The check of the arguments against the original's schema, with its words. Types only: no text is too blank or too long,
//! no list too short, and members that it does not name pass.

use crate::domain::json::Json;

/// More than this helps no model, and the original has no limit.
const VIOLATIONS_MAX: usize = 1000;

/// A question, of the right types.
#[derive(Debug, Default)]
pub(super) struct Asked {
    pub(super) question: String,
    pub(super) header: Option<String>,
    pub(super) options: Vec<AskedOption>,
    pub(super) multi_select: bool,
}

/// An option's label and description, and a preview: the original's front end is given whatever else an option has, and
/// ours can show that much of it.
type AskedOption = ((String, Option<String>), Option<String>);

/// Whether a number is written that JavaScript cannot write again: one too large for a double, or a negative zero.
pub(super) fn is_lossless(value: &Json) -> bool {
    match value {
        Json::Number(digits) => {
            let number: f64 = digits.parse().unwrap_or(f64::NAN);
            number.is_finite() && !(number == 0.0 && number.is_sign_negative())
        }
        Json::Array(items) => items.iter().all(is_lossless),
        Json::Object(members) => members.iter().all(|(_, value)| is_lossless(value)),
        _ => true,
    }
}

/// The questions, or everything that is wrong, in the original's order.
pub(super) fn check(arguments: &Json) -> Result<Vec<Asked>, Vec<String>> {
    let mut check = Check::default();
    let mut questions = Vec::new();
    if check.object(arguments, "arguments") {
        check.require(arguments, "", &["questions"]);
        questions = check.list(arguments, "", "questions", Check::question);
    }
    if check.violations.is_empty() { Ok(questions) } else { Err(check.violations) }
}

#[derive(Default)]
struct Check {
    violations: Vec<String>,
}

impl Check {
    fn question(&mut self, path: &str, item: &Json) -> Asked {
        if !self.object(item, path) {
            return Asked::default();
        }
        self.require(item, path, &["id", "question"]);
        self.text(item, path, "id");
        Asked {
            question: self.text(item, path, "question").unwrap_or_default(),
            header: self.text(item, path, "header"),
            options: self.list(item, path, "options", Self::option),
            multi_select: self.flag(item, path, "multi_select"),
        }
    }

    fn option(&mut self, path: &str, item: &Json) -> AskedOption {
        if !self.object(item, path) {
            return AskedOption::default();
        }
        self.require(item, path, &["label"]);
        let label = self.text(item, path, "label").unwrap_or_default();
        ((label, self.text(item, path, "description")), item.string("preview").map(str::to_owned))
    }

    fn require(&mut self, object: &Json, path: &str, names: &[&str]) {
        for name in names.iter().filter(|name| object.get(name).is_none()) {
            self.note(format!("missing required property \"{}\"", member(path, name)));
        }
    }

    fn object(&mut self, value: &Json, path: &str) -> bool {
        let is_object = matches!(value, Json::Object(_));
        if !is_object {
            self.note(format!("\"{path}\" must be an object"));
        }
        is_object
    }

    fn list<T>(&mut self, object: &Json, path: &str, name: &str, read: fn(&mut Self, &str, &Json) -> T) -> Vec<T> {
        let path = member(path, name);
        match object.get(name) {
            None => Vec::new(),
            Some(Json::Array(items)) => {
                items.iter().enumerate().map(|(index, item)| read(self, &format!("{path}[{index}]"), item)).collect()
            }
            Some(_) => {
                self.note(format!("\"{path}\" must be an array"));
                Vec::new()
            }
        }
    }

    fn text(&mut self, object: &Json, path: &str, name: &str) -> Option<String> {
        let value = object.get(name);
        if value.is_some_and(|value| !matches!(value, Json::String(_))) {
            self.note(format!("\"{}\" must be a string", member(path, name)));
        }
        object.string(name).map(str::to_owned)
    }

    fn flag(&mut self, object: &Json, path: &str, name: &str) -> bool {
        match object.get(name) {
            None => false,
            Some(Json::Bool(flag)) => *flag,
            Some(_) => {
                self.note(format!("\"{}\" must be a boolean", member(path, name)));
                false
            }
        }
    }

    fn note(&mut self, violation: String) {
        if self.violations.len() < VIOLATIONS_MAX {
            self.violations.push(violation);
        }
    }
}

fn member(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}
