//! Whether what was filled in fits the form.

use std::cmp::Ordering;

use super::{DATE_TIME_WORDS, DATE_WORDS, FieldKind, FieldOption, Form, FormField, TextFormat};
use crate::domain::fault::Faults;
use crate::domain::json::{Json, push_pointer};
use crate::domain::limits::TEXT_BYTES_MAX;

pub(super) fn value(form: &Form, value: &Json, pointer: &str, faults: &mut Faults) -> Option<Json> {
    let Json::Object(members) = value else {
        faults.add(pointer, format!("what was filled in is an object, not {}", value.kind()));
        return None;
    };
    let mut kept = Vec::with_capacity(members.len());
    for (index, (name, member)) in members.iter().enumerate() {
        let below = below(pointer, name);
        if members[..index].iter().any(|(earlier, _)| earlier == name) {
            faults.add(below, "this key is repeated");
        } else if let Some(field) = form.fields.iter().find(|field| field.name == *name) {
            if *member != Json::Null {
                self::field(field, member, &below, faults);
                kept.push((name.clone(), member.clone()));
            }
        } else {
            faults.add(below, "the form has no such field");
        }
    }
    for field in form.fields.iter().filter(|field| field.required) {
        if !kept.iter().any(|(name, _)| *name == field.name) {
            faults.add(self::below(pointer, &field.name), format!("{} must be filled in", field.label()));
        }
    }
    Some(Json::Object(kept))
}

pub(super) fn field(field: &FormField, value: &Json, pointer: &str, faults: &mut Faults) {
    let label = field.label();
    match (&field.kind, value) {
        (FieldKind::Text { min, max, format }, Json::String(text)) => {
            let length = text.chars().count() as u64;
            if text.len() > TEXT_BYTES_MAX {
                faults.add(pointer, format!("{label} has at most {TEXT_BYTES_MAX} bytes"));
            } else if let Some(min) = min.filter(|min| length < *min) {
                faults.add(pointer, format!("{label} has at least {min} characters"));
            } else if let Some(max) = max.filter(|max| length > *max) {
                faults.add(pointer, format!("{label} has at most {max} characters"));
            } else if let Some(format) = format.filter(|format| !format.fits(text)) {
                faults.add(pointer, format!("{label} is {}", format.words()));
            }
        }
        (FieldKind::Number { whole, min, max }, Json::Number(digits)) => {
            if *whole && !is_whole(digits) {
                faults.add(pointer, format!("{label} is a whole number"));
            } else if let Some(min) = min.as_ref().filter(|min| compare(digits, min).is_lt()) {
                faults.add(pointer, format!("{label} is at least {min}"));
            } else if let Some(max) = max.as_ref().filter(|max| compare(digits, max).is_gt()) {
                faults.add(pointer, format!("{label} is at most {max}"));
            }
        }
        (FieldKind::Date { min, max }, Json::String(text)) => {
            let words = format!("{label} is {DATE_WORDS}");
            check_range(date(text), [min, max].map(|bound| bound.as_deref()), date, (label, &words), pointer, faults);
        }
        (FieldKind::DateTime { min, max }, Json::String(text)) => {
            let words = format!("{label} is {DATE_TIME_WORDS}");
            let bounds = [min, max].map(|bound| bound.as_deref());
            check_range(instant(text), bounds, instant, (label, &words), pointer, faults);
        }
        (FieldKind::Flag, Json::Bool(_)) => {}
        (FieldKind::Choice(options), Json::String(text)) => {
            if !is_option(options, text) {
                faults.add(pointer, format!("{label} has no choice {text:?}"));
            }
        }
        (FieldKind::Choices { options, min, max }, Json::Array(items)) => {
            check_items(label, options, items, pointer, faults);
            if let Some(min) = min.filter(|min| (items.len() as u64) < *min) {
                faults.add(pointer, format!("{label}: at least {min} must be chosen"));
            } else if let Some(max) = max.filter(|max| items.len() as u64 > *max) {
                faults.add(pointer, format!("{label}: at most {max} may be chosen"));
            }
        }
        (kind, other) => faults.add(pointer, format!("{label} is {}, not {}", wanted(kind), other.kind())),
    }
}

/// Whether a value is one at all and lies between its bounds; `words` are the label and what is wanted.
fn check_range<T: Ord>(
    value: Option<T>,
    bounds: [Option<&str>; 2],
    read: impl Fn(&str) -> Option<T>,
    (label, wanted): (&str, &str),
    pointer: &str,
    faults: &mut Faults,
) {
    let Some(value) = value else { return faults.add(pointer, wanted) };
    let [min, max] = bounds;
    if let Some(min) = min.filter(|min| read(min).is_some_and(|least| value < least)) {
        faults.add(pointer, format!("{label} is {min} or later"));
    } else if let Some(max) = max.filter(|max| read(max).is_some_and(|most| value > most)) {
        faults.add(pointer, format!("{label} is {max} or earlier"));
    }
}

/// A day, in the one spelling that counts.
pub(super) fn date(text: &str) -> Option<jiff::civil::Date> {
    (text.len() == 10).then(|| text.parse().ok()).flatten()
}

/// An instant, which needs its offset; RFC 3339 has no brackets.
pub(super) fn instant(text: &str) -> Option<jiff::Timestamp> {
    let is_written_out = !text.contains('[') && text.contains(['T', 't', ' ']);
    is_written_out.then(|| text.parse().ok()).flatten()
}

fn check_items(label: &str, options: &[FieldOption], items: &[Json], pointer: &str, faults: &mut Faults) {
    for (index, item) in items.iter().enumerate() {
        let pointer = format!("{pointer}/{index}");
        match item {
            _ if items[..index].contains(item) => faults.add(pointer, "this is chosen twice"),
            Json::String(text) if is_option(options, text) => {}
            Json::String(text) => faults.add(pointer, format!("{label} has no choice {text:?}")),
            other => faults.add(pointer, format!("a choice is a text, not {}", other.kind())),
        }
    }
}

fn is_option(options: &[FieldOption], text: &str) -> bool {
    options.iter().any(|option| option.value == text)
}

fn wanted(kind: &FieldKind) -> &'static str {
    match kind {
        FieldKind::Text { .. } | FieldKind::Choice(_) | FieldKind::Date { .. } | FieldKind::DateTime { .. } => "a text",
        FieldKind::Number { .. } => "a number",
        FieldKind::Flag => "true or false",
        FieldKind::Choices { .. } => "a list of texts",
    }
}

impl TextFormat {
    /// Whether a text is that. Strict where a machine will read it, lenient where only its owner can tell.
    fn fits(self, text: &str) -> bool {
        let has_blank = text.chars().any(|character| character.is_whitespace() || character.is_control());
        match self {
            Self::Email => {
                text.rsplit_once('@').is_some_and(|(who, at)| !who.is_empty() && !at.is_empty()) && !has_blank
            }
            Self::Uri => {
                let scheme = text.split_once(':').filter(|(_, rest)| !rest.is_empty()).map_or("", |(scheme, _)| scheme);
                let in_scheme = |character: char| character.is_ascii_alphanumeric() || "+-.".contains(character);
                scheme.starts_with(|first: char| first.is_ascii_alphabetic())
                    && scheme.chars().all(in_scheme)
                    && !has_blank
            }
        }
    }
}

/// Whether it is a list of texts.
pub(super) fn is_text_of(value: &Json) -> bool {
    matches!(value, Json::Array(items) if items.iter().all(|item| matches!(item, Json::String(_))))
}

/// Compares two numbers by their digits: exactly, however many there are.
pub(super) fn compare(one: &str, two: &str) -> Ordering {
    let (one, two) = (Decimal::of(one), Decimal::of(two));
    match (one.sign(), two.sign()) {
        (a, b) if a != b => a.cmp(&b),
        (0, 0) => Ordering::Equal,
        (1, _) => one.compare_size(&two),
        _ => two.compare_size(&one),
    }
}

fn is_whole(digits: &str) -> bool {
    let number = Decimal::of(digits);
    number.digits.is_empty() || number.point >= i64::try_from(number.digits.len()).unwrap_or(i64::MAX)
}

/// A number as `0.digits × 10^point`, without zeros at either end of the digits.
struct Decimal {
    is_negative: bool,
    digits: String,
    point: i64,
}

impl Decimal {
    fn of(text: &str) -> Self {
        let (is_negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let digits = all.trim_start_matches('0');
        let leading = all.len() - digits.len();
        // An exponent that fits no integer is further away than any number of digits can reach.
        let far = if exponent.starts_with('-') { i64::MIN / 2 } else { i64::MAX / 2 };
        let exponent = exponent.parse::<i64>().map_or(far, |exponent| exponent.clamp(i64::MIN / 2, i64::MAX / 2));
        let place = i64::try_from(whole.len()).unwrap_or(0) - i64::try_from(leading).unwrap_or(0);
        Self { is_negative, digits: digits.trim_end_matches('0').to_owned(), point: place.saturating_add(exponent) }
    }

    fn sign(&self) -> i8 {
        match (self.digits.is_empty(), self.is_negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        }
    }

    fn compare_size(&self, other: &Self) -> Ordering {
        self.point.cmp(&other.point).then_with(|| self.digits.cmp(&other.digits))
    }
}

fn below(pointer: &str, name: &str) -> String {
    let mut below = pointer.to_owned();
    push_pointer(&mut below, name);
    below
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_by_all_their_digits() {
        use Ordering::{Equal, Greater, Less};
        let cases = [
            ("1", "1.0", Equal),
            ("0", "-0.0e5", Equal),
            ("100", "1e2", Equal),
            ("0.1", "1E-1", Equal),
            ("18446744073709551616", "18446744073709551617", Less),
            ("9007199254740993.5", "9007199254740993", Greater),
            ("-2", "-10", Greater),
            ("-1", "1", Less),
            ("0", "0.001", Less),
            ("12", "9", Greater),
            ("0.012", "0.1", Less),
            ("1e99999999999999999999", "1e400", Greater),
            ("1e-99999999999999999999", "1e-400", Less),
            ("-1e99999999999999999999", "0", Less),
        ];
        for (one, two, wanted) in cases {
            assert_eq!(compare(one, two), wanted, "{one} {two}");
            assert_eq!(compare(two, one), wanted.reverse(), "{two} {one}");
        }
        for whole in ["0", "-3", "2.0", "1.5e1", "1e30", "0e-5", "-0.0"] {
            assert!(is_whole(whole), "{whole}");
        }
        for part in ["0.5", "1.5", "15e-1", "1e-30"] {
            assert!(!is_whole(part), "{part}");
        }
    }
}
