//! What the model is told for each way in which a call can end.
//!
//! The original knows answers, skipped questions, an abort, and that there is nobody to ask. The other endings are ours;
//! `docs/dialects/hydra.md` has them as a table.

use super::super::words::{beside, is_unattended, with_declared};
use super::super::{Rendered, ToolResult, javascript};
use crate::domain::json::write_string;
use crate::domain::{Answer, Call, Provenance, Status};

const ABORTED: &str = "Error: ask_user_question was aborted before the user answered";
const EXPIRED: &str = "Error: the question expired before the user answered";
const NO_PROVIDER: &str = "Error: no user-questions provider is registered";

/// What the model is told about the call as it is, with the questions' own ids.
pub(super) fn render(call: &Call, ids: &[String]) -> Rendered {
    let Some(outcome) = call.read_outcome() else {
        // Pending, or erased: then nothing is known of it, and no result will come.
        return Rendered { ends_run: call.is_settled(), ..Rendered::default() };
    };
    let result = match (outcome.status, outcome.provenance) {
        (Status::Answered, Provenance::Human) => given(value(ids, &outcome.answers)),
        (Status::Answered, _) | (Status::Expired, Provenance::Default) => {
            ToolResult::text(with_declared(&outcome, &value(ids, &outcome.answers)))
        }
        (Status::Declined, _) => given(value(ids, &[])),
        (Status::Expired, _) if is_unattended(&outcome) => ToolResult::error(NO_PROVIDER),
        (Status::Expired, _) => ToolResult::error(EXPIRED),
        (Status::Cancelled | Status::Pending, _) => ToolResult::error(ABORTED),
    };
    Rendered {
        tool_result: Some(result),
        user_message: beside(&call.ask.questions, &outcome),
        ends_run: outcome.status == Status::Cancelled,
    }
}

/// The tool's text is its value's JSON.
fn given(value: String) -> ToolResult {
    ToolResult { structured: Some(value.clone()), ..ToolResult::text(value) }
}

/// The tool's value. A question without an answer is one that was skipped.
fn value(ids: &[String], answers: &[Answer]) -> String {
    let answers = ids.iter().enumerate().map(|(index, id)| item(id, answers.get(index)));
    format!("{{\"answers\":[{}]}}", answers.collect::<Vec<_>>().join(","))
}

fn item(id: &str, answer: Option<&Answer>) -> String {
    let selected = answer.map(|answer| answer.selected.as_slice()).unwrap_or_default();
    let selected: Vec<String> = selected.iter().map(|option| quoted(&option.label)).collect();
    let custom = answer.and_then(|answer| answer.custom.as_deref()).map(javascript::trim);
    let custom = custom.filter(|custom| !custom.is_empty()).map(|custom| format!(",\"custom\":{}", quoted(custom)));
    let (id, selected, custom) = (quoted(id), selected.join(","), custom.unwrap_or_default());
    format!("{{\"id\":{id},\"selected\":[{selected}]{custom}}}")
}

fn quoted(text: &str) -> String {
    let mut out = String::new();
    write_string(&mut out, text);
    out
}
