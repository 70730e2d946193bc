//! Words of our own that several dialects say: above all, that no person answered. Silence never sounds like a choice.

use crate::domain::{Answer, Outcome, Provenance, Question, Status};

/// The reason of an outcome where no person could be reached.
const UNATTENDED: &str = "unattended";

/// Whether the call ended because no person could be reached when it was asked.
pub(super) fn is_unattended(outcome: &Outcome) -> bool {
    outcome.reason.as_deref() == Some(UNATTENDED)
}

/// That nobody answered, and why.
pub(super) fn without_person(outcome: &Outcome) -> String {
    format!("No person answered: {}. Nothing was chosen; do not take this as agreement.", why(outcome))
}

/// What a dialect says of answers that no person gave, after a sentence that says so.
pub(super) fn with_declared(outcome: &Outcome, told: &str) -> String {
    let why = match outcome.provenance {
        Provenance::Rule => "a rule did".to_owned(),
        _ => format!("{}, and these answers were declared for that case when the questions were asked", why(outcome)),
    };
    format!("No person answered: {why}.\n{told}")
}

/// Words that say something.
pub(super) fn said(words: &Option<String>) -> Option<&str> {
    words.as_deref().filter(|words| !words.trim().is_empty())
}

/// A person's words for which a tool's result has no place: why it was declined, a reply to the whole, the wish to be
/// asked differently, notes, and what was typed before declining.
pub(super) fn beside(questions: &[Question], outcome: &Outcome) -> Option<String> {
    if outcome.provenance != Provenance::Human || outcome.status == Status::Cancelled {
        return None;
    }
    let mut words: Vec<String> =
        [&outcome.reason, &outcome.reply].into_iter().filter_map(|words| said(words).map(str::to_owned)).collect();
    if outcome.clarify {
        words.push("The user wants to be asked differently.".to_owned());
    }
    for (question, answer) in questions.iter().zip(&outcome.answers) {
        if let Some(typed) = typed(answer).filter(|_| outcome.status == Status::Declined) {
            words.push(format!("Typed for the question \"{}\" before declining: {typed}", question.question));
        }
        if let Some(notes) = said(&answer.notes) {
            words.push(format!("Note on the question \"{}\": {notes}", question.question));
        }
    }
    (!words.is_empty()).then(|| words.join("\n\n"))
}

fn typed(answer: &Answer) -> Option<String> {
    let chosen = answer.selected.iter().map(|option| option.label.as_str());
    let all: Vec<&str> = chosen.chain(answer.custom.as_deref()).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

fn why(outcome: &Outcome) -> String {
    if is_unattended(outcome) {
        "nobody could be reached".to_owned()
    } else {
        format!("the deadline ({}) passed", outcome.at)
    }
}
