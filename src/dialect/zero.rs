//! `zero`: the tool `ask_user` of Zero, an agent in Go, to the byte.
//!
//! The arguments are read as forgivingly as the original reads them (`arguments`), and each ending is told in its words
//! or, where it has none, in ours (`endings`).

mod arguments;
mod endings;

use super::go::Unread;
use super::{AskParts, Dialect, Parsed, Rendered, Request, Tool, ToolResult, go};
use crate::domain::json::Json;
use crate::domain::limits::NESTING_MAX;
use crate::domain::{Call, Faults};

/// The tool's name: also in its error texts.
const TOOL: &str = "ask_user";

/// What the original says where it has nobody to ask.
const NOBODY: &str = "No interactive user is available to answer questions. Proceed with your best assumption, \
    explicitly stating the assumptions you are making.";

const DEFINITION: Tool = Tool {
    name: TOOL,
    description: "Ask the person you work for one or more questions, and wait for the answers. Use it only if you \
        cannot go on without them and neither the workspace nor a sensible assumption settles the matter. Offer 2 to 4 \
        options where a short list is likely to hold the answer; the person can always write something else. Leave \
        options out to ask for free text.",
    input_schema: concat!(
        r#"{"type":"object","properties":{"#,
        r#""header":{"type":"string","description":"A short heading for all the questions."},"#,
        r#""questions":{"type":"array","minItems":1,"description":"The questions, answered together.","#,
        r#""items":{"type":"object","properties":{"#,
        r#""question":{"type":"string","minLength":1,"description":"The whole question."},"#,
        r#""header":{"type":"string","description":"Two or three words that name this question."},"#,
        r#""options":{"type":"array","items":{"type":"string"},"description":"What the person can pick."},"#,
        r#""optionDescriptions":{"type":"array","items":{"type":"string"},"#,
        r#""description":"One line for each option, in the same order."},"#,
        r#""recommended":{"type":"string","description":"The option that you would pick, as it stands in options."},"#,
        r#""multiSelect":{"type":"boolean","description":"Whether several options may be picked; false if left out."}"#,
        r#"},"required":["question"]}}},"required":["questions"],"additionalProperties":false}"#,
    ),
};

/// The dialect.
#[derive(Debug)]
pub struct Zero;

impl Dialect for Zero {
    fn name(&self) -> &'static str {
        "zero"
    }

    fn variants(&self) -> &'static [&'static str] {
        &["ad34dc8d"]
    }

    fn tool(&self) -> Option<Tool> {
        Some(DEFINITION)
    }

    fn parse(&self, request: &Request<'_>) -> Result<Parsed, Faults> {
        let interactive = request.flag("interactive")?;
        let arguments = match read(request.raw) {
            Ok(arguments) => arguments,
            Err(Unread::TooDeep) => {
                return Err(Faults::of("/arguments", format!("arguments nest at most {NESTING_MAX} deep")));
            }
            Err(Unread::Refused(words)) => {
                return Ok(refuse(format!("Failed to parse arguments for {TOOL}: {words}"), "unreadable_arguments"));
            }
        };
        Ok(match arguments::questions(&arguments, request.is_strict()) {
            Err(complaint) => refuse(format!("Invalid arguments for {TOOL}: {complaint}"), "invalid_arguments"),
            Ok(_) if interactive == Some(false) => Parsed::Done(ToolResult::text(NOBODY)),
            Ok(questions) => Parsed::Ask(Box::new(AskParts { questions, title: arguments::title(&arguments) })),
        })
    }

    fn render(&self, request: &Request<'_>, call: &Call) -> Rendered {
        endings::render(call, request.is_strict())
    }
}

fn refuse(complaint: String, code: &str) -> Parsed {
    Parsed::Refused { result: ToolResult::error(format!("Error: {complaint}")), code: code.to_owned() }
}

/// The arguments' members. No text at all is none of them, as `null` is.
fn read(raw: &str) -> Result<Json, Unread> {
    if raw.is_empty() {
        return Ok(Json::Object(Vec::new()));
    }
    go::as_map(go::read_first_value(raw)?).map_err(Unread::Refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(raw: &str, context: &str) -> Result<Parsed, Faults> {
        let context = Json::parse(context, 64).unwrap();
        Zero.parse(&Request::check(&Zero, raw, &context)?)
    }

    #[test]
    fn a_request_that_no_model_can_mend_is_a_fault() {
        let pointer = |result: Result<Parsed, Faults>| result.unwrap_err().into_vec().remove(0).pointer;
        assert_eq!(pointer(parse(&"[".repeat(65), "{}")), "/arguments");
        assert_eq!(pointer(parse("{}", r#"{"interactive":"no"}"#)), "/context/interactive");
    }

    #[test]
    fn the_heading_of_the_whole_is_the_calls_title() {
        let title = |raw: &str| match parse(raw, "{}").unwrap() {
            Parsed::Ask(parts) => parts.title,
            other => panic!("{raw} gave {other:?}"),
        };
        assert_eq!(title(r#"{"header":" Setup\n","questions":["a"]}"#).as_deref(), Some("Setup"));
        assert_eq!(title(r#"{"header":" ","questions":["a"]}"#), None);
        assert_eq!(title(r#"{"header":7,"questions":["a"]}"#), None);
    }
}
