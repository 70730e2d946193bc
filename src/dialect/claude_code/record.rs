//! Answers in the original's own form, and the one sentence that it makes of them.

use super::super::words::{chosen, notes_of};
use super::super::{javascript, object, text};
use crate::domain::json::Json;
use crate::domain::{Answer, Answered, Question};

/// What stands beside an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Annotation {
    /// The preview of the chosen option.
    pub preview: Option<String>,
    /// The person's note.
    pub notes: Option<String>,
}

/// The sentence for answers by question text, with annotations by question text.
///
/// Exact to the original, which escapes nothing and checks nothing: the answers come in the order of a JavaScript
/// object's members, empty previews and notes are left out, annotations of other questions are lost.
pub fn render_record(answers: &[(String, String)], annotations: &[(String, Annotation)]) -> String {
    let mut ordered: Vec<(String, &str)> =
        answers.iter().map(|(question, answer)| (question.clone(), answer.as_str())).collect();
    javascript::order_members(&mut ordered);
    let told: Vec<String> = ordered
        .iter()
        .map(|(question, answer)| {
            let annotation = annotations.iter().find(|(name, _)| name == question).map(|(_, annotation)| annotation);
            tell(question, answer, annotation)
        })
        .collect();
    format!(
        "User has answered your questions: {}. You can now continue with the user's answers in mind.",
        told.join(", ")
    )
}

fn tell(question: &str, answer: &str, annotation: Option<&Annotation>) -> String {
    let mut text = format!("\"{question}\"=\"{answer}\"");
    let member = |read: fn(&Annotation) -> &Option<String>| {
        annotation.and_then(|annotation| read(annotation).as_deref()).filter(|text| !text.is_empty())
    };
    if let Some(preview) = member(|annotation| &annotation.preview) {
        text.push_str(" selected preview:\n");
        text.push_str(preview);
    }
    if let Some(notes) = member(|annotation| &annotation.notes) {
        text.push_str(" user notes: ");
        text.push_str(notes);
    }
    text
}

/// A person's answers in the original's form.
pub(super) struct Record {
    pub answers: Vec<(String, String)>,
    pub annotations: Vec<(String, Annotation)>,
}

impl Record {
    /// What was answered: a question that was left out has no member.
    pub(super) fn of(questions: &[Question], answers: &[Answer]) -> Self {
        let mut record = Self { answers: Vec::new(), annotations: Vec::new() };
        for (question, answer) in questions.iter().zip(answers) {
            let Some(text) = answer_text(answer) else { continue };
            let preview = chosen_preview(question, &text).map(str::to_owned);
            let notes = notes_of(answer).map(str::to_owned);
            if preview.is_some() || notes.is_some() {
                record.annotations.push((question.question.clone(), Annotation { preview, notes }));
            }
            record.answers.push((question.question.clone(), text));
        }
        record
    }

    /// The sentence.
    pub(super) fn sentence(&self) -> String {
        render_record(&self.answers, &self.annotations)
    }

    /// What a hook or `canUseTool` returns as `updatedInput`, as JSON text.
    pub(super) fn updated_input(&self, questions: &[Question]) -> String {
        let answers = self.answers.iter().map(|(question, answer)| (question.clone(), text(answer))).collect();
        let annotations = self.annotations.iter().map(|(question, annotation)| {
            let members = [("preview", &annotation.preview), ("notes", &annotation.notes)].into_iter();
            let members = members.filter_map(|(name, value)| Some((name, text(value.as_deref()?))));
            (question.clone(), object(members))
        });
        let annotations: Vec<(String, Json)> = annotations.collect();
        let mut members = vec![
            ("questions".to_owned(), Json::Array(questions.iter().map(question_member).collect())),
            ("answers".to_owned(), Json::Object(answers)),
        ];
        if !annotations.is_empty() {
            members.push(("annotations".to_owned(), Json::Object(annotations)));
        }
        Json::Object(members).to_text()
    }
}

/// The answer as the original has it: labels in the order of selection, own words last; none if it was left out.
pub(super) fn answer_text(answer: &Answer) -> Option<String> {
    (answer.status == Answered::Answered).then(|| chosen(answer).join(", "))
}

/// Only a single choice has one, and own words that are an option's label have it too.
fn chosen_preview<'a>(question: &'a Question, answer: &str) -> Option<&'a str> {
    if question.multi_select {
        return None;
    }
    let option = question.options.iter().find(|option| option.label == answer)?;
    option.preview.as_deref().filter(|preview| !preview.is_empty())
}

fn question_member(question: &Question) -> Json {
    let options = question.options.iter().map(|option| {
        let members = [
            ("label", Some(option.label.as_str())),
            ("description", option.description.as_deref()),
            ("preview", option.preview.as_deref()),
        ];
        object(members.into_iter().filter_map(|(name, value)| Some((name, text(value?)))))
    });
    object([
        ("question", text(&question.question)),
        ("header", text(question.header.as_deref().unwrap_or_default())),
        ("options", Json::Array(options.collect())),
        ("multiSelect", Json::Bool(question.multi_select)),
    ])
}
