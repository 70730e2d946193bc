//! What the model is told for each way in which a call can end.
//!
//! The original knows answers, skipped questions, an abort, and that there is nobody to ask. The other endings are ours;
//! `docs/dialects/hydra.md` has them as a table. Ids and labels are those of the arguments, with half of a surrogate pair
//! as `JSON.stringify` writes it.

use super::super::endings::{Endings, ran_out};
use super::super::{Rendered, ToolResult, javascript, json, utf16};
use crate::domain::json::{Json, write_string};
use crate::domain::{Answer, Call, Question};

const ABORTED: &str = "Error: ask_user_question was aborted before the user answered";
const EXPIRED: &str = "Error: the question expired before the user answered";
const NO_PROVIDER: &str = "Error: no user-questions provider is registered";

/// Writes a text of the arguments, which is marked (`utf16`), as a JSON string.
type Write = fn(&mut String, &str);

/// What the model is told about the call as it is.
pub(super) fn render(raw: &str, call: &Call) -> Rendered {
    if ran_out(call) {
        return Rendered { tool_result: Some(ToolResult::error(EXPIRED)), ..Rendered::default() };
    }
    let arguments = json::read_as_utf16(raw).unwrap_or(Json::Null);
    let told = |answers: &[Answer]| ToolResult {
        structured: Some(value(&arguments, call, answers, |out, marked| write_string(out, &utf16::to_utf8(marked)))),
        ..ToolResult::text(value(&arguments, call, answers, utf16::write_json))
    };
    let endings = Endings {
        answered: &|_, outcome| told(&outcome.answers),
        declined: told(&[]),
        declined_ends_run: false,
        unattended: Some(ToolResult::error(NO_PROVIDER)),
        cancelled: Some(ToolResult::error(ABORTED)),
    };
    endings.render(call)
}

/// The tool's value as JSON text. A question without an answer is one that was skipped.
fn value(arguments: &Json, call: &Call, answers: &[Answer], write: Write) -> String {
    let asked = arguments.items("questions").iter().zip(&call.ask.questions).enumerate();
    let items = asked.map(|(index, (asked, question))| item(asked, question, answers.get(index), write));
    format!("{{\"answers\":[{}]}}", items.collect::<Vec<_>>().join(","))
}

fn item(asked: &Json, question: &Question, answer: Option<&Answer>, write: Write) -> String {
    let quoted = |marked: Option<&str>| {
        let mut out = String::new();
        write(&mut out, marked.unwrap_or_default());
        out
    };
    let labels = asked.items("options").iter().zip(&question.options);
    let label_of = |id: &str| labels.clone().find(|(_, option)| option.id == id)?.0.string("label");
    let selected = answer.map(|answer| answer.selected.as_slice()).unwrap_or_default();
    let selected: Vec<String> = selected.iter().map(|option| quoted(label_of(&option.id))).collect();
    let mut item = format!("{{\"id\":{},\"selected\":[{}]", quoted(asked.string("id")), selected.join(","));
    let custom = answer.and_then(|answer| answer.custom.as_deref()).map(javascript::trim);
    if let Some(custom) = custom.filter(|custom| !custom.is_empty()) {
        item.push_str(",\"custom\":");
        write_string(&mut item, custom);
    }
    item.push('}');
    item
}
