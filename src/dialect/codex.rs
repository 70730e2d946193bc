//! `codex`: the tool `request_user_input` of Codex 0.171, and the request `item/tool/requestUserInput` of its app server.
//!
//! Derived by reading, not recorded. The original reads its arguments with serde, so its error texts are serde's; the
//! types below have its names and its members, in its order.

use serde::Deserialize;

use super::endings::Endings;
use super::words::{chosen, notes_of};
use super::{
    AskParts, Dialect, Parsed, Rendered, Request, Tool, ToolResult, choice_options, object, question_id, text,
};
use crate::domain::json::Json;
use crate::domain::{Answer, Call, Faults, Outcome, Question, QuestionKind};

/// The definition for a model.
const DEFINITION: Tool = Tool {
    name: "request_user_input",
    description: "Ask the person you work for one to three short questions and wait for the answers, when you cannot go on \
        without a decision of theirs. Each question has two or three options that exclude each other; put the one you \
        recommend first. The person can also answer in their own words, so do not offer an option for that.",
    input_schema: concat!(
        r#"{"type":"object","properties":{"questions":{"type":"array","description":"1 to 3 questions.","items":"#,
        r#"{"type":"object","properties":{"id":{"type":"string","description":"Its name, in snake_case."},"#,
        r#""header":{"type":"string","description":"A very short name for it, at most 12 characters."},"#,
        r#""question":{"type":"string","description":"The question, in one sentence."},"#,
        r#""options":{"type":"array","description":"2 or 3 options.","items":{"type":"object","properties":{"#,
        r#""label":{"type":"string","description":"What the person chooses: 1 to 5 words."},"#,
        r#""description":{"type":"string","description":"What choosing it means, in one sentence."}},"#,
        r#""required":["label","description"],"additionalProperties":false}}},"#,
        r#""required":["id","header","question","options"],"additionalProperties":false}}},"#,
        r#""required":["questions"],"additionalProperties":false}"#,
    ),
};

/// The tool, whose arguments a model writes.
const TOOL: &str = "0.171";
/// The app server's request, which its client is to answer.
const APP_SERVER: &str = "app-server";

const NO_OPTIONS: &str = "request_user_input requires non-empty options for every question";
const CANCELLED: &str = "request_user_input was cancelled before receiving a response";

#[derive(Deserialize)]
struct RequestUserInputArgs {
    questions: Vec<RequestUserInputQuestion>,
}

#[derive(Deserialize)]
struct RequestUserInputQuestion {
    id: String,
    header: String,
    question: String,
    #[serde(rename = "isOther", default)]
    is_other: bool,
    #[serde(rename = "isSecret", default)]
    is_secret: bool,
    options: Option<Vec<RequestUserInputQuestionOption>>,
}

#[derive(Deserialize)]
struct RequestUserInputQuestionOption {
    label: String,
    description: String,
}

/// The dialect.
#[derive(Debug)]
pub struct Codex;

impl Dialect for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn variants(&self) -> &'static [&'static str] {
        &[TOOL, APP_SERVER]
    }

    fn tool(&self) -> Option<Tool> {
        Some(DEFINITION)
    }

    fn parse(&self, request: &Request<'_>) -> Result<Parsed, Faults> {
        let asked = match serde_json::from_str::<RequestUserInputArgs>(request.raw) {
            Ok(arguments) => arguments.questions,
            Err(error) => return Ok(refuse(format!("failed to parse function arguments: {error}"))),
        };
        check_secrets(&asked)?;
        let has_options =
            |asked: &RequestUserInputQuestion| asked.options.as_ref().is_some_and(|options| !options.is_empty());
        if request.variant == TOOL && !asked.iter().all(has_options) {
            return Ok(refuse(NO_OPTIONS.to_owned()));
        }
        if asked.is_empty() {
            return Ok(Parsed::Done(ToolResult::json(&answers_of([]))));
        }
        let allow_all = request.variant == TOOL;
        let questions = asked.into_iter().enumerate().map(|(index, asked)| question(index, asked, allow_all)).collect();
        Ok(Parsed::Ask(Box::new(AskParts { questions, title: None })))
    }

    fn render(&self, request: &Request<'_>, call: &Call) -> Rendered {
        let endings = Endings {
            answered: &|_, outcome| answered(request.raw, outcome),
            declined: ToolResult::error(CANCELLED),
            declined_ends_run: true,
            // As `codex exec`, which has nobody to ask; strictly, that nobody was asked is said.
            unattended: (!request.is_strict()).then(|| ToolResult::json(&answers_of([]))),
            cancelled: Some(ToolResult::error(CANCELLED)),
        };
        endings.render(call)
    }
}

fn refuse(text: String) -> Parsed {
    Parsed::Refused { result: ToolResult::error(text), code: "respond_to_model".to_owned() }
}

/// Secrets need a place where nobody can read them again.
fn check_secrets(asked: &[RequestUserInputQuestion]) -> Result<(), Faults> {
    let mut faults = Faults::new();
    for (index, _) in asked.iter().enumerate().filter(|(_, asked)| asked.is_secret) {
        faults.add_unsupported(
            format!("/arguments/questions/{index}/isSecret"),
            "questions of kind secret are not built yet",
        );
    }
    faults.or(Some(()))
}

/// The tool always lets a person answer in their own words; its app server says so with `isOther`.
fn question(index: usize, asked: RequestUserInputQuestion, allow_all: bool) -> Question {
    let options = asked.options.unwrap_or_default();
    let is_text = options.is_empty();
    let kind = if is_text { QuestionKind::Text } else { QuestionKind::Choice };
    Question {
        header: Some(asked.header),
        options: choice_options(options.into_iter().map(|option| (option.label, Some(option.description)))),
        allow_custom: is_text || allow_all || asked.is_other,
        multiline: is_text,
        ..Question::new(question_id(index), kind, asked.question)
    }
}

/// Every question's answer under the id that the arguments give it; of an id given twice, the last answer.
fn answered(raw: &str, outcome: &Outcome) -> ToolResult {
    let asked =
        serde_json::from_str::<RequestUserInputArgs>(raw).map(|arguments| arguments.questions).unwrap_or_default();
    let mut answers: Vec<(String, Json)> = Vec::with_capacity(asked.len());
    for (asked, answer) in asked.into_iter().zip(&outcome.answers) {
        let entry = object([("answers", Json::Array(entries(answer).iter().map(|entry| text(entry)).collect()))]);
        match answers.iter_mut().find(|(id, _)| *id == asked.id) {
            Some((_, earlier)) => *earlier = entry,
            None => answers.push((asked.id, entry)),
        }
    }
    ToolResult::json(&answers_of(answers))
}

/// Labels, own words, and a note as the original's terminal marks it.
fn entries(answer: &Answer) -> Vec<String> {
    let note = notes_of(answer).map(|note| format!("user_note: {note}"));
    chosen(answer).into_iter().map(str::to_owned).chain(note).collect()
}

fn answers_of(answers: impl IntoIterator<Item = (String, Json)>) -> Json {
    object([("answers", Json::Object(answers.into_iter().collect()))])
}
