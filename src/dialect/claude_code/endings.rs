//! What the model is told for each way in which a call can end.
//!
//! The original knows an answer, a refusal, the wish to talk first, and that there is nobody to ask. The other endings
//! are ours and never sound like a choice: silence is not an answer. `docs/dialects/claude-code.md` has them as a table.

use super::super::words::{is_unattended, notes_of, said, with_declared, without_person, words_beside};
use super::super::{Rendered, ToolResult};
use super::record::{Record, answer_text};
use super::version::Version;
use crate::domain::{Answer, Answered, Call, Outcome, Provenance, Question, Status};

const REJECTED: &str = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was \
    a file edit, the new_string was NOT written to the file). ";
const STOP: &str = "STOP what you are doing and wait for the user to tell you how to proceed.";
const USER_SAID: &str = "To tell you how to proceed, the user said:\n";

const CLARIFY: &str = "The user wants to clarify these questions.\n    \
    This means they may have additional information, context or questions for you.\n    \
    Take their response into account and then reformulate the questions if appropriate.\n";
const ASK_WHAT: &str = "    Start by asking them what they would like to clarify.\n";

/// What the model is told about the call as it is.
pub(super) fn render(version: Version, call: &Call) -> Rendered {
    let Some(outcome) = call.read_outcome() else {
        // Pending, or erased: then nothing is known of it, and no result will come.
        return Rendered { ends_run: call.is_settled(), ..Rendered::default() };
    };
    let questions = &call.ask.questions;
    match outcome.status {
        Status::Answered => answered(version, questions, &outcome),
        Status::Declined => declined(version, questions, &outcome),
        Status::Expired => expired(version, questions, &outcome),
        Status::Pending | Status::Cancelled => Rendered { ends_run: true, ..Rendered::default() },
    }
}

fn answered(version: Version, questions: &[Question], outcome: &Outcome) -> Rendered {
    let record = Record::of(version, questions, &outcome.answers);
    let is_rule = outcome.provenance == Provenance::Rule;
    // Beside answers a response would hide them.
    let is_response = version == Version::V332 && record.is_empty() && !is_rule;
    let response = said(&outcome.reply).filter(|_| is_response);
    let sentence = record.sentence(response);
    let result = if is_rule {
        ToolResult::text(with_declared(outcome, &sentence))
    } else {
        ToolResult { structured: Some(record.updated_input(response)), ..ToolResult::text(sentence) }
    };
    let user_message = match version {
        Version::V89 => words_beside(questions, outcome, true),
        Version::V332 => said(&outcome.reply).filter(|_| !is_response).map(str::to_owned),
    };
    Rendered { tool_result: Some(result), user_message, ends_run: false }
}

/// Declared answers have no structured form: from it a host would make the sentence alone, and the answers would pass
/// for a person's.
fn expired(version: Version, questions: &[Question], outcome: &Outcome) -> Rendered {
    let result = if outcome.provenance == Provenance::Default {
        ToolResult::text(with_declared(outcome, &Record::of(version, questions, &outcome.answers).sentence(None)))
    } else if is_unattended(outcome) {
        version.nobody()
    } else {
        ToolResult::error(without_person(outcome))
    };
    Rendered { tool_result: Some(result), user_message: None, ends_run: false }
}

/// Without a word from the person the run stops; with words it goes on from them.
fn declined(version: Version, questions: &[Question], outcome: &Outcome) -> Rendered {
    let is_typed = |answer: &Answer| answer.status == Answered::Answered || notes_of(answer).is_some();
    let mut parts: Vec<String> =
        [&outcome.reason, &outcome.reply].into_iter().filter_map(|words| said(words).map(str::to_owned)).collect();
    if outcome.clarify {
        let ask_what = if parts.is_empty() { ASK_WHAT } else { "" };
        parts
            .push(format!("{CLARIFY}{ask_what}\n    Questions asked:\n{}", list(version, questions, &outcome.answers)));
    } else if outcome.answers.iter().any(is_typed) {
        parts.push(format!("Questions asked and answers provided:\n{}", list(version, questions, &outcome.answers)));
    }
    let ends_run = parts.is_empty();
    let end = if ends_run { STOP.to_owned() } else { format!("{USER_SAID}{}", parts.join("\n\n")) };
    Rendered { tool_result: Some(ToolResult::error(format!("{REJECTED}{end}"))), user_message: None, ends_run }
}

/// Every question with what was typed so far.
fn list(version: Version, questions: &[Question], answers: &[Answer]) -> String {
    let lines = questions.iter().enumerate().map(|(index, question)| {
        let answer = answers.get(index);
        let told =
            answer.and_then(|answer| answer_text(version, question, answer)).map(|text| format!("Answer: {text}"));
        let notes = answer.and_then(notes_of).map(|notes| format!("\n  User notes: {notes}")).unwrap_or_default();
        format!("- \"{}\"\n  {}{notes}", question.question, told.as_deref().unwrap_or("(No answer provided)"))
    });
    lines.collect::<Vec<_>>().join("\n")
}
