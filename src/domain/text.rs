//! An outcome as one plain text for a model.

use super::answer::{Answer, Answered};
use super::approval::Approval;
use super::ask::Ask;
use super::call::Status;
use super::form::FormField;
use super::json::Json;
use super::outcome::{Outcome, Provenance};
use super::question::{Question, QuestionKind};

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
        lines.push(format!("Answer: {}", words(question, answer)));
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

/// What was answered, part by part: labels, own words, and a typed value in words. Nothing if it was left out.
pub fn parts(question: &Question, answer: &Answer) -> Vec<String> {
    let mut parts: Vec<String> = answer.selected.iter().map(|option| option.label.clone()).collect();
    match (question.kind, &answer.value) {
        (QuestionKind::Approval, value) => parts.extend(Approval::of(value.as_ref()).map(|approval| approval.words())),
        (kind, Some(value)) if kind.is_single() => {
            let unit = question.unit.as_deref().filter(|unit| !unit.trim().is_empty());
            parts
                .push([Some(plain(&value.parse()).as_str()), unit].into_iter().flatten().collect::<Vec<_>>().join(" "));
        }
        (_, Some(value)) => parts.extend(filled_in(question, &value.parse())),
        (_, None) => {}
    }
    parts.extend(answer.custom.clone());
    parts
}

/// A form's fields, each as `title: what was filled in`.
fn filled_in(question: &Question, value: &Json) -> Vec<String> {
    let Json::Object(members) = value else { return Vec::new() };
    let fields = question.form().map(|form| form.fields).unwrap_or_default();
    let words = members.iter().map(|(name, value)| {
        let label = fields.iter().find(|field| field.name == *name).map_or(name.as_str(), FormField::label);
        format!("{label}: {}", plain(value))
    });
    let words: Vec<String> = words.collect();
    if words.is_empty() { vec!["(nothing filled in)".to_owned()] } else { words }
}

/// A value without JSON's quotes where no quote is needed.
fn plain(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Bool(true) => "yes".to_owned(),
        Json::Bool(false) => "no".to_owned(),
        Json::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        other => other.to_text(),
    }
}

fn words(question: &Question, answer: &Answer) -> String {
    if answer.status == Answered::Skipped {
        return "(skipped)".to_owned();
    }
    let separator = if question.kind.is_typed() { "\n" } else { ", " };
    parts(question, answer).join(separator)
}
