//! `hydra`: the tool `ask_user_question` of Hydra, an agent on the DeepSeek Harness, to the byte.
//!
//! The checks are made in the original's order: the guard against generic menus (`guard`), the arguments' schema
//! (`schema`), then who asks. Each ending is told in the original's words or, where it has none, in ours (`endings`).

mod endings;
mod guard;
mod schema;

use self::schema::Asked;
use super::{AskParts, Dialect, Parsed, Rendered, Request, Tool, ToolResult, choice_options, json, question_id};
use crate::domain::json::Json;
use crate::domain::{Call, Faults, Question, QuestionKind};

const DEFINITION: Tool = Tool {
    name: "ask_user_question",
    description: "Ask the person you work for one or more short questions, and wait for the answers. Use it only if a \
        concrete task is blocked: you need a confirmation, a choice that is truly the person's, or a fact that looking \
        around cannot give you. Do not use it to greet, to chat, or to offer a menu of things that you could do. Give \
        each question an id of its own: the answer has it.",
    input_schema: concat!(
        r#"{"type":"object","properties":{"questions":{"type":"array","#,
        r#""description":"The questions, answered together.","items":{"type":"object","additionalProperties":true,"#,
        r#""properties":{"id":{"type":"string","description":"By what you know the answer."},"#,
        r#""question":{"type":"string","description":"The whole question."},"#,
        r#""header":{"type":"string","description":"A word or two that name it."},"#,
        r#""options":{"type":"array","description":"What can be chosen. Put the option that you would choose first, "#,
        r#"and (Recommended) at the end of its label.","items":{"type":"object","additionalProperties":true,"#,
        r#""properties":{"label":{"type":"string","description":"What the person chooses: a few words."},"#,
        r#""description":{"type":"string","description":"What choosing it means, in a sentence."}},"#,
        r#""required":["label"]}},"#,
        r#""multi_select":{"type":"boolean","description":"Whether several options may be chosen; false if left out."}"#,
        r#"},"required":["id","question"]}}},"required":["questions"]}"#,
    ),
};

const LOSSY: &str = "tool execution arguments must be losslessly JSON-serializable";
const EMPTY: &str = "ask_user_question requires at least one question";
const NOT_LIVE: &str = "human interaction requires the exact live calling agent when an agent is supplied";
const DELEGATED: &str = "human interaction is unavailable while the calling agent is owned by another live agent; \
    include the unresolved question or decision in the child agent's final result";

/// The dialect.
#[derive(Debug)]
pub struct Hydra;

/// Why the tool refuses: the original's code, or ours where it has none, and what the model sees.
struct Refusal {
    code: &'static str,
    message: String,
}

impl Dialect for Hydra {
    fn name(&self) -> &'static str {
        "hydra"
    }

    fn variants(&self) -> &'static [&'static str] {
        &["0.1.0-rc.8"]
    }

    fn tool(&self) -> Option<Tool> {
        Some(DEFINITION)
    }

    fn parse(&self, request: &Request<'_>) -> Result<Parsed, Faults> {
        let (user_text, caller) = (guard::latest_user_text(request)?, request.text("caller")?);
        let arguments = match json::read_arguments(request.raw)? {
            Ok(arguments) => arguments,
            Err(error) => return Ok(refuse(invalid(&format!("\"arguments\" must be JSON: {error}")))),
        };
        let asked = check(&arguments, user_text.as_deref(), caller, request.is_strict());
        Ok(asked.map_or_else(refuse, |asked| {
            let questions = asked.into_iter().enumerate().map(|(index, asked)| question(index, asked)).collect();
            Parsed::Ask(Box::new(AskParts { questions, title: None }))
        }))
    }

    fn render(&self, request: &Request<'_>, call: &Call) -> Rendered {
        endings::render(request.raw, call)
    }
}

/// Every check of the original, in its order.
fn check(arguments: &Json, user_text: Option<&str>, caller: Option<&str>, strict: bool) -> Result<Vec<Asked>, Refusal> {
    let refusal = |code, message: &str| Err(Refusal { code, message: message.to_owned() });
    if !schema::is_lossless(arguments) {
        return refusal("LOSSY_ARGS", LOSSY);
    }
    if guard::stops(arguments, user_text, strict) {
        return refusal("GENERIC_MENU", guard::REASON);
    }
    let asked = schema::check(arguments).map_err(|violations| invalid(&violations.join("; ")))?;
    match caller {
        _ if asked.is_empty() => refusal("EMPTY_QUESTIONS", EMPTY),
        None | Some("root") => Ok(asked),
        Some("child") => refusal("DELEGATED_CALLER", DELEGATED),
        Some(_) => refusal("CALLER_NOT_LIVE", NOT_LIVE),
    }
}

fn invalid(violations: &str) -> Refusal {
    Refusal { code: "INVALID_ARGS", message: format!("invalid arguments: {violations}") }
}

fn refuse(refusal: Refusal) -> Parsed {
    let result = ToolResult::error(format!("Error: {}", refusal.message));
    Parsed::Refused { result, code: refusal.code.to_owned() }
}

fn question(index: usize, asked: Asked) -> Question {
    let (labels, previews): (Vec<_>, Vec<_>) = asked.options.into_iter().unzip();
    let mut options = choice_options(labels);
    for (option, preview) in options.iter_mut().zip(previews) {
        option.preview = preview;
    }
    let kind = if options.is_empty() { QuestionKind::Text } else { QuestionKind::Choice };
    Question {
        header: asked.header,
        options,
        multi_select: asked.multi_select && kind == QuestionKind::Choice,
        multiline: kind == QuestionKind::Text,
        ..Question::new(question_id(index), kind, asked.question)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(raw: &str, context: &str) -> String {
        let context = Json::parse(context, 64).unwrap();
        let parsed = Request::check(&Hydra, raw, &context).and_then(|request| Hydra.parse(&request));
        parsed.unwrap_err().into_vec().remove(0).pointer
    }

    #[test]
    fn a_request_that_no_model_can_mend_is_a_fault() {
        assert_eq!(fault(&"[".repeat(65), "{}"), "/arguments");
        assert_eq!(fault("{}", r#"{"caller":1}"#), "/context/caller");
        assert_eq!(fault("{}", r#"{"latest_user_text":[]}"#), "/context/latest_user_text");
        assert_eq!(fault("{}", r#"{"session_events":{}}"#), "/context/session_events");
    }

    #[test]
    fn events_of_other_shapes_are_passed_over() {
        let context = r#"{"session_events":[{"type":"user/message","data":{"source":{"kind":"user"},
            "content":[{"type":"text","text":"improve"},{"type":"text","text":7}]}},null,7,{"type":"user/message"},
            {"type":"user/message","data":{"source":null}}]}"#;
        let context = Json::parse(context, 64).unwrap();
        let raw = r#"{"questions":[{"question":"quality, safety, latency"}]}"#;
        let request = Request::check(&Hydra, raw, &context).unwrap();
        let Parsed::Refused { code, .. } = Hydra.parse(&request).unwrap() else { panic!("it was accepted") };
        assert_eq!(code, "GENERIC_MENU");
    }
}
