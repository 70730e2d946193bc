//! `mcp-elicitation`: the request `elicitation/create` of the Model Context Protocol, in form mode.
//!
//! Derived by reading the specification (2025-11-25, `client/elicitation`), not recorded. It is no tool of a model but a
//! message of a server to its client: the arguments are the request's `params`, the result is its `result`. What asks
//! cannot tell a person's `accept` from any other, so nothing but a person's answer is ever told as one.

use super::words::{words_beside, words_of_refusal};
use super::{AskParts, Dialect, Parsed, Rendered, Request, Tool, ToolResult, object, question_id, text};
use crate::domain::json::Json;
use crate::domain::limits::NESTING_MAX;
use crate::domain::{Answer, Call, Faults, Form, JsonText, Outcome, Provenance, Question, QuestionKind, Status};

/// JSON-RPC's code for params that the client does not take.
const INVALID_PARAMS: &str = "-32602";

/// The dialect.
#[derive(Debug)]
pub struct McpElicitation;

impl Dialect for McpElicitation {
    fn name(&self) -> &'static str {
        "mcp-elicitation"
    }

    fn variants(&self) -> &'static [&'static str] {
        &["2025-11-25"]
    }

    fn tool(&self) -> Option<Tool> {
        None
    }

    fn parse(&self, request: &Request<'_>) -> Result<Parsed, Faults> {
        let params = match Json::parse(request.raw, NESTING_MAX) {
            Err(error) if error.too_deep => return Err(Faults::of("/arguments", error.to_string())),
            Err(error) => return Ok(refuse(&error.to_string())),
            Ok(params) => params,
        };
        Ok(match question(&params) {
            Ok(question) => Parsed::Ask(Box::new(AskParts { questions: vec![question], title: None })),
            Err(why) => refuse(&why),
        })
    }

    fn render(&self, _request: &Request<'_>, call: &Call) -> Rendered {
        let Some(outcome) = call.read_outcome() else {
            return Rendered { ends_run: call.is_settled(), ..Rendered::default() };
        };
        let questions = &call.ask.questions;
        match outcome.status {
            Status::Answered => Rendered {
                tool_result: Some(accepted(&outcome)),
                user_message: words_beside(questions, &outcome, false),
                ends_run: false,
            },
            Status::Declined => Rendered {
                tool_result: Some(action("decline")),
                user_message: words_of_refusal(questions, &outcome),
                ends_run: false,
            },
            Status::Pending | Status::Expired => told(action("cancel")),
            Status::Cancelled => Rendered { ends_run: true, ..told(action("cancel")) },
        }
    }
}

fn told(result: ToolResult) -> Rendered {
    Rendered { tool_result: Some(result), ..Rendered::default() }
}

fn refuse(why: &str) -> Parsed {
    Parsed::Refused { result: ToolResult::error(format!("Invalid params: {why}")), code: INVALID_PARAMS.to_owned() }
}

fn question(params: &Json) -> Result<Question, String> {
    match params.get("mode") {
        None => {}
        Some(Json::String(mode)) if mode == "form" => {}
        Some(Json::String(mode)) if mode == "url" => {
            return Err("elicitation in url mode is not supported: nobody here can be sent to another page".to_owned());
        }
        Some(_) => return Err("mode is \"form\"".to_owned()),
    }
    let message = params.string("message").ok_or("message is a text that must be there")?;
    let schema = params.get("requestedSchema").ok_or("requestedSchema must be there")?;
    let mut faults = Faults::new();
    Form::read(schema, "/requestedSchema", &mut faults);
    if let Some(fault) = faults.into_vec().first() {
        return Err(format!("{}: {}", fault.pointer, fault.detail));
    }
    Ok(Question {
        required: true,
        schema: Some(JsonText::of(schema)),
        ..Question::new(question_id(0), QuestionKind::Form, message.to_owned())
    })
}

/// What a person filled in; a rule's answer is not a person's, and so no consent.
fn accepted(outcome: &Outcome) -> ToolResult {
    let value = |answer: &Answer| answer.value.as_ref().map(JsonText::parse);
    match outcome.answers.first().and_then(value).filter(|_| outcome.provenance == Provenance::Human) {
        Some(content) => ToolResult::json(&object([("action", text("accept")), ("content", content)])),
        None => action("cancel"),
    }
}

fn action(action: &str) -> ToolResult {
    ToolResult::json(&object([("action", text(action))]))
}
