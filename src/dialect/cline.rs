//! `cline`: the tools `ask_followup_question` and, since its SDK, `ask_question` of Cline.
//!
//! Derived by reading, not recorded. One question with a list of options; the answer is one text.

use super::endings::Endings;
use super::words::chosen;
use super::{AskParts, Dialect, Parsed, Rendered, Request, Tool, ToolResult, choice_options, json, question_id};
use crate::domain::json::Json;
use crate::domain::{Call, Faults, Outcome, Question, QuestionKind};

/// The definition for a model.
const DEFINITION: Tool = Tool {
    name: "ask_followup_question",
    description: "Ask the person you work for one question and wait for the answer, when you miss something that only they \
        can tell. You may offer two to five options to choose from; the person can also answer in their own words.",
    input_schema: concat!(
        r#"{"type":"object","properties":{"question":{"type":"string","description":"The question."},"#,
        r#""options":{"type":"array","items":{"type":"string"},"description":"2 to 5 options, each an answer."}},"#,
        r#""required":["question"]}"#,
    ),
};

/// The extension's tool, whose answer stands in a tag.
const FOLLOWUP: &str = "ask_followup_question";
/// The tool of the SDK and the command line, whose answer stands alone.
const QUESTION: &str = "ask_question";

const MISSING: &str = "Missing value for required parameter 'question'. Please retry with complete response.";
const DENIED: &str = "The user denied this operation.";

/// The dialect.
#[derive(Debug)]
pub struct Cline;

impl Dialect for Cline {
    fn name(&self) -> &'static str {
        "cline"
    }

    fn variants(&self) -> &'static [&'static str] {
        &[FOLLOWUP, QUESTION]
    }

    fn tool(&self) -> Option<Tool> {
        Some(DEFINITION)
    }

    fn parse(&self, request: &Request<'_>) -> Result<Parsed, Faults> {
        let arguments = json::read_arguments(request.raw)?.unwrap_or(Json::Null);
        let Some(asked) = arguments.string("question").filter(|asked| !asked.is_empty()) else {
            let text = format!("The tool execution failed with the following error:\n<error>\n{MISSING}\n</error>");
            return Ok(Parsed::Refused { result: ToolResult::error(text), code: "missing_parameter".to_owned() });
        };
        let options: Vec<_> = options(&arguments).into_iter().map(|label| (label, None)).collect();
        let kind = if options.is_empty() { QuestionKind::Text } else { QuestionKind::Choice };
        let question = Question {
            multiline: options.is_empty(),
            options: choice_options(options),
            ..Question::new(question_id(0), kind, asked.to_owned())
        };
        Ok(Parsed::Ask(Box::new(AskParts { questions: vec![question], title: None })))
    }

    fn render(&self, request: &Request<'_>, call: &Call) -> Rendered {
        let endings = Endings {
            answered: &|_, outcome| answered(request.variant, outcome),
            declined: ToolResult::error(DENIED),
            declined_ends_run: true,
            unattended: None,
            cancelled: None,
        };
        endings.render(call)
    }
}

/// A list of texts, or the JSON text of one, as the extension's own calls have it; what is no text is left out.
fn options(arguments: &Json) -> Vec<String> {
    let written = arguments.string("options").and_then(|text| json::read_as_javascript(text).ok());
    let items = match (&written, arguments.get("options")) {
        (Some(Json::Array(items)), _) | (None, Some(Json::Array(items))) => items.as_slice(),
        _ => &[],
    };
    items.iter().filter_map(|item| if let Json::String(text) = item { Some(text.clone()) } else { None }).collect()
}

fn answered(variant: &str, outcome: &Outcome) -> ToolResult {
    let answer = outcome.answers.first().map(|answer| chosen(answer).join(", ")).unwrap_or_default();
    ToolResult::text(if variant == QUESTION { answer } else { format!("<answer>\n{answer}\n</answer>") })
}
