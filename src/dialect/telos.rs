//! `telos`: the tool `AskUserQuestion` of telos-agent, to the byte.
//!
//! It completes at once: its result says that the questions are ready and repeats them as serde_json prints them, so
//! it is made anew from the arguments' text each time. The answer is the user's next message (`message`). Of the
//! options only their number is checked: whatever they are, a person gets something to choose.
//!
//! The variant `host` has the runtime's schema check before the tool (`schema`).

mod schema;

use serde_json::{Value, json};

use super::rust::read_as_rust;
use super::{AskParts, Dialect, Parsed, Rendered, Request, Tool, ToolResult, choice_options, message, question_id};
use crate::domain::json::Json;
use crate::domain::limits::NESTING_MAX;
use crate::domain::{Call, Faults, Question, QuestionKind};

/// The variant in which the runtime checks the published schema before it calls the tool.
const HOST: &str = "host";

/// The definition for a model. The published schema with lengths added that the tool or its prompt ask for.
const DEFINITION: Tool = Tool {
    name: "AskUserQuestion",
    description: "Put one or more questions to the person you work for, when you need a decision or a preference that \
        you can find neither in the project nor in what they said. The result only says that the questions are ready: \
        stop there and wait, the answers are the person's next message. Give each question two to four concrete \
        options, the one that you would choose first; the person can also answer in their own words. Set multiSelect \
        to true if several options can hold together.",
    input_schema: concat!(
        r#"{"type":"object","properties":{"questions":{"type":"array","minItems":1,"items":{"type":"object","#,
        r#""properties":{"question":{"type":"string","minLength":1,"description":"The whole question."},"#,
        r#""header":{"type":"string","minLength":1,"description":"A short name for it."},"#,
        r#""options":{"type":"array","minItems":1,"description":"What can be chosen: 2 to 4 options.","#,
        r#""items":{"type":"object","properties":{"#,
        r#""label":{"type":"string","description":"What the person chooses: 1 to 5 words."},"#,
        r#""description":{"type":"string","description":"What choosing it means."}},"#,
        r#""required":["label","description"]}},"#,
        r#""multiSelect":{"type":"boolean","default":false,"description":"Whether several options may be chosen."}},"#,
        r#""required":["question","header","options"]}}},"required":["questions"]}"#,
    ),
};

/// The dialect.
#[derive(Debug)]
pub struct Telos;

impl Dialect for Telos {
    fn name(&self) -> &'static str {
        "telos"
    }

    fn variants(&self) -> &'static [&'static str] {
        &["tool", HOST]
    }

    fn tool(&self) -> Option<Tool> {
        Some(DEFINITION)
    }

    fn parse(&self, request: &Request<'_>) -> Result<Parsed, Faults> {
        if let Err(error) = Json::parse(request.raw, NESTING_MAX)
            && error.too_deep
        {
            return Err(Faults::of("/arguments", error.to_string()));
        }
        Ok(match read(request) {
            Ok(questions) => {
                let questions = questions.iter().enumerate().map(|(index, asked)| question(index, asked)).collect();
                Parsed::Ask(Box::new(AskParts { questions, title: None }))
            }
            Err(refusal) => refusal.into(),
        })
    }

    fn render(&self, request: &Request<'_>, call: &Call) -> Rendered {
        let ready = read(request).ok().map(|questions| {
            let text = json!({
                "instruction": "Please answer these questions to continue.",
                "questions": questions,
                "status": "questions_ready",
            });
            told(&text, false)
        });
        message::render(request, call, ready)
    }
}

/// What the runtime tells its model instead of a result.
struct Refusal {
    kind: &'static str,
    message: String,
}

impl From<Refusal> for Parsed {
    fn from(Refusal { kind, message }: Refusal) -> Self {
        let text = json!({ "error": { "kind": kind, "message": message } });
        Self::Refused { result: told(&text, true), code: kind.to_owned() }
    }
}

fn told(content: &Value, is_error: bool) -> ToolResult {
    let text = content.to_string();
    ToolResult { structured: Some(text.clone()), text, is_error }
}

/// The questions, if everything that comes before asking is content with the arguments.
fn read(request: &Request<'_>) -> Result<Vec<Value>, Refusal> {
    let refused = |kind| move |message| Refusal { kind, message };
    let mut arguments = read_as_rust(request.raw)
        .map_err(|error| format!("unparsable JSON: {error}"))
        .map_err(refused("validation_error"))?;
    if request.variant == HOST {
        check_schema(&arguments).map_err(refused("validation_error"))?;
    }
    check(&arguments)
        .map_err(|complaint| format!("validation error: {complaint}"))
        .map_err(refused("execution_error"))?;
    Ok(arguments.get_mut("questions").and_then(Value::as_array_mut).map(std::mem::take).unwrap_or_default())
}

fn check_schema(arguments: &Value) -> Result<(), String> {
    let faults = schema::faults(arguments);
    if faults.is_empty() {
        return Ok(());
    }
    let faults = faults.join("; ");
    Err(format!("validation error: tool `AskUserQuestion` arguments failed schema validation: {faults}"))
}

/// The tool's own checks: the first complaint of the first question that has one. Only emptiness counts.
fn check(arguments: &Value) -> Result<(), String> {
    let questions = arguments.get("questions").and_then(Value::as_array).ok_or("missing questions array")?;
    if questions.is_empty() {
        return Err("questions array is empty".to_owned());
    }
    for (index, question) in questions.iter().enumerate() {
        for name in ["question", "header"] {
            if text(question, name).is_none_or(str::is_empty) {
                return Err(format!("question at index {index} is missing a non-empty `{name}` field"));
            }
        }
        match question.get("options").and_then(Value::as_array) {
            None => return Err(format!("question at index {index} is missing `options` array")),
            Some(options) if options.is_empty() => {
                return Err(format!("question at index {index} has an empty `options` array"));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

fn question(index: usize, asked: &Value) -> Question {
    let options = asked.get("options").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let options = options
        .iter()
        .enumerate()
        .map(|(index, option)| (label(index, option), text(option, "description").map(str::to_owned)));
    Question {
        header: text(asked, "header").map(str::to_owned),
        options: choice_options(options),
        multi_select: asked.get("multiSelect") == Some(&Value::Bool(true)),
        ..Question::new(
            question_id(index),
            QuestionKind::Choice,
            text(asked, "question").unwrap_or_default().to_owned(),
        )
    }
}

/// What a person reads: the label, or the option itself if it is no object; where that says nothing, its place.
fn label(index: usize, option: &Value) -> String {
    match option.get("label").unwrap_or(option) {
        Value::String(label) => label.clone(),
        Value::Null | Value::Object(_) => format!("Option {}", index + 1),
        other => other.to_string(),
    }
}

fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name).and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(raw: &str, context: &str) -> Result<Parsed, Faults> {
        let context = Json::parse(context, 64).unwrap();
        Telos.parse(&Request::check(&Telos, raw, &context)?)
    }

    fn refusal(raw: &str, context: &str) -> (String, String) {
        match parse(raw, context).unwrap() {
            Parsed::Refused { result, code } => {
                assert!(result.is_error && result.structured.as_ref() == Some(&result.text));
                (code, result.text)
            }
            other => panic!("{raw} gave {other:?}"),
        }
    }

    fn asked(options: &str) -> Vec<Question> {
        let raw =
            format!(r#"{{"questions":[{{"question":"Q","header":" ","multiSelect":true,"options":{options}}}]}}"#);
        match parse(&raw, "{}").unwrap() {
            Parsed::Ask(parts) => parts.questions,
            other => panic!("{options} gave {other:?}"),
        }
    }

    #[test]
    fn whatever_an_option_is_there_is_something_to_choose() {
        let question = asked(
            r#"[{"label":"o1","description":"d"},"A",{"description":"d"},7,[1, 2],null,{"label":1.50},{"label":null},{"label":{}},{"label":""}]"#,
        )
        .remove(0);
        let labels: Vec<&str> = question.options.iter().map(|option| option.label.as_str()).collect();
        assert_eq!(labels, ["o1", "A", "Option 3", "7", "[1,2]", "Option 6", "1.5", "Option 8", "Option 9", ""]);
        assert_eq!(question.options[0].id, "oa1");
        assert_eq!(question.options[2].description.as_deref(), Some("d"));
        assert!(question.multi_select && question.allow_custom && !question.required);
        assert_eq!((question.header.as_deref(), question.question.as_str()), (Some(" "), "Q"));
    }

    #[test]
    fn arguments_that_are_no_json_are_told_in_the_words_of_serde_json() {
        let (code, text) = refusal("{\"questions\":[", "{}");
        assert_eq!(code, "validation_error");
        assert_eq!(
            text,
            r#"{"error":{"kind":"validation_error","message":"unparsable JSON: EOF while parsing a list at line 1 column 14"}}"#
        );
        let (_, number) = refusal(r#"{"questions":[],"n":1e999}"#, "{}");
        assert!(number.contains("number out of range at line 1 column 25"), "{number}");
    }

    #[test]
    fn only_the_host_checks_the_schema() {
        let raw = r#"{"questions":[{"question":"Q","header":"","options":["A"]}]}"#;
        assert_eq!(refusal(raw, "{}").0, "execution_error");
        let (code, text) = refusal(raw, r#"{"variant":"host"}"#);
        assert_eq!(code, "validation_error");
        assert!(text.contains(r#"/questions/0/options/0: \"A\" is not of type \"object\""#), "{text}");
        let (code, _) = refusal(r#"{"questions":[]}"#, r#"{"variant":"host"}"#);
        assert_eq!(code, "execution_error");
    }

    #[test]
    fn nesting_beyond_our_own_limit_is_a_fault() {
        let deep = |levels: usize| {
            let (open, close) = ("[".repeat(levels), "]".repeat(levels));
            format!(r#"{{"x":{open}{close},"questions":[{{"question":"Q","header":"H","options":[1]}}]}}"#)
        };
        assert!(matches!(parse(&deep(63), "{}"), Ok(Parsed::Ask(_))));
        for levels in [64, 200] {
            assert_eq!(parse(&deep(levels), "{}").unwrap_err().into_vec()[0].pointer, "/arguments");
        }
    }
}
