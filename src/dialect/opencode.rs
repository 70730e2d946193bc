//! `opencode`: the tool `question` of opencode 1.19, and the event `question.asked` of its server.
//!
//! Derived by reading, not recorded. The structured result is what `POST /question/{id}/reply` takes, so that a plugin or
//! a program beside opencode hands it on as it is.

use super::endings::Endings;
use super::words::chosen;
use super::{
    AskParts, Dialect, Parsed, Rendered, Request, Tool, ToolResult, choice_options, json, object, question_id, text,
};
use crate::domain::json::Json;
use crate::domain::{Call, Faults, Outcome, Question, QuestionKind};

/// The definition for a model.
const DEFINITION: Tool = Tool {
    name: "question",
    description: "Ask the person you work for questions while you work, and wait for the answers: for a preference, a \
        decision, or to make an unclear instruction clear. The person can also answer in their own words, so do not offer \
        an option for that. Put the option that you recommend first.",
    input_schema: concat!(
        r#"{"type":"object","properties":{"questions":{"type":"array","items":{"type":"object","properties":{"#,
        r#""question":{"type":"string","description":"The whole question."},"#,
        r#""header":{"type":"string","description":"A very short name for it, at most 30 characters."},"#,
        r#""options":{"type":"array","items":{"type":"object","properties":{"#,
        r#""label":{"type":"string","description":"What the person chooses: 1 to 5 words."},"#,
        r#""description":{"type":"string","description":"What choosing it means."}},"required":["label","description"]}},"#,
        r#""multiple":{"type":"boolean","description":"Whether several options may be chosen."}},"#,
        r#""required":["question","header","options"]}}},"required":["questions"]}"#,
    ),
};

const DISMISSED: &str = "The user dismissed this question";
const ABORTED: &str = "Tool execution aborted";

/// The dialect.
#[derive(Debug)]
pub struct Opencode;

impl Dialect for Opencode {
    fn name(&self) -> &'static str {
        "opencode"
    }

    fn variants(&self) -> &'static [&'static str] {
        &["1.19"]
    }

    fn tool(&self) -> Option<Tool> {
        Some(DEFINITION)
    }

    fn parse(&self, request: &Request<'_>) -> Result<Parsed, Faults> {
        let arguments = json::read_arguments(request.raw)?.map_err(|error| format!("no JSON: {error}"));
        Ok(match arguments.and_then(|arguments| questions_of(&arguments)) {
            Ok(questions) if questions.is_empty() => Parsed::Done(told(&[], &[])),
            Ok(questions) => Parsed::Ask(Box::new(AskParts { questions, title: None })),
            Err(why) => Parsed::Refused {
                result: ToolResult::error(format!(
                    "The question tool was called with invalid arguments: {why}.\nPlease rewrite the input so it satisfies \
                     the expected schema."
                )),
                code: "invalid_arguments".to_owned(),
            },
        })
    }

    fn render(&self, _request: &Request<'_>, call: &Call) -> Rendered {
        let endings = Endings {
            answered: &answered,
            declined: ToolResult::error(DISMISSED),
            declined_ends_run: true,
            unattended: None,
            cancelled: Some(ToolResult::error(ABORTED)),
        };
        endings.render(call)
    }
}

fn answered(call: &Call, outcome: &Outcome) -> ToolResult {
    let answers: Vec<Vec<&str>> = outcome.answers.iter().map(chosen).collect();
    told(&call.ask.questions, &answers)
}

/// The sentence, and the lists of labels and own words in the questions' order.
fn told(questions: &[Question], answers: &[Vec<&str>]) -> ToolResult {
    let pairs = questions.iter().zip(answers).map(|(question, answer)| {
        let answer = if answer.is_empty() { "Unanswered".to_owned() } else { answer.join(", ") };
        format!("\"{}\"=\"{answer}\"", question.question)
    });
    let pairs = pairs.collect::<Vec<_>>().join(", ");
    let lists = answers.iter().map(|answer| Json::Array(answer.iter().map(|entry| text(entry)).collect()));
    ToolResult {
        structured: Some(object([("answers", Json::Array(lists.collect()))]).to_text()),
        ..ToolResult::text(format!(
            "User has answered your questions: {pairs}. You can now continue with the user's answers in mind."
        ))
    }
}

/// Unknown members pass. `custom` is no member of the tool, but of the event.
fn questions_of(arguments: &Json) -> Result<Vec<Question>, String> {
    let Some(Json::Array(asked)) = arguments.get("questions") else {
        return Err("questions should be an array".to_owned());
    };
    asked.iter().enumerate().map(|(index, asked)| question(index, asked)).collect()
}

fn question(index: usize, asked: &Json) -> Result<Question, String> {
    let place = format!("questions[{index}]");
    let Some(Json::Array(options)) = asked.get("options") else {
        return Err(format!("{place}.options should be an array"));
    };
    let option = |(index, option): (usize, &Json)| {
        let place = format!("{place}.options[{index}]");
        Ok((string(option, &place, "label")?, Some(string(option, &place, "description")?)))
    };
    let options = options.iter().enumerate().map(option).collect::<Result<Vec<_>, String>>()?;
    let kind = if options.is_empty() { QuestionKind::Text } else { QuestionKind::Choice };
    let allow_custom = flag(asked, &place, "custom")?.unwrap_or(true);
    Ok(Question {
        header: Some(string(asked, &place, "header")?),
        multi_select: flag(asked, &place, "multiple")?.unwrap_or(false) && !options.is_empty(),
        allow_custom: allow_custom || options.is_empty(),
        multiline: options.is_empty(),
        options: choice_options(options),
        ..Question::new(question_id(index), kind, string(asked, &place, "question")?)
    })
}

fn string(value: &Json, place: &str, name: &str) -> Result<String, String> {
    value.string(name).map(str::to_owned).ok_or_else(|| format!("{place}.{name} should be a string"))
}

fn flag(value: &Json, place: &str, name: &str) -> Result<Option<bool>, String> {
    match value.get(name) {
        None => Ok(None),
        Some(Json::Bool(flag)) => Ok(Some(*flag)),
        Some(_) => Err(format!("{place}.{name} should be a boolean")),
    }
}
