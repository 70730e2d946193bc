//! `claude-code`: the tool `AskUserQuestion` of Claude Code, in two versions (`version`), to the byte.
//!
//! The arguments (`arguments`) are checked as zod 4.3 checks the original's schema (`schema`, `complaint`), HTML previews
//! as the original's own rule does (`preview`), and each ending is told in its words (`sentence`) or, where it has none,
//! in ours (`endings`).
//! `answers` and `annotations` that a model sends are checked and dropped: nobody answers but a person.

mod arguments;
mod complaint;
mod endings;
mod preview;
mod record;
mod schema;
mod sentence;
mod shown;
mod version;

pub use record::Annotation;
pub use sentence::{render_answers, render_record};

use self::schema::Asked;
use self::version::Version;
use super::{AskParts, Dialect, Parsed, Rendered, Request, Tool, ToolResult, option_ids, question_id};
use crate::domain::{Call, ChoiceOption, Faults, PreviewFormat, Question, QuestionKind};

/// The tool's name: also in its error texts.
const TOOL: &str = "AskUserQuestion";

/// The definition for a model. Only what a model may say: the original also lists `answers` and `annotations`, which
/// are for its host to fill in.
const DEFINITION: Tool = Tool {
    name: TOOL,
    description: "Ask the person you work for one to four questions, and wait for the answers. Use it when you need a \
        decision, a preference or a missing fact before you can go on. Each question has two to four options; the \
        person can also answer in their own words, so do not offer an option for that. Put the option that you would \
        choose first. Set multiSelect to true if several options can hold together.",
    input_schema: concat!(
        r#"{"type":"object","properties":{"questions":{"type":"array","minItems":1,"maxItems":4,"#,
        r#""description":"1 to 4 questions; no two with the same text.","items":{"type":"object","properties":{"#,
        r#""question":{"type":"string","description":"The whole question, ending with a question mark."},"#,
        r#""header":{"type":"string","description":"A very short name for it, at most 12 characters."},"#,
        r#""options":{"type":"array","minItems":2,"maxItems":4,"#,
        r#""description":"2 to 4 options; no two with the same label.","items":{"type":"object","properties":{"#,
        r#""label":{"type":"string","description":"What the person chooses: 1 to 5 words."},"#,
        r#""description":{"type":"string","description":"What choosing it means."},"#,
        r#""preview":{"type":"string","description":"What it would look like, if seeing it helps to compare."}},"#,
        r#""required":["label","description"]}},"#,
        r#""multiSelect":{"type":"boolean","default":false,"description":"Whether several options may be chosen."}},"#,
        r#""required":["question","header","options"]}}},"required":["questions"],"additionalProperties":false}"#,
    ),
};

/// The dialect.
#[derive(Debug)]
pub struct ClaudeCode;

impl Dialect for ClaudeCode {
    fn name(&self) -> &'static str {
        "claude-code"
    }

    fn variants(&self) -> &'static [&'static str] {
        version::NAMES
    }

    fn tool(&self) -> Option<Tool> {
        Some(DEFINITION)
    }

    fn parse(&self, request: &Request<'_>) -> Result<Parsed, Faults> {
        let format = preview_format(request)?;
        let version = Version::named(request.variant);
        let arguments = match arguments::read(version, request.raw)? {
            Ok(arguments) => arguments,
            Err(complaint) => return Ok(refuse(format!("{INVALID}: {complaint}"), INVALID)),
        };
        let asked = match schema::check(version, &arguments) {
            Ok(asked) => asked,
            Err(issues) => {
                let complaint = complaint::tell(version, &arguments, &issues);
                return Ok(refuse(format!("{INVALID}: {complaint}"), INVALID));
            }
        };
        if format == Some(PreviewFormat::Html)
            && let Some(complaint) = preview::complaint(&asked)
        {
            return Ok(refuse(complaint, "InvalidPreview"));
        }
        let questions = asked.into_iter().enumerate().map(|(index, asked)| question(index, asked, format)).collect();
        Ok(Parsed::Ask(Box::new(AskParts { questions, title: None })))
    }

    fn render(&self, request: &Request<'_>, call: &Call) -> Rendered {
        endings::render(Version::named(request.variant), call)
    }
}

/// The error's name, in the text and as the code.
const INVALID: &str = "InputValidationError";

fn refuse(complaint: String, code: &str) -> Parsed {
    let text = format!("<tool_use_error>{complaint}</tool_use_error>");
    Parsed::Refused { result: ToolResult::error(text), code: code.to_owned() }
}

fn preview_format(request: &Request<'_>) -> Result<Option<PreviewFormat>, Faults> {
    match request.text("preview_format")? {
        None => Ok(None),
        Some("html") => Ok(Some(PreviewFormat::Html)),
        Some("markdown") => Ok(Some(PreviewFormat::Markdown)),
        Some(_) => Err(Faults::of("/context/preview_format", "preview_format is markdown or html")),
    }
}

fn question(index: usize, asked: Asked, format: Option<PreviewFormat>) -> Question {
    let labels: Vec<&str> = asked.options.iter().map(|option| option.label.as_str()).collect();
    let ids = option_ids(&labels);
    let options = ids.into_iter().zip(asked.options).map(|(id, option)| ChoiceOption {
        id,
        label: option.label,
        description: Some(option.description),
        preview_format: format.filter(|_| option.preview.is_some()),
        preview: option.preview,
        recommended: false,
    });
    Question {
        header: Some(asked.header),
        options: options.collect(),
        multi_select: asked.multi_select,
        ..Question::new(question_id(index), QuestionKind::Choice, asked.question)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::json::Json;

    const ARGUMENTS: &str = r#"{"questions":[{"question":"Q?","header":"H","multiSelect":true,
        "options":[{"label":"o1","description":"d","preview":"p"},{"label":" ","description":""}]}]}"#;

    fn parse(raw: &str, context: &str) -> Result<Parsed, Faults> {
        let context = Json::parse(context, 64).unwrap();
        ClaudeCode.parse(&Request::check(&ClaudeCode, raw, &context)?)
    }

    fn refusal(raw: &str) -> String {
        match parse(raw, "{}").unwrap() {
            Parsed::Refused { result, code } => {
                assert!(result.is_error);
                assert_eq!(code, "InputValidationError");
                result.text
            }
            other => panic!("{raw} gave {other:?}"),
        }
    }

    #[test]
    fn a_question_becomes_one_of_ours() {
        let Parsed::Ask(parts) = parse(ARGUMENTS, r#"{"preview_format":"markdown"}"#).unwrap() else {
            panic!("it was refused");
        };
        let question = &parts.questions[0];
        assert_eq!((question.id.as_str(), question.header.as_deref()), ("q1", Some("H")));
        assert!(question.multi_select && question.allow_custom && !question.required);
        assert_eq!(question.options[0].id, "oa1");
        assert_eq!(question.options[0].preview_format, Some(PreviewFormat::Markdown));
        assert_eq!((question.options[1].label.as_str(), question.options[1].preview_format), (" ", None));
    }

    #[test]
    fn arguments_that_are_no_json_are_told_to_the_model() {
        assert_eq!(
            refusal("{\"questions\":"),
            "<tool_use_error>InputValidationError: AskUserQuestion was called without JSON: the JSON text ends too \
             early at byte 13</tool_use_error>"
        );
        assert_eq!(refusal(""), refusal("{}"));
    }

    #[test]
    fn a_request_that_no_model_can_mend_is_a_fault() {
        let pointer = |result: Result<Parsed, Faults>| result.unwrap_err().into_vec().remove(0).pointer;
        assert_eq!(pointer(parse(&"[".repeat(65), "{}")), "/arguments");
        assert_eq!(pointer(parse("{}", r#"{"preview_format":"pdf"}"#)), "/context/preview_format");
        assert_eq!(pointer(parse("{}", r#"{"variant":"2.1.90"}"#)), "/context/variant");
    }
}
