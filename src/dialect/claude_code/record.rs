//! Answers in the original's own form.

use super::super::words::{chosen, notes_of};
use super::super::{object, text};
use super::sentence::{join, render_answers, render_record};
use super::version::Version;
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

/// A person's answers in the original's form.
pub(super) struct Record<'a> {
    version: Version,
    questions: &'a [Question],
    answers: Vec<(String, String)>,
    annotations: Vec<(String, Annotation)>,
}

impl<'a> Record<'a> {
    /// What was answered: a question that was left out has no member, but 2.1.332 has a place for its note.
    pub(super) fn of(version: Version, questions: &'a [Question], answers: &[Answer]) -> Self {
        let mut record = Self { version, questions, answers: Vec::new(), annotations: Vec::new() };
        for (question, answer) in questions.iter().zip(answers) {
            let told = answer_text(version, question, answer);
            if told.is_none() && version == Version::V89 {
                continue;
            }
            let preview = told.as_deref().and_then(|told| chosen_preview(question, told)).map(str::to_owned);
            let notes = notes_of(answer).map(str::to_owned);
            if preview.is_some() || notes.is_some() {
                record.annotations.push((question.question.clone(), Annotation { preview, notes }));
            }
            record.answers.extend(told.map(|told| (question.question.clone(), told)));
        }
        record
    }

    /// Whether nothing was answered and nothing noted.
    pub(super) fn is_empty(&self) -> bool {
        self.answers.is_empty() && self.annotations.is_empty()
    }

    /// The sentence; 2.1.332 has another one for a response to the whole.
    pub(super) fn sentence(&self, response: Option<&str>) -> String {
        match self.version {
            Version::V89 => render_record(&self.answers, &self.annotations),
            Version::V332 => render_answers(self.questions, &self.answers, &self.annotations, response),
        }
    }

    /// What a hook or `canUseTool` returns as `updatedInput`, as JSON text.
    pub(super) fn updated_input(&self, response: Option<&str>) -> String {
        let answers = self.answers.iter().map(|(question, answer)| (question.clone(), text(answer))).collect();
        let annotations = self.annotations.iter().map(|(question, annotation)| {
            let members = [("preview", &annotation.preview), ("notes", &annotation.notes)].into_iter();
            let members = members.filter_map(|(name, value)| Some((name, text(value.as_deref()?))));
            (question.clone(), object(members))
        });
        let annotations: Vec<(String, Json)> = annotations.collect();
        let mut members = vec![
            ("questions".to_owned(), Json::Array(self.questions.iter().map(question_member).collect())),
            ("answers".to_owned(), Json::Object(answers)),
        ];
        if !annotations.is_empty() {
            members.push(("annotations".to_owned(), Json::Object(annotations)));
        }
        members.extend(response.map(|response| ("response".to_owned(), text(response))));
        Json::Object(members).to_text()
    }
}

/// The answer as the original has it: labels in the order of selection, own words last; none if it was left out.
pub(super) fn answer_text(version: Version, question: &Question, answer: &Answer) -> Option<String> {
    let is_joined = version == Version::V332 && question.multi_select;
    (answer.status == Answered::Answered).then(|| {
        let chosen = chosen(answer);
        if is_joined { join(&chosen) } else { chosen.join(", ") }
    })
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
