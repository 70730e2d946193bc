//! The original's schema, checked as zod 4.3 checks it; `complaint` tells the issues.
//!
//! Zod looks at lengths whatever else is wrong, but at uniqueness only if every type is right.

use std::collections::HashSet;

use super::version::Version;
use crate::domain::json::Json;

/// A question, as the model asked it.
pub(super) struct Asked {
    pub question: String,
    pub header: String,
    pub options: Vec<AskedOption>,
    pub multi_select: bool,
}

/// One of its options.
pub(super) struct AskedOption {
    pub label: String,
    pub description: String,
    pub preview: Option<String>,
}

/// Of each kind no more issues than this are kept: arguments of a megabyte could hold hundreds of thousands.
const KEPT_MAX: usize = 1000;

const MEMBERS: &[&str] = &["questions", "answers", "annotations", "metadata"];

/// What is wrong with the arguments, each kind in the order of the schema.
#[derive(Default)]
pub(super) struct Issues {
    /// Paths of what is missing.
    pub missing: Counted<String>,
    /// Names of what no argument is called.
    pub unexpected: Counted<String>,
    /// What has the wrong type.
    pub wrong_types: Counted<WrongType>,
    /// What has the wrong length.
    pub lengths: Counted<Length>,
    /// Whether a question's text repeats, or a label in a question.
    pub repeats: bool,
}

/// The first ones of a kind.
pub(super) struct Counted<T> {
    /// At most [`KEPT_MAX`].
    pub first: Vec<T>,
    /// How many there are in all.
    pub total: usize,
}

/// A value of the wrong type.
pub(super) struct WrongType {
    pub path: String,
    pub expected: &'static str,
    pub received: &'static str,
}

/// A list of the wrong length: the questions, or the options of one of them.
pub(super) struct Length {
    pub options_of: Option<usize>,
    pub bound: Bound,
}

/// The bound that a list does not keep.
#[derive(Clone, Copy)]
pub(super) enum Bound {
    AtLeast(usize),
    AtMost(usize),
}

/// The questions, if the arguments keep the schema.
///
/// # Errors
/// What is wrong with them.
pub(super) fn check(version: Version, arguments: &Json) -> Result<Vec<Asked>, Box<Issues>> {
    let mut reader = Reader { version, issues: Box::default() };
    let questions = reader.root(arguments);
    let mut issues = reader.issues;
    issues.repeats = !issues.are_of_types() && !are_unique(&questions);
    if issues.lengths.total == 0 && !issues.repeats && !issues.are_of_types() { Ok(questions) } else { Err(issues) }
}

fn are_unique(questions: &[Asked]) -> bool {
    let mut texts = HashSet::new();
    questions.iter().all(|question| {
        let mut labels = HashSet::new();
        texts.insert(&question.question) && question.options.iter().all(|option| labels.insert(&option.label))
    })
}

impl Issues {
    /// Whether anything is missing, unexpected or of the wrong type.
    pub(super) fn are_of_types(&self) -> bool {
        self.missing.total + self.unexpected.total + self.wrong_types.total > 0
    }
}

impl<T> Counted<T> {
    fn add(&mut self, issue: T) {
        self.total += 1;
        if self.first.len() < KEPT_MAX {
            self.first.push(issue);
        }
    }
}

impl<T> Default for Counted<T> {
    fn default() -> Self {
        Self { first: Vec::new(), total: 0 }
    }
}

/// Reads in the order of the schema.
struct Reader {
    version: Version,
    issues: Box<Issues>,
}

impl Reader {
    fn root(&mut self, arguments: &Json) -> Vec<Asked> {
        let Some(members) = self.object(Some(arguments), "") else { return Vec::new() };
        let questions = self.questions(arguments.get("questions"));
        self.texts_by_name(arguments.get("answers"));
        self.annotations(arguments.get("annotations"));
        if let Some(metadata) = self.optional(arguments.get("metadata"), Self::object, "metadata") {
            self.optional(get(metadata, "source"), Self::text, "metadata.source");
        }
        for (name, _) in members.iter().filter(|(name, _)| !MEMBERS.contains(&name.as_str())) {
            self.issues.unexpected.add(name.clone());
        }
        questions
    }

    fn questions(&mut self, value: Option<&Json>) -> Vec<Asked> {
        let Some(items) = self.list(value, "questions") else { return Vec::new() };
        let questions = items.iter().enumerate().filter_map(|(index, item)| self.question(item, index)).collect();
        self.length(items.len(), 1, 4, None);
        questions
    }

    fn question(&mut self, value: &Json, index: usize) -> Option<Asked> {
        let path = format!("questions[{index}]");
        let members = self.object(Some(value), &path)?;
        let question = self.text(get(members, "question"), &format!("{path}.question"));
        let header = self.text(get(members, "header"), &format!("{path}.header"));
        let options = self.options(get(members, "options"), &format!("{path}.options"), index);
        let multi_select = self.optional(get(members, "multiSelect"), Self::truth, &format!("{path}.multiSelect"));
        Some(Asked {
            question: question?.to_owned(),
            header: header?.to_owned(),
            options: options?,
            multi_select: multi_select.unwrap_or(false),
        })
    }

    fn options(&mut self, value: Option<&Json>, path: &str, question: usize) -> Option<Vec<AskedOption>> {
        let items = self.list(value, path)?;
        let options =
            items.iter().enumerate().filter_map(|(index, item)| self.option(item, &format!("{path}[{index}]")));
        let options = options.collect();
        self.length(items.len(), 2, 4, Some(question));
        Some(options)
    }

    fn option(&mut self, value: &Json, path: &str) -> Option<AskedOption> {
        let members = self.object(Some(value), path)?;
        let label = self.text(get(members, "label"), &format!("{path}.label"));
        let description = self.text(get(members, "description"), &format!("{path}.description"));
        let preview = self.optional(get(members, "preview"), Self::text, &format!("{path}.preview"));
        Some(AskedOption {
            label: label?.to_owned(),
            description: description?.to_owned(),
            preview: preview.map(str::to_owned),
        })
    }

    fn texts_by_name(&mut self, answers: Option<&Json>) {
        for (name, value) in self.optional(answers, Self::record, "answers").into_iter().flatten() {
            let is_joined = self.version == Version::V332 && is_list_of_texts(value);
            if !is_joined && !is_passed_over(name) {
                self.text(Some(value), &format!("answers.{name}"));
            }
        }
    }

    fn annotations(&mut self, annotations: Option<&Json>) {
        for (name, value) in self.optional(annotations, Self::record, "annotations").into_iter().flatten() {
            let path = format!("annotations.{name}");
            if !is_passed_over(name)
                && let Some(annotation) = self.object(Some(value), &path)
            {
                self.optional(get(annotation, "preview"), Self::text, &format!("{path}.preview"));
                self.optional(get(annotation, "notes"), Self::text, &format!("{path}.notes"));
            }
        }
    }

    /// Reads a value that may be absent; null is not absent.
    fn optional<'a, T>(
        &mut self,
        value: Option<&'a Json>,
        read: fn(&mut Self, Option<&'a Json>, &str) -> Option<T>,
        path: &str,
    ) -> Option<T> {
        value.and_then(|value| read(self, Some(value), path))
    }

    fn text<'a>(&mut self, value: Option<&'a Json>, path: &str) -> Option<&'a str> {
        match value {
            Some(Json::String(text)) => Some(text),
            other => self.wrong(other, "string", path),
        }
    }

    fn truth(&mut self, value: Option<&Json>, path: &str) -> Option<bool> {
        match value {
            Some(Json::Bool(truth)) => Some(*truth),
            other => self.wrong(other, "boolean", path),
        }
    }

    fn list<'a>(&mut self, value: Option<&'a Json>, path: &str) -> Option<&'a [Json]> {
        match value {
            Some(Json::Array(items)) => Some(items),
            other => self.wrong(other, "array", path),
        }
    }

    fn object<'a>(&mut self, value: Option<&'a Json>, path: &str) -> Option<&'a [(String, Json)]> {
        match value {
            Some(Json::Object(members)) => Some(members),
            other => self.wrong(other, "object", path),
        }
    }

    fn record<'a>(&mut self, value: Option<&'a Json>, path: &str) -> Option<&'a [(String, Json)]> {
        match value {
            Some(Json::Object(members)) => Some(members),
            other => self.wrong(other, "record", path),
        }
    }

    fn wrong<T>(&mut self, value: Option<&Json>, expected: &'static str, path: &str) -> Option<T> {
        let path = path.to_owned();
        match value {
            Some(value) => self.issues.wrong_types.add(WrongType { path, expected, received: type_name(value) }),
            None => self.issues.missing.add(path),
        }
        None
    }

    fn length(&mut self, length: usize, least: usize, most: usize, options_of: Option<usize>) {
        if length < least {
            self.issues.lengths.add(Length { options_of, bound: Bound::AtLeast(least) });
        } else if length > most {
            self.issues.lengths.add(Length { options_of, bound: Bound::AtMost(most) });
        }
    }
}

fn get<'a>(members: &'a [(String, Json)], name: &str) -> Option<&'a Json> {
    members.iter().find(|(key, _)| key == name).map(|(_, value)| value)
}

/// Zod skips this member of a record, because writing it would set the prototype.
fn is_passed_over(name: &str) -> bool {
    name == "__proto__"
}

/// Later versions join such a list to one text.
fn is_list_of_texts(value: &Json) -> bool {
    matches!(value, Json::Array(items) if items.iter().all(|item| matches!(item, Json::String(_))))
}

fn type_name(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "boolean",
        Json::Number(_) => "number",
        Json::String(_) => "string",
        Json::Array(_) => "array",
        Json::Object(_) => "object",
    }
}
