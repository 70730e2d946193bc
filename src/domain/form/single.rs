//! The one field of a question of kind `number`, `date` or `datetime`.

use super::check::{compare, date, instant};
use super::{FieldKind, FormField};
use crate::domain::fault::Faults;
use crate::domain::json::Json;
use crate::domain::question::QuestionKind;

/// What such a question says of its value.
#[derive(Debug, Clone, Copy)]
pub struct Single<'a> {
    /// Number, date or datetime; any other kind is read as a number.
    pub kind: QuestionKind,
    /// What a person reads.
    pub title: &'a str,
    /// Whether it must be there.
    pub required: bool,
    /// What a number counts.
    pub unit: Option<&'a str>,
    /// The least value.
    pub minimum: Option<&'a Json>,
    /// The greatest value.
    pub maximum: Option<&'a Json>,
}

pub(super) fn field(single: Single<'_>, pointer: &str, faults: &mut Faults) -> FormField {
    let mut bound = |name: &str, value: Option<&Json>| match (single.kind, value?) {
        (_, Json::Null) => None,
        (QuestionKind::Date, Json::String(text)) if date(text).is_some() => Some(text.clone()),
        (QuestionKind::DateTime, Json::String(text)) if instant(text).is_some() => Some(text.clone()),
        (QuestionKind::Number, Json::Number(digits)) => Some(digits.clone()),
        _ => {
            let wanted = match single.kind {
                QuestionKind::Date => super::DATE_WORDS,
                QuestionKind::DateTime => super::DATE_TIME_WORDS,
                _ => "a number",
            };
            faults.add(format!("{pointer}/{name}"), format!("{name} is {wanted}"));
            None
        }
    };
    let (min, max) = (bound("minimum", single.minimum), bound("maximum", single.maximum));
    if let (Some(least), Some(most)) = (&min, &max) {
        let is_above = match single.kind {
            QuestionKind::Date => date(least) > date(most),
            QuestionKind::DateTime => instant(least) > instant(most),
            _ => compare(least, most).is_gt(),
        };
        if is_above {
            faults.add(format!("{pointer}/minimum"), "minimum is above maximum");
        }
    }
    let kind = match single.kind {
        QuestionKind::Date => FieldKind::Date { min, max },
        QuestionKind::DateTime => FieldKind::DateTime { min, max },
        _ => FieldKind::Number { whole: false, min, max },
    };
    FormField {
        name: String::new(),
        title: Some(single.title.to_owned()),
        description: single.unit.filter(|unit| !unit.trim().is_empty()).map(|unit| format!("In {unit}.")),
        required: single.required,
        default: None,
        unchecked: Vec::new(),
        kind,
    }
}
