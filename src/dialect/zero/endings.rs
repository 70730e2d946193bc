//! What the model is told for each way in which a call can end.
//!
//! The original knows answers, a prompt that was dismissed, nobody to ask, and a run that is cancelled or late. Where no
//! person answered and yet there are answers, a sentence of ours says so first. `docs/dialects/zero.md` has a table.

use super::super::words::{beside, is_unattended, with_declared};
use super::super::{Rendered, ToolResult};
use super::NOBODY;
use crate::domain::{Answer, Call, Provenance, Question, Status};

const DISMISSED: &str = "[note] The user dismissed this prompt without answering. Treat this as a skip: do not assume a \
    default — ask again more specifically, or proceed only if the intent is already unambiguous.";

/// What the model is told about the call as it is.
pub(super) fn render(call: &Call, strict: bool) -> Rendered {
    let Some(outcome) = call.read_outcome() else {
        // Pending, or erased: then nothing is known of it, and no result will come.
        return Rendered { ends_run: call.is_settled(), ..Rendered::default() };
    };
    let questions = &call.ask.questions;
    let result = match (outcome.status, outcome.provenance) {
        (Status::Answered, Provenance::Human) => ToolResult::text(answered(questions, &outcome.answers, strict)),
        (Status::Answered, _) | (Status::Expired, Provenance::Default) => {
            ToolResult::text(with_declared(&outcome, &pairs(questions, &outcome.answers, "(left blank)", strict)))
        }
        (Status::Declined, _) => ToolResult::text(dismissed(questions)),
        (Status::Expired, _) if is_unattended(&outcome) => ToolResult::text(NOBODY),
        (Status::Expired, _) => return stopped("context deadline exceeded"),
        (Status::Cancelled | Status::Pending, _) => return stopped("context canceled"),
    };
    Rendered { tool_result: Some(result), user_message: beside(questions, &outcome), ends_run: false }
}

/// The original stops its run where the context of its prompt ends.
fn stopped(why: &str) -> Rendered {
    let result = ToolResult::error(format!("Error: ask_user canceled: {why}"));
    Rendered { tool_result: Some(result), user_message: None, ends_run: true }
}

fn answered(questions: &[Question], answers: &[Answer], strict: bool) -> String {
    let is_dismissed = answers.iter().all(|answer| said(answer).is_none());
    if is_dismissed { dismissed(questions) } else { pairs(questions, answers, "(left blank)", strict) }
}

fn dismissed(questions: &[Question]) -> String {
    format!("{DISMISSED}\n\n{}", pairs(questions, &[], "(skipped)", false))
}

/// Every question with its answer, or with the word for none.
fn pairs(questions: &[Question], answers: &[Answer], none: &str, strict: bool) -> String {
    let pairs = questions.iter().enumerate().map(|(index, question)| {
        let answer = answers.get(index).and_then(said).unwrap_or_else(|| none.to_owned());
        let answer = if strict { indented(&answer) } else { answer };
        format!("{}. [question] {}\n[answer] {answer}", index + 1, question.question)
    });
    pairs.collect::<Vec<_>>().join("\n\n")
}

/// What was chosen and written, if that is anything.
fn said(answer: &Answer) -> Option<String> {
    let chosen = answer.selected.iter().map(|option| option.label.as_str());
    let all = chosen.chain(answer.custom.as_deref()).collect::<Vec<_>>().join(", ");
    Some(all.trim().to_owned()).filter(|all| !all.is_empty())
}

/// With no line but the first at the margin, where it could pass for a question or an answer of its own.
fn indented(answer: &str) -> String {
    answer
        .replace("\r\n", "\n")
        .replace(['\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'], "\n")
        .replace('\n', "\n    ")
}
