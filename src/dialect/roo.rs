//! `roo`: the tool `ask_followup_question` of Roo Code, and of the forks that kept it.
//!
//! Derived by reading, not recorded. One question with suggested answers, each of which may name the mode into which the
//! host switches when it is chosen: the structured result says which.

use super::endings::Endings;
use super::words::chosen;
use super::{
    AskParts, Dialect, Parsed, Rendered, Request, Tool, ToolResult, choice_options, json, object, question_id, text,
};
use crate::domain::json::Json;
use crate::domain::{Call, Faults, Outcome, Question, QuestionKind};

/// The definition for a model.
const DEFINITION: Tool = Tool {
    name: "ask_followup_question",
    description: "Ask the person you work for one question and wait for the answer, when you miss something that only they \
        can tell. Suggest two to four complete answers; the person can also answer in their own words.",
    input_schema: concat!(
        r#"{"type":"object","properties":{"question":{"type":"string","description":"The question."},"#,
        r#""follow_up":{"type":"array","minItems":1,"maxItems":4,"description":"2 to 4 suggested answers.","items":"#,
        r#"{"type":"object","properties":{"text":{"type":"string","description":"A complete answer, without blanks to fill."},"#,
        r#""mode":{"type":["string","null"],"description":"The mode to go on in, if it is another one."}},"#,
        r#""required":["text","mode"],"additionalProperties":false}}},"#,
        r#""required":["question","follow_up"],"additionalProperties":false}"#,
    ),
};

const MISSING: &str = "Missing value for required parameter 'question'. Please retry with complete response.";

/// The dialect.
#[derive(Debug)]
pub struct Roo;

impl Dialect for Roo {
    fn name(&self) -> &'static str {
        "roo"
    }

    fn variants(&self) -> &'static [&'static str] {
        &["3"]
    }

    fn tool(&self) -> Option<Tool> {
        Some(DEFINITION)
    }

    fn parse(&self, request: &Request<'_>) -> Result<Parsed, Faults> {
        let arguments = json::read_arguments(request.raw)?.unwrap_or(Json::Null);
        let Some(asked) = arguments.string("question").filter(|asked| !asked.is_empty()) else {
            let error = [("status", "error"), ("message", "The tool execution failed"), ("error", MISSING)];
            return Ok(Parsed::Refused { result: status(error, true), code: "missing_parameter".to_owned() });
        };
        let suggestions = suggestions(&arguments);
        let kind = if suggestions.is_empty() { QuestionKind::Text } else { QuestionKind::Choice };
        let options = suggestions
            .iter()
            .map(|(text, mode)| ((*text).to_owned(), mode.map(|mode| format!("Goes on in the mode {mode}."))));
        let question = Question {
            multiline: suggestions.is_empty(),
            options: choice_options(options),
            ..Question::new(question_id(0), kind, asked.to_owned())
        };
        Ok(Parsed::Ask(Box::new(AskParts { questions: vec![question], title: None })))
    }

    fn render(&self, request: &Request<'_>, call: &Call) -> Rendered {
        let endings = Endings {
            answered: &|_, outcome| answered(request.raw, outcome),
            declined: status([("status", "denied"), ("message", "The user denied this operation.")], false),
            declined_ends_run: true,
            unattended: None,
            cancelled: None,
        };
        endings.render(call)
    }
}

/// Suggested answers with the mode that each names; what has no text is left out.
fn suggestions(arguments: &Json) -> Vec<(&str, Option<&str>)> {
    let suggestion = |item| {
        let mode = Json::string(item, "mode").filter(|mode| !mode.is_empty());
        item.string("text").map(|text| (text, mode))
    };
    arguments.items("follow_up").iter().filter_map(suggestion).collect()
}

fn answered(raw: &str, outcome: &Outcome) -> ToolResult {
    let answer = outcome.answers.first().map(|answer| chosen(answer).join(", ")).unwrap_or_default();
    let arguments = json::read_as_javascript(raw).unwrap_or(Json::Null);
    let mode = suggestions(&arguments).into_iter().find(|(text, _)| *text == answer).and_then(|(_, mode)| mode);
    let structured = object([("text", text(&answer)), ("mode", mode.map_or(Json::Null, text))]);
    let told = format!("<user_message>\n{answer}\n</user_message>");
    ToolResult { structured: Some(structured.to_text()), ..ToolResult::text(told) }
}

/// What the original says as a small JSON object.
fn status<const N: usize>(members: [(&str, &str); N], is_error: bool) -> ToolResult {
    let told = object(members.map(|(name, value)| (name, text(value)))).to_text();
    ToolResult { is_error, ..ToolResult::text(told) }
}
