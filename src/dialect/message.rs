//! The answer as the user's next message: for tools that complete at once and say no more.
//!
//! Their originals leave the words of that message to the host, so they are ours: each question with its answer, and
//! every word of the person. Nothing is escaped; the call's `outcome` has the same in parts.

use super::words::{chosen, said, with_declared, without_person};
use super::{Rendered, Request, ToolResult};
use crate::domain::{Answer, Answered, Call, Outcome, Provenance, Question, Status};

const DECLINED: &str = "The user declined to answer. Nothing was chosen; do not take this as agreement.";
const CLARIFY: &str = "The user has not answered yet: they want to clarify first. Take what they say into account, and \
    ask again in another way if you still need to know.";
const TYPED: &str = "What was typed before that, and is no answer yet:";
const ASK_WHAT: &str = "Start by asking them what they would like to clarify.";

/// A call of a tool whose result was there as soon as it was asked.
///
/// The originals let the model go on without an answer. `strict` stops the run until there is one, and so does a
/// withdrawal: no message will come.
pub(super) fn render(request: &Request<'_>, call: &Call, tool_result: Option<ToolResult>) -> Rendered {
    let ends_run = match call.status {
        Status::Pending => request.is_strict(),
        Status::Cancelled => true,
        Status::Answered | Status::Declined | Status::Expired => false,
    };
    Rendered { tool_result, user_message: call.read_outcome().and_then(|outcome| tell(call, &outcome)), ends_run }
}

fn tell(call: &Call, outcome: &Outcome) -> Option<String> {
    let questions = &call.ask.questions;
    match (outcome.status, outcome.provenance) {
        (Status::Answered, Provenance::Rule) | (Status::Expired, Provenance::Default) => {
            let reply = said(&outcome.reply).map(str::to_owned);
            let told: Vec<String> = reply.into_iter().chain(blocks(questions, outcome)).collect();
            Some(with_declared(outcome, &told.join("\n\n")))
        }
        (Status::Answered, _) => Some(person(headline(questions, outcome).to_owned(), questions, outcome)),
        (Status::Declined, _) => Some(person(refusal(outcome), questions, outcome)),
        (Status::Expired, _) => Some(without_person(outcome)),
        (Status::Pending | Status::Cancelled, _) => None,
    }
}

fn headline(questions: &[Question], outcome: &Outcome) -> &'static str {
    match (outcome.answers.iter().any(is_answered), questions.len()) {
        (true, 1) => "The user answered your question.",
        (true, _) => "The user answered your questions.",
        (false, 1) => "The user left your question unanswered.",
        (false, _) => "The user left all your questions unanswered.",
    }
}

fn refusal(outcome: &Outcome) -> String {
    let has_words = said(&outcome.reason).or(said(&outcome.reply)).is_some();
    match (outcome.clarify, has_words) {
        (false, _) => DECLINED.to_owned(),
        (true, true) => CLARIFY.to_owned(),
        (true, false) => format!("{CLARIFY} {ASK_WHAT}"),
    }
}

/// What a person did: their words beside the answers, and each question, unless there is nothing to tell of any.
fn person(headline: String, questions: &[Question], outcome: &Outcome) -> String {
    let mut parts = vec![headline];
    let words = [said(&outcome.reason), said(&outcome.reply)].into_iter().flatten();
    parts.extend(words.map(|words| format!("The user said: {words}")));
    if outcome.answers.iter().any(|answer| is_answered(answer) || said(&answer.notes).is_some()) {
        parts.extend((outcome.status == Status::Declined).then(|| TYPED.to_owned()));
        parts.extend(blocks(questions, outcome));
    }
    parts.join("\n\n")
}

fn blocks<'a>(questions: &'a [Question], outcome: &'a Outcome) -> impl Iterator<Item = String> + 'a {
    questions.iter().zip(&outcome.answers).map(|(question, answer)| block(question, answer))
}

fn block(question: &Question, answer: &Answer) -> String {
    let told = if is_answered(answer) { chosen(answer).join(", ") } else { "(left unanswered)".to_owned() };
    let note = said(&answer.notes).map(|note| format!("\nNote: {note}")).unwrap_or_default();
    format!("Question: {}\nAnswer: {told}{note}", question.question)
}

fn is_answered(answer: &Answer) -> bool {
    answer.status == Answered::Answered
}
