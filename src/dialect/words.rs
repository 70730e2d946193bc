//! Words of our own that several dialects say: above all, that no person answered. Silence never sounds like a choice.

use super::javascript;
use crate::domain::{Answer, Answered, Outcome, Provenance, Question, parts};

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

/// What was chosen, in the order of selection, own words last; nothing if it was left out.
pub(super) fn chosen(answer: &Answer) -> Vec<&str> {
    if answer.status == Answered::Skipped {
        return Vec::new();
    }
    answer.selected.iter().map(|option| option.label.as_str()).chain(answer.custom.as_deref()).collect()
}

/// The note without the blanks around it; none if nothing else is there.
pub(super) fn notes_of(answer: &Answer) -> Option<&str> {
    answer.notes.as_deref().map(javascript::trim).filter(|notes| !notes.is_empty())
}

/// A person's words for which an answer's result has no place: a reply to the whole, and notes. With `has_notes` the
/// result holds the notes of what was answered.
pub(super) fn words_beside(questions: &[Question], outcome: &Outcome, has_notes: bool) -> Option<String> {
    let notes = questions.iter().zip(&outcome.answers).filter_map(|(question, answer)| {
        let is_skipped = answer.status == Answered::Skipped;
        let notes = notes_of(answer).filter(|_| is_skipped || !has_notes)?;
        let which = if is_skipped { "unanswered " } else { "" };
        Some(format!("Note on the {which}question \"{}\": {notes}", question.question))
    });
    join(said(&outcome.reply).map(str::to_owned).into_iter().chain(notes))
}

/// What a person said when declining, for a dialect whose result has no place for it: the reason, the reply, the wish to
/// be asked differently, and what was typed before.
pub(super) fn words_of_refusal(questions: &[Question], outcome: &Outcome) -> Option<String> {
    let said = [&outcome.reason, &outcome.reply].into_iter().filter_map(|words| said(words).map(str::to_owned));
    let clarify = outcome.clarify.then(|| "The user wants to be asked differently.".to_owned());
    let typed = questions.iter().zip(&outcome.answers).filter_map(|(question, answer)| {
        let chosen = parts(question, answer).join(", ");
        let notes = notes_of(answer).map(|notes| format!(" (note: {notes})")).unwrap_or_default();
        (!chosen.is_empty() || !notes.is_empty()).then(|| format!("- \"{}\": {chosen}{notes}", question.question))
    });
    let typed: Vec<String> = typed.collect();
    let typed = (!typed.is_empty()).then(|| format!("Typed before declining:\n{}", typed.join("\n")));
    join(said.chain(clarify).chain(typed))
}

fn join(parts: impl Iterator<Item = String>) -> Option<String> {
    let parts: Vec<String> = parts.collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

fn why(outcome: &Outcome) -> String {
    if is_unattended(outcome) {
        "nobody could be reached".to_owned()
    } else {
        format!("the deadline ({}) passed", outcome.at)
    }
}
