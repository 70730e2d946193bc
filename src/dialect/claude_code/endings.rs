//! What the model is told for each way in which a call can end.
//!
//! The original knows an answer, a refusal, the wish to talk first, and that there is nobody to ask. The other endings
//! are ours and never sound like a choice: silence is not an answer. `docs/dialects/claude-code.md` has them as a table.

use super::super::words::{is_unattended, notes_of, said, with_declared, without_person, words_beside};
use super::super::{Rendered, ToolResult};
use super::record::{Record, answer_text};
use crate::domain::{Answer, Answered, Call, Outcome, Provenance, Question, Status};

const REJECTED: &str = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was \
    a file edit, the new_string was NOT written to the file). ";
const STOP: &str = "STOP what you are doing and wait for the user to tell you how to proceed.";
const USER_SAID: &str = "To tell you how to proceed, the user said:\n";

const CLARIFY: &str = "The user wants to clarify these questions.\n    \
    This means they may have additional information, context or questions for you.\n    \
    Take their response into account and then reformulate the questions if appropriate.\n";
const ASK_WHAT: &str = "    Start by asking them what they would like to clarify.\n";

/// What the original says where it has nobody to ask.
const NOBODY: &str = "Answer questions?";

/// What the model is told about the call as it is.
pub(super) fn render(call: &Call) -> Rendered {
    let Some(outcome) = call.read_outcome() else {
        // Pending, or erased: then nothing is known of it, and no result will come.
        return Rendered { ends_run: call.is_settled(), ..Rendered::default() };
    };
    let questions = &call.ask.questions;
    match outcome.status {
        Status::Answered => answered(questions, &outcome),
        Status::Declined => declined(questions, &outcome),
        Status::Expired => expired(questions, &outcome),
        Status::Pending | Status::Cancelled => Rendered { ends_run: true, ..Rendered::default() },
    }
}

fn answered(questions: &[Question], outcome: &Outcome) -> Rendered {
    let record = Record::of(questions, &outcome.answers);
    let result = match outcome.provenance {
        Provenance::Rule => ToolResult::text(with_declared(outcome, &record.sentence())),
        _ => ToolResult { structured: Some(record.updated_input(questions)), ..ToolResult::text(record.sentence()) },
    };
    Rendered { tool_result: Some(result), user_message: words_beside(questions, outcome, true), ends_run: false }
}

/// Declared answers have no structured form: from it a host would make the sentence alone, and the answers would pass
/// for a person's.
fn expired(questions: &[Question], outcome: &Outcome) -> Rendered {
    let result = if outcome.provenance == Provenance::Default {
        ToolResult::text(with_declared(outcome, &Record::of(questions, &outcome.answers).sentence()))
    } else if is_unattended(outcome) {
        ToolResult::error(NOBODY)
    } else {
        ToolResult::error(without_person(outcome))
    };
    Rendered { tool_result: Some(result), user_message: None, ends_run: false }
}

/// Without a word from the person the run stops; with words it goes on from them.
fn declined(questions: &[Question], outcome: &Outcome) -> Rendered {
    let is_typed = |answer: &Answer| answer.status == Answered::Answered || notes_of(answer).is_some();
    let mut parts: Vec<String> =
        [&outcome.reason, &outcome.reply].into_iter().filter_map(|words| said(words).map(str::to_owned)).collect();
    if outcome.clarify {
        let ask_what = if parts.is_empty() { ASK_WHAT } else { "" };
        parts.push(format!("{CLARIFY}{ask_what}\n    Questions asked:\n{}", list(questions, &outcome.answers)));
    } else if outcome.answers.iter().any(is_typed) {
        parts.push(format!("Questions asked and answers provided:\n{}", list(questions, &outcome.answers)));
    }
    let ends_run = parts.is_empty();
    let end = if ends_run { STOP.to_owned() } else { format!("{USER_SAID}{}", parts.join("\n\n")) };
    Rendered { tool_result: Some(ToolResult::error(format!("{REJECTED}{end}"))), user_message: None, ends_run }
}

/// Every question with what was typed so far.
fn list(questions: &[Question], answers: &[Answer]) -> String {
    let lines = questions.iter().enumerate().map(|(index, question)| {
        let answer = answers.get(index);
        let told = answer.and_then(answer_text).map(|text| format!("Answer: {text}"));
        let notes = answer.and_then(notes_of).map(|notes| format!("\n  User notes: {notes}")).unwrap_or_default();
        format!("- \"{}\"\n  {}{notes}", question.question, told.as_deref().unwrap_or("(No answer provided)"))
    });
    lines.collect::<Vec<_>>().join("\n")
}
