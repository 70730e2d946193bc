//! An outcome as one plain text for a model.

use super::answer::{Answer, Answered};
use super::ask::Ask;
use super::call::Status;
use super::outcome::{Outcome, Provenance};

/// The text of an outcome: what a model needs to go on, with nobody's silence turned into a yes.
pub fn render(ask: &Ask, outcome: &Outcome) -> String {
    let mut lines = Vec::new();
    lines.push(headline(outcome));
    if let Some(reason) = outcome.reason.as_deref().filter(|reason| *reason != "unattended") {
        lines.push(format!("Reason: {reason}"));
    }
    if let Some(reply) = &outcome.reply {
        lines.push(reply.clone());
    }
    for (question, answer) in ask.questions.iter().zip(&outcome.answers) {
        lines.push(String::new());
        lines.push(format!("Question: {}", question.question));
        lines.push(format!("Answer: {}", words(answer)));
        if let Some(notes) = answer.notes.as_deref().filter(|notes| !notes.trim().is_empty()) {
            lines.push(format!("Note: {notes}"));
        }
    }
    lines.join("\n")
}

fn headline(outcome: &Outcome) -> String {
    let who = outcome.by.as_ref().map_or("Somebody", |by| by.name.as_str());
    match (outcome.status, outcome.provenance) {
        (Status::Answered, Provenance::Rule) => "A rule answered; no person did.".to_owned(),
        (Status::Answered, _) => format!("{who} answered."),
        (Status::Declined, _) if outcome.clarify => format!("{who} wants to be asked differently."),
        (Status::Declined, _) => format!("{who} declined to answer."),
        (Status::Cancelled, _) => "The question was withdrawn.".to_owned(),
        (Status::Expired, provenance) => expired(outcome, provenance).to_owned(),
        (Status::Pending, _) => "Nobody has answered yet.".to_owned(),
    }
}

fn expired(outcome: &Outcome, provenance: Provenance) -> &'static str {
    let is_unattended = outcome.reason.as_deref() == Some("unattended");
    match (is_unattended, provenance) {
        (true, Provenance::Default) => {
            "Nobody could be reached. These answers were declared for that case; no person gave them."
        }
        (true, _) => "Nobody could be reached. There is no answer.",
        (false, Provenance::Default) => {
            "Nobody answered in time. These answers were declared for that case; no person gave them."
        }
        (false, _) => "Nobody answered in time. There is no answer.",
    }
}

fn words(answer: &Answer) -> String {
    if answer.status == Answered::Skipped {
        return "(skipped)".to_owned();
    }
    let chosen = answer.selected.iter().map(|option| option.label.as_str());
    chosen.chain(answer.custom.as_deref()).collect::<Vec<_>>().join(", ")
}
