//! What the model is told for each way in which a call can end.
//!
//! The original knows answers, a prompt that was dismissed, nobody to ask, and a run that is cancelled or late. Where no
//! person answered and yet there are answers, a sentence of ours says so first. `docs/dialects/zero.md` has a table.

use super::super::endings::{Endings, ran_out};
use super::super::words::chosen;
use super::super::{Rendered, ToolResult};
use super::NOBODY;
use crate::domain::{Answer, Call, Outcome, Provenance, Question};

const DISMISSED: &str = "[note] The user dismissed this prompt without answering. Treat this as a skip: do not assume a \
    default — ask again more specifically, or proceed only if the intent is already unambiguous.";

/// What the model is told about the call as it is.
pub(super) fn render(call: &Call, strict: bool) -> Rendered {
    if ran_out(call) {
        let result = stopped("context deadline exceeded");
        return Rendered { tool_result: Some(result), user_message: None, ends_run: true };
    }
    let endings = Endings {
        answered: &|call, outcome| ToolResult::text(answered(&call.ask.questions, outcome, strict)),
        declined: ToolResult::text(dismissed(&call.ask.questions)),
        declined_ends_run: false,
        unattended: Some(ToolResult::text(NOBODY)),
        cancelled: Some(stopped("context canceled")),
    };
    endings.render(call)
}

/// The original's run stops where the context of its prompt ends.
fn stopped(why: &str) -> ToolResult {
    ToolResult::error(format!("Error: ask_user canceled: {why}"))
}

fn answered(questions: &[Question], outcome: &Outcome, strict: bool) -> String {
    let is_dismissed = outcome.answers.iter().all(|answer| said(answer).is_none());
    // Only a person can dismiss; what was declared may well be nothing.
    if is_dismissed && outcome.provenance == Provenance::Human {
        return dismissed(questions);
    }
    pairs(questions, &outcome.answers, "(left blank)", strict)
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
    Some(chosen(answer).join(", ").trim().to_owned()).filter(|said| !said.is_empty())
}

/// With no line but the first at the margin, where it could pass for a question or an answer of its own.
fn indented(answer: &str) -> String {
    answer
        .replace("\r\n", "\n")
        .replace(['\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'], "\n")
        .replace('\n', "\n    ")
}
