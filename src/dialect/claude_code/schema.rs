//! The original's schema, checked as zod 4.3 checks it, and told as Claude Code tells it.
//!
//! If anything is missing, unexpected or of the wrong type, only that is told, in this order. Else the model gets zod's
//! own list of issues as indented JSON. Zod looks at lengths whatever else is wrong, but at uniqueness only if every
//! type is right: so a text can name wrong lengths and uniqueness together.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::TOOL;
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

/// More issues than this are not told: arguments of a megabyte could hold hundreds of thousands.
const ISSUES_MAX: usize = 1000;

const MEMBERS: &[&str] = &["questions", "answers", "annotations", "metadata"];

enum Issue {
    Missing(String),
    Unexpected(String),
    WrongType { path: String, expected: &'static str, received: &'static str },
    TooSmall { at: ListPlace, minimum: usize },
    TooBig { at: ListPlace, maximum: usize },
    NotUnique,
}

/// Which list has the wrong length: the questions, or the options of one of them.
#[derive(Clone, Copy)]
enum ListPlace {
    Questions,
    OptionsOf(usize),
}

/// The questions, if the arguments keep the schema.
///
/// # Errors
/// What the model is told.
pub(super) fn check(arguments: &Json) -> Result<Vec<Asked>, String> {
    let mut reader = Reader { issues: Vec::new() };
    let questions = reader.root(arguments);
    if reader.issues.iter().all(Issue::is_about_length) && !are_unique(&questions) {
        reader.note(Issue::NotUnique);
    }
    if reader.issues.is_empty() { Ok(questions) } else { Err(tell(&reader.issues)) }
}

fn are_unique(questions: &[Asked]) -> bool {
    let mut texts = HashSet::new();
    questions.iter().all(|question| {
        let mut labels = HashSet::new();
        texts.insert(&question.question) && question.options.iter().all(|option| labels.insert(&option.label))
    })
}

impl Issue {
    fn is_about_length(&self) -> bool {
        matches!(self, Self::TooSmall { .. } | Self::TooBig { .. })
    }
}

/// Reads in the order of the schema, which is the order of the issues.
struct Reader {
    issues: Vec<Issue>,
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
            self.note(Issue::Unexpected(name.clone()));
        }
        questions
    }

    fn questions(&mut self, value: Option<&Json>) -> Vec<Asked> {
        let Some(items) = self.list(value, "questions") else { return Vec::new() };
        let questions = items.iter().enumerate().filter_map(|(index, item)| self.question(item, index)).collect();
        self.length(items.len(), 1, 4, ListPlace::Questions);
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
        self.length(items.len(), 2, 4, ListPlace::OptionsOf(question));
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
            if !is_passed_over(name) {
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
        self.note(match value {
            Some(value) => Issue::WrongType { path, expected, received: type_name(value) },
            None => Issue::Missing(path),
        });
        None
    }

    fn length(&mut self, length: usize, minimum: usize, maximum: usize, at: ListPlace) {
        if length < minimum {
            self.note(Issue::TooSmall { at, minimum });
        } else if length > maximum {
            self.note(Issue::TooBig { at, maximum });
        }
    }

    fn note(&mut self, issue: Issue) {
        if self.issues.len() < ISSUES_MAX {
            self.issues.push(issue);
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

fn tell(issues: &[Issue]) -> String {
    let mut lines: Vec<(u8, String)> = issues.iter().filter_map(line).collect();
    if lines.is_empty() {
        return tell_as_zod(issues);
    }
    lines.sort_by_key(|(rank, _)| *rank);
    let word = if lines.len() > 1 { "issues" } else { "issue" };
    let lines: Vec<String> = lines.into_iter().map(|(_, line)| line).collect();
    format!("{TOOL} failed due to the following {word}:\n{}", lines.join("\n"))
}

/// Claude Code's own line about an issue, with its rank; none for those that it leaves to zod.
fn line(issue: &Issue) -> Option<(u8, String)> {
    match issue {
        Issue::Missing(path) => Some((0, format!("The required parameter `{path}` is missing"))),
        Issue::Unexpected(name) => Some((1, format!("An unexpected parameter `{name}` was provided"))),
        Issue::WrongType { path, expected, received } => {
            Some((2, format!("The parameter `{path}` type is expected as `{expected}` but provided as `{received}`")))
        }
        Issue::TooSmall { .. } | Issue::TooBig { .. } | Issue::NotUnique => None,
    }
}

/// The issues as `JSON.stringify(issues, null, 2)` writes them.
fn tell_as_zod(issues: &[Issue]) -> String {
    let items: Vec<String> = issues.iter().map(zod_issue).collect();
    format!("[\n{}\n]", items.join(",\n"))
}

fn zod_issue(issue: &Issue) -> String {
    match issue {
        Issue::TooSmall { at, minimum } => {
            let message = format!("Too small: expected array to have >={minimum} items");
            zod_length_issue("too_small", "minimum", *minimum, *at, &message)
        }
        Issue::TooBig { at, maximum } => {
            let message = format!("Too big: expected array to have <={maximum} items");
            zod_length_issue("too_big", "maximum", *maximum, *at, &message)
        }
        _ => concat!(
            "  {\n    \"code\": \"custom\",\n    \"path\": [],\n    \"message\": ",
            "\"Question texts must be unique, option labels must be unique within each question\"\n  }"
        )
        .to_owned(),
    }
}

fn zod_length_issue(code: &str, bound_name: &str, bound: usize, at: ListPlace, message: &str) -> String {
    let mut path = "\n      \"questions\"".to_owned();
    if let ListPlace::OptionsOf(question) = at {
        let _ = write!(path, ",\n      {question},\n      \"options\"");
    }
    format!(
        "  {{\n    \"origin\": \"array\",\n    \"code\": \"{code}\",\n    \"{bound_name}\": {bound},\n    \
         \"inclusive\": true,\n    \"path\": [{path}\n    ],\n    \"message\": \"{message}\"\n  }}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint(arguments: &str) -> String {
        let arguments = Json::parse(arguments, 64).unwrap();
        check(&arguments).err().unwrap_or_default()
    }

    fn option(label: &str) -> String {
        format!(r#"{{"label":"{label}","description":"d"}}"#)
    }

    fn question(text: &str, labels: &[&str]) -> String {
        let options: Vec<String> = labels.iter().map(|label| option(label)).collect();
        format!(r#"{{"question":"{text}","header":"h","options":[{}]}}"#, options.join(","))
    }

    fn arguments(questions: &[String], more: &str) -> String {
        format!(r#"{{"questions":[{}]{more}}}"#, questions.join(","))
    }

    /// Code and path of each issue that zod lists.
    fn zod_issues(complaint: &str) -> Vec<(String, String)> {
        let Json::Array(issues) = Json::parse(complaint, 64).unwrap() else { panic!("{complaint} is no list") };
        let member = |issue: &Json, name| issue.get(name).map(Json::to_text).unwrap_or_default();
        issues.iter().map(|issue| (member(issue, "code"), member(issue, "path"))).collect()
    }

    // What zod 4.3.6 says of the same schema stands in these tests.

    #[test]
    fn wrong_lengths_are_told_from_the_inside_out_with_uniqueness_last() {
        let all = [question("a", &["x"]), question("b", &["1", "2", "3", "4", "5"]), question("a", &["x", "y"])];
        let pair = |code: &str, path: &str| (format!("\"{code}\""), path.to_owned());
        let expected = [
            pair("too_small", r#"["questions",0,"options"]"#),
            pair("too_big", r#"["questions",1,"options"]"#),
            pair("custom", "[]"),
        ];
        assert_eq!(zod_issues(&complaint(&arguments(&all, ""))), expected);
        let five: Vec<String> = ["a", "b", "c", "d", "e"].iter().map(|text| question(text, &["x", "y"])).collect();
        assert_eq!(zod_issues(&complaint(&arguments(&five, ""))), [pair("too_big", r#"["questions"]"#)]);
    }

    #[test]
    fn a_type_issue_hides_lengths_and_uniqueness() {
        let twice = [question("a", &["x", "x"]), question("a", &["x"])];
        let text = complaint(&arguments(&twice, r#","zz":1"#));
        assert_eq!(
            text,
            "AskUserQuestion failed due to the following issue:\nAn unexpected parameter `zz` was provided"
        );
    }

    #[test]
    fn arguments_that_are_no_object_have_an_empty_path() {
        for (arguments, name) in
            [("[]", "array"), ("null", "null"), ("\"x\"", "string"), ("1", "number"), ("true", "boolean")]
        {
            let expected = format!("The parameter `` type is expected as `object` but provided as `{name}`");
            assert!(complaint(arguments).ends_with(&expected), "{}", complaint(arguments));
        }
    }

    #[test]
    fn records_are_checked_to_the_last_member_but_for_the_prototype() {
        let more =
            r#","answers":{"__proto__":1,"b":2},"annotations":{"a":null,"c":{"preview":1,"notes":2},"__proto__":3}"#;
        let lines = [
            "AskUserQuestion failed due to the following issues:",
            "The parameter `answers.b` type is expected as `string` but provided as `number`",
            "The parameter `annotations.a` type is expected as `object` but provided as `null`",
            "The parameter `annotations.c.preview` type is expected as `string` but provided as `number`",
            "The parameter `annotations.c.notes` type is expected as `string` but provided as `number`",
        ];
        assert_eq!(complaint(&arguments(&[question("a", &["x", "y"])], more)), lines.join("\n"));
    }

    #[test]
    fn a_megabyte_of_issues_is_cut() {
        let many = vec!["0".to_owned(); 100_000];
        assert_eq!(complaint(&arguments(&many, "")).lines().count(), ISSUES_MAX + 1);
    }
}
