//! `gemini-cli`: the tool `ask_user` of Gemini CLI 0.61.
//!
//! The arguments are checked as the original does it: first its JSON Schema (ajv, which stops at the first fault), then
//! rules of its own. Answers go back as one text a question, named by the question's number.

use super::endings::Endings;
use super::words::chosen;
use super::{
    AskParts, Dialect, Parsed, Rendered, Request, Tool, ToolResult, choice_options, javascript, json, object,
    question_id, text,
};
use crate::domain::json::Json;
use crate::domain::{Call, Faults, Outcome, Question, QuestionKind};

/// The definition for a model.
const DEFINITION: Tool = Tool {
    name: "ask_user",
    description: "Ask the person you work for one to four questions and wait for the answers, when you need a decision, a \
        preference or a fact that you cannot find out yourself. A question is a choice of two to four options, a free \
        text, or yes or no; the person can always answer in their own words.",
    input_schema: concat!(
        r#"{"type":"object","properties":{"questions":{"type":"array","minItems":1,"maxItems":4,"items":{"type":"object","#,
        r#""properties":{"question":{"type":"string","description":"The whole question, ending with a question mark."},"#,
        r#""header":{"type":"string","description":"A very short name for it, at most 16 characters."},"#,
        r#""type":{"type":"string","enum":["choice","text","yesno"],"default":"choice"},"#,
        r#""options":{"type":"array","description":"For a choice: 2 to 4 options.","items":{"type":"object","properties":{"#,
        r#""label":{"type":"string","description":"What the person chooses: 1 to 5 words."},"#,
        r#""description":{"type":"string","description":"What choosing it means."}},"required":["label","description"]}},"#,
        r#""multiSelect":{"type":"boolean","description":"For a choice: whether several options may be chosen."},"#,
        r#""placeholder":{"type":"string","description":"A hint inside the empty text field."}},"#,
        r#""required":["question","header","type"]}}},"required":["questions"]}"#,
    ),
};

const QUESTIONS_MAX: usize = 4;
const OPTIONS_MAX: usize = 4;
const DISMISSED: &str = "User dismissed ask_user dialog without answering.";
const DENIED: &str = "Tool execution denied by policy.";
const CANCELLED: &str = "[Operation Cancelled] Reason: User cancelled the operation.";

/// The dialect.
#[derive(Debug)]
pub struct GeminiCli;

impl Dialect for GeminiCli {
    fn name(&self) -> &'static str {
        "gemini-cli"
    }

    fn variants(&self) -> &'static [&'static str] {
        &["0.61"]
    }

    fn tool(&self) -> Option<Tool> {
        Some(DEFINITION)
    }

    fn parse(&self, request: &Request<'_>) -> Result<Parsed, Faults> {
        let arguments = json::read_arguments(request.raw)?;
        let checked = arguments.map_err(|error| format!("params must be JSON: {error}")).and_then(|arguments| {
            check_schema(&arguments)?;
            questions_of(&arguments)
        });
        Ok(match checked {
            Ok(questions) => Parsed::Ask(Box::new(AskParts { questions, title: None })),
            Err(reason) => Parsed::Refused {
                result: ToolResult::error(format!("Error: Invalid parameters provided. Reason: {reason}")),
                code: "invalid_tool_params".to_owned(),
            },
        })
    }

    fn render(&self, _request: &Request<'_>, call: &Call) -> Rendered {
        let endings = Endings {
            answered: &answered,
            declined: ToolResult::text(DISMISSED),
            declined_ends_run: false,
            unattended: Some(ToolResult::error(DENIED)),
            cancelled: Some(ToolResult::error(CANCELLED)),
        };
        endings.render(call)
    }
}

/// The answers by the questions' numbers; what was left out has none.
fn answered(_call: &Call, outcome: &Outcome) -> ToolResult {
    let answers = outcome.answers.iter().enumerate().filter_map(|(index, answer)| {
        let chosen = chosen(answer);
        (!chosen.is_empty()).then(|| (index.to_string(), text(&chosen.join(", "))))
    });
    ToolResult::json(&object([("answers", Json::Object(answers.collect()))]))
}

/// The schema's check, which tells the first fault only: an object's missing members before the types of those there.
fn check_schema(arguments: &Json) -> Result<(), String> {
    if !matches!(arguments, Json::Object(_) | Json::Array(_)) {
        return Err("Value of params must be an object".to_owned());
    }
    check_object(arguments, "params", &["questions"])?;
    let Some(Json::Array(questions)) = arguments.get("questions") else {
        return Err("params/questions must be array".to_owned());
    };
    if questions.len() > QUESTIONS_MAX {
        return Err(format!("params/questions must NOT have more than {QUESTIONS_MAX} items"));
    }
    if questions.is_empty() {
        return Err("params/questions must NOT have fewer than 1 items".to_owned());
    }
    questions.iter().enumerate().try_for_each(|(index, question)| {
        let place = format!("params/questions/{index}");
        check_object(question, &place, &["question", "header", "type"])?;
        check_member(question, &place, "question", "string")?;
        check_member(question, &place, "header", "string")?;
        check_member(question, &place, "type", "string")?;
        if !matches!(question.string("type"), Some("choice" | "text" | "yesno")) {
            return Err(format!("{place}/type must be equal to one of the allowed values"));
        }
        check_member(question, &place, "options", "array")?;
        for (index, option) in question.items("options").iter().enumerate() {
            let place = format!("{place}/options/{index}");
            check_object(option, &place, &["label", "description"])?;
            check_member(option, &place, "label", "string")?;
            check_member(option, &place, "description", "string")?;
        }
        check_member(question, &place, "multiSelect", "boolean")?;
        check_member(question, &place, "placeholder", "string")
    })
}

fn check_object(value: &Json, place: &str, required: &[&str]) -> Result<(), String> {
    if !matches!(value, Json::Object(_)) {
        return Err(format!("{place} must be object"));
    }
    match required.iter().find(|name| value.get(name).is_none()) {
        Some(name) => Err(format!("{place} must have required property '{name}'")),
        None => Ok(()),
    }
}

fn check_member(value: &Json, place: &str, name: &str, wanted: &str) -> Result<(), String> {
    let fits = match value.get(name) {
        None => true,
        Some(Json::String(_)) => wanted == "string",
        Some(Json::Array(_)) => wanted == "array",
        Some(Json::Bool(_)) => wanted == "boolean",
        Some(_) => false,
    };
    if fits { Ok(()) } else { Err(format!("{place}/{name} must be {wanted}")) }
}

/// The original's own rules, question by question, and what its dialog is given.
fn questions_of(arguments: &Json) -> Result<Vec<Question>, String> {
    arguments.items("questions").iter().enumerate().map(|(index, asked)| question(index, asked)).collect()
}

fn question(index: usize, asked: &Json) -> Result<Question, String> {
    let (number, options) = (index + 1, asked.items("options"));
    let kind = asked.string("type");
    if kind == Some("choice") && options.len() < 2 {
        return Err(format!("Question {number}: type='choice' requires 'options' array with 2-4 items."));
    }
    if kind == Some("choice") && options.len() > OPTIONS_MAX {
        return Err(format!("Question {number}: 'options' array must have at most {OPTIONS_MAX} items."));
    }
    let is_blank = |option: &Json| option.string("label").is_none_or(|label| javascript::trim(label).is_empty());
    if let Some(place) = options.iter().position(is_blank) {
        let place = place + 1;
        return Err(format!("Question {number}, option {place}: 'label' is required and must be a non-empty string."));
    }
    let is_text = kind == Some("text");
    let choice = match kind {
        Some("choice") => choice_options(options.iter().map(option)),
        Some("yesno") => choice_options(["Yes", "No"].map(|label| (label.to_owned(), None))),
        _ => Vec::new(),
    };
    let told = |name| asked.string(name).map(with_lines);
    let kind_of = if is_text { QuestionKind::Text } else { QuestionKind::Choice };
    Ok(Question {
        header: told("header"),
        options: choice,
        multi_select: kind == Some("choice") && asked.get("multiSelect") == Some(&Json::Bool(true)),
        placeholder: told("placeholder").filter(|_| is_text),
        multiline: is_text,
        ..Question::new(question_id(index), kind_of, told("question").unwrap_or_default())
    })
}

fn option(option: &Json) -> (String, Option<String>) {
    let description = option.string("description").map(|text| with_lines(javascript::trim(text)));
    (option.string("label").map(with_lines).unwrap_or_default(), description.filter(|text| !text.is_empty()))
}

/// Line ends that the model wrote as escapes inside its JSON text.
fn with_lines(text: &str) -> String {
    text.replace("\\r\\n", "\n").replace("\\n", "\n")
}
