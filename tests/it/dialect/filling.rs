//! Answers to questions whose answer is a value: whatever form it is, something that fits, typed and as JSON.

use askhub::domain::json::Json;
use askhub::domain::{Approval, FieldKind, FormField, JsonText, Question, QuestionKind, TextFormat, Verdict};

/// What fits the question; none if it takes no value.
pub fn value(question: &Question) -> Option<JsonText> {
    match question.kind {
        QuestionKind::Form => {
            let fields = question.form().expect("it was accepted").fields;
            let members = fields.iter().map(|field| (field.name.clone(), of_field(field)));
            Some(JsonText::of(&Json::Object(members.collect())))
        }
        QuestionKind::Approval => Some(Approval::new(Verdict::Approve).to_value()),
        _ => None,
    }
}

/// What is to be typed and chosen on the plain page, by the places of the form's fields.
pub fn typed(question: &Question) -> Vec<Vec<String>> {
    let fields = question.form().map(|form| form.fields).unwrap_or_default();
    fields.iter().map(typed_in).collect()
}

fn typed_in(field: &FormField) -> Vec<String> {
    match &field.kind {
        FieldKind::Text { min, format, .. } => vec![text(*min, *format)],
        FieldKind::Number { whole, min, max } => vec![number(*whole, min.as_deref(), max.as_deref())],
        FieldKind::Date { .. } => vec!["2026-11-30".to_owned()],
        FieldKind::DateTime { .. } => vec!["2026-11-30T14:00:00Z".to_owned()],
        FieldKind::Flag => vec!["yes".to_owned()],
        FieldKind::Choice(_) => vec!["0".to_owned()],
        FieldKind::Choices { min, .. } => (0..min.unwrap_or(0)).map(|place| place.to_string()).collect(),
    }
}

fn of_field(field: &FormField) -> Json {
    let typed = typed_in(field);
    match &field.kind {
        FieldKind::Text { .. } | FieldKind::Date { .. } | FieldKind::DateTime { .. } => Json::String(typed[0].clone()),
        FieldKind::Number { .. } => Json::Number(typed[0].clone()),
        FieldKind::Flag => Json::Bool(true),
        FieldKind::Choice(options) => Json::String(options[0].value.clone()),
        FieldKind::Choices { options, .. } => {
            Json::Array(typed.iter().zip(options).map(|(_, option)| Json::String(option.value.clone())).collect())
        }
    }
}

fn text(min: Option<u64>, format: Option<TextFormat>) -> String {
    match format {
        None => "x".repeat(usize::try_from(min.unwrap_or(1).max(1)).expect("a person can type it")),
        Some(TextFormat::Email) => "ann@example.com".to_owned(),
        Some(TextFormat::Uri) => "https://example.com".to_owned(),
    }
}

/// A bound itself; of those for a whole number, the one that is whole.
fn number(whole: bool, min: Option<&str>, max: Option<&str>) -> String {
    let fits = |bound: &&str| !whole || !bound.contains(['.', 'e', 'E']);
    [min, max].into_iter().flatten().find(fits).unwrap_or("1").to_owned()
}
