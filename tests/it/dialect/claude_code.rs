//! The vectors of claude-code: answers also in the tool's own form, and what its hosts do.

use askhub::dialect::claude_code::{Annotation, render_record};
use askhub::domain::GivenAnswer;
use askhub::domain::json::Json;

use super::cases::{Case, Ending, NESTING};
use super::pure::same;
use super::vectors::{Seen, Vectors};

/// `claude-code.json`.
pub struct ClaudeCode;

/// Answers in the form of claude-code.
pub struct Record {
    pub answers: Vec<(String, String)>,
    pub annotations: Vec<(String, Annotation)>,
}

impl Vectors for ClaudeCode {
    fn file(&self) -> &'static str {
        "claude-code"
    }

    fn count(&self) -> usize {
        161
    }

    fn context(&self, case: &Case) -> Json {
        let format = preview_format(case);
        Json::Object(format.into_iter().map(|format| ("preview_format".to_owned(), format)).collect())
    }

    fn ending(&self, case: &Case) -> Ending {
        let outcome = case.text("outcome").unwrap_or_default();
        let result = case.result();
        let declined = |clarify, answers| Ending::Declined { clarify, reason: None, reply: None, answers };
        match (outcome.as_str(), result.as_deref()) {
            ("declined", _) => return declined(false, Vec::new()),
            ("replied_in_chat", _) => return declined(true, typed_before(case)),
            ("allowed_without_updated_input", _) => return answered(Vec::new()),
            (_, None) => return Ending::Pending,
            (_, Some("Answer questions?")) => return Ending::Unattended { declared: Vec::new() },
            _ => {}
        }
        if let Some(answers) = case.given("answers") {
            return answered(answers);
        }
        let record = record(case).filter(|_| !case.has("host"));
        record.and_then(|record| answers_of(case, &record)).map_or(Ending::Own, answered)
    }

    fn check(&self, case: &Case, seen: &Seen<'_>) -> Result<(), String> {
        if let (Some(record), Some(result)) = (record(case), case.result()) {
            same("render_record", &render_record(&record.answers, &record.annotations), &result)?;
        }
        let normalized = case.json("normalized").and_then(|input| Some(texts(input.get("questions")?)));
        let asked: Vec<String> = seen.questions.iter().map(|question| question.question.clone()).collect();
        same("the questions' texts", &asked, &normalized.unwrap_or_else(|| asked.clone()))?;
        let structured = seen.rendered.and_then(|rendered| rendered.tool_result.as_ref()?.structured.as_deref());
        match self.ending(case) {
            Ending::Answers { .. } => same_input(case, structured),
            _ => Ok(()),
        }
    }
}

/// What the case or its host says of previews.
pub fn preview_format(case: &Case) -> Option<Json> {
    let host = case.json("host").unwrap_or(Json::Null);
    let of_host = member(&host, &["toolConfig", "askUserQuestion", "previewFormat"]).cloned();
    case.json("preview_format").or(of_host)
}

fn texts(questions: &Json) -> Vec<String> {
    let Json::Array(questions) = questions else { panic!("{questions:?} are no questions") };
    questions.iter().map(|question| string(question.get("question").expect("a question has a text"))).collect()
}

/// Answered, with no words beside.
pub fn answered(answers: Vec<GivenAnswer>) -> Ending {
    Ending::Answers { answers, reply: None }
}

/// The structured result holds the questions as the original's host is given them, and the answers as it gives them.
fn same_input(case: &Case, structured: Option<&str>) -> Result<(), String> {
    let text = structured.ok_or("there is no structured result")?;
    let input = Json::parse(text, NESTING).map_err(|error| error.to_string())?;
    for (name, field) in [("answers", "answers_record"), ("annotations", "annotations")] {
        // Blank annotations stand for none: they never reach the original's host.
        if case.has(field) && !(name == "annotations" && has_blank_annotations(case)) {
            let text = |json: Option<&Json>| json.map(Json::to_canonical_text);
            let expected = case.json(field).or((name == "answers").then(|| Json::Object(Vec::new())));
            same(name, &text(input.get(name)), &text(expected.as_ref()))?;
        }
    }
    let expected = case.json("normalized").ok_or("the case has no normalized questions")?;
    same("normalized", &input.get("questions"), &expected.get("questions"))
}

/// The answers in the tool's own form: the case's, or those that its host gives.
pub fn record(case: &Case) -> Option<Record> {
    let host = case.json("host").unwrap_or(Json::Null);
    let given = [&["hook", "updatedInput"], &["canUseTool", "updatedInput"], &["canUseTool", "merge"]];
    let of_host = given.into_iter().find_map(|path| member(&host, path));
    let raw: Option<String> = case.text("answers_record_raw");
    let raw = raw.map(|raw| Json::parse(&raw, NESTING).expect("it is JSON"));
    let (answers, annotations) = match of_host {
        Some(input) => (input.get("answers").cloned(), input.get("annotations").cloned()),
        None => (Some(raw.or_else(|| case.json("answers_record"))?), case.json("annotations")),
    };
    let annotation =
        |value: &Json| Annotation { preview: value.get("preview").map(string), notes: value.get("notes").map(string) };
    Some(Record { answers: by_name(answers, string), annotations: by_name(annotations, annotation) })
}

/// Whether its annotations say nothing.
fn has_blank_annotations(case: &Case) -> bool {
    let annotations = record(case).map(|record| record.annotations).unwrap_or_default();
    let is_blank = |text: &Option<String>| text.as_deref().unwrap_or_default().trim().is_empty();
    annotations.iter().all(|(_, annotation)| is_blank(&annotation.preview) && is_blank(&annotation.notes))
}

/// The record as answers of a person; none if it answers what was not asked.
pub fn answers_of(case: &Case, record: &Record) -> Option<Vec<GivenAnswer>> {
    let arguments = case.json("normalized")?;
    let Some(Json::Array(questions)) = arguments.get("questions") else { return None };
    let given = |(text, answer): &(String, String)| {
        let place = questions.iter().position(|question| question.get("question").map(string).as_ref() == Some(text));
        let (index, Json::Array(options)) = (place?, questions[place?].get("options")?) else { return None };
        let is_label =
            |text: &str| options.iter().any(|option| option.get("label").map(string).as_deref() == Some(text));
        let is_multi = questions[place?].get("multiSelect") == Some(&Json::Bool(true));
        let parts: Vec<String> =
            if is_multi { answer.split(", ").map(str::to_owned).collect() } else { vec![answer.clone()] };
        let selected = parts.iter().all(|part| is_label(part)).then_some(parts);
        let annotation = record.annotations.iter().find(|(name, _)| name == text);
        Some(GivenAnswer {
            id: format!("q{}", index + 1),
            custom: selected.is_none().then(|| answer.clone()),
            selected,
            notes: annotation.and_then(|(_, annotation)| annotation.notes.clone()),
            value: None,
        })
    };
    record.answers.iter().map(given).collect()
}

/// What was chosen before the person wished to talk: the case tells it by its keys only.
fn typed_before(case: &Case) -> Vec<GivenAnswer> {
    let first = |label: &str| GivenAnswer {
        id: "q1".to_owned(),
        selected: Some(vec![label.to_owned()]),
        ..GivenAnswer::default()
    };
    match case.name.as_str() {
        "tui-two-questions-chat-after-first" => vec![first("SQLite")],
        _ => Vec::new(),
    }
}

/// The value at a path of names.
pub fn member<'a>(value: &'a Json, path: &[&str]) -> Option<&'a Json> {
    path.iter().try_fold(value, |value, name| value.get(name))
}

/// The text of a JSON string.
pub fn string(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        other => panic!("{other:?} is no text"),
    }
}

fn by_name<T>(record: Option<Json>, read: impl Fn(&Json) -> T) -> Vec<(String, T)> {
    match record {
        Some(Json::Object(members)) => members.iter().map(|(name, value)| (name.clone(), read(value))).collect(),
        _ => Vec::new(),
    }
}
