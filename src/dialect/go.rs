//! Where Go differs from Rust and a model can see it: how `encoding/json` reads a text and what it says of one that it
//! refuses, and how a number is printed. `strings.TrimSpace` is Rust's `trim`, `strings.EqualFold` is in `fold`.

mod scanner;

use super::json::with_whole_pairs;
use crate::domain::json::Json;
use crate::domain::limits::NESTING_MAX;

use self::scanner::Scanner;

/// Why a text is not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unread {
    /// Go's own words.
    Refused(String),
    /// Deeper than [`NESTING_MAX`], where Go goes on to 10,000.
    TooDeep,
}

/// Reads the first of the JSON values in a text, if nothing but such values is in it.
///
/// Of a repeated member [`Json::get`] finds the last, as Go does. Half of a surrogate pair becomes U+FFFD. Numbers keep
/// their digits: Go's are doubles, which [`number_text`] and [`number`] see to.
///
/// # Errors
/// What `json.Unmarshal` says of the whole text.
pub(super) fn read_first_value(raw: &str) -> Result<Json, Unread> {
    let mut scanner = Scanner::new(raw);
    let first = scanner.value()?;
    let after_first = scanner.fault_of_more();
    while !scanner.is_at_end() {
        match scanner.value() {
            Err(Unread::Refused(_)) => return Err(after_first),
            other => other?,
        };
    }
    Json::parse(&with_whole_pairs(first), NESTING_MAX).map_err(|error| Unread::Refused(error.to_string()))
}

/// The members of an object, as `json.Unmarshal` makes a `map[string]any` of it; none of `null`.
///
/// # Errors
/// Values that are no object, and numbers too large for a double, in Go's words.
pub(super) fn as_map(value: Json) -> Result<Json, String> {
    let kind = match &value {
        Json::Null => return Ok(Json::Object(Vec::new())),
        Json::Object(_) => return number_too_large(&value).map_or(Ok(value), Err),
        Json::Array(_) => "array",
        Json::String(_) => "string",
        Json::Number(_) => "number",
        Json::Bool(_) => "bool",
    };
    Err(format!("json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}"))
}

/// What Go says of the first number that is too large for a double.
fn number_too_large(value: &Json) -> Option<String> {
    match value {
        Json::Array(items) => items.iter().find_map(number_too_large),
        Json::Object(members) => members.iter().find_map(|(_, value)| number_too_large(value)),
        Json::Number(digits) if number(digits).is_infinite() => {
            Some(format!("json: cannot unmarshal number {digits} into Go value of type float64"))
        }
        _ => None,
    }
}

/// A JSON number as the double that Go reads.
pub(super) fn number(digits: &str) -> f64 {
    // JSON's numbers are a part of those that Rust reads.
    digits.parse().unwrap_or(f64::NAN)
}

/// `strconv.FormatFloat(number, 'f', -1, 64)`: the fewest digits that mean this double, and no exponent.
pub(super) fn number_text(digits: &str) -> String {
    number(digits).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(raw: &str) -> String {
        match read_first_value(raw) {
            Err(Unread::Refused(words)) => words,
            Ok(value) => as_map(value).unwrap_err(),
            Err(Unread::TooDeep) => panic!("{raw} nests too deeply"),
        }
    }

    #[test]
    fn a_text_that_is_no_json_is_refused_in_the_words_of_go() {
        // As Go 1.19 prints them.
        for (raw, words) in [
            ("  ", "unexpected end of JSON input"),
            ("{\"a\":[1,", "unexpected end of JSON input"),
            ("{\"a", "unexpected end of JSON input"),
            ("-", "invalid character ' ' in numeric literal"),
            ("{\"a\":1.}", "invalid character '}' after decimal point in numeric literal"),
            ("[1e+]", "invalid character ']' in exponent of numeric literal"),
            ("tru", "invalid character ' ' in literal true (expecting 'e')"),
            ("[nil]", "invalid character 'i' in literal null (expecting 'u')"),
            ("{\"a\" 1}", "invalid character '1' after object key"),
            ("{\"a\":1 \"b\"}", "invalid character '\"' after object key:value pair"),
            ("{\"a\":1,}", "invalid character '}' looking for beginning of object key string"),
            ("[1 2]", "invalid character '2' after array element"),
            ("[,]", "invalid character ',' looking for beginning of value"),
            ("'a'", "invalid character '\\'' looking for beginning of value"),
            ("é", "invalid character 'Ã' looking for beginning of value"),
            ("\u{feff}{}", "invalid character 'ï' looking for beginning of value"),
            ("\u{a0}", "invalid character 'Â' looking for beginning of value"),
            ("[\u{7f}]", "invalid character '\\x7f' looking for beginning of value"),
            ("[\\]", "invalid character '\\\\' looking for beginning of value"),
            ("\"a\nb\"", "invalid character '\\n' in string literal"),
            ("\"\u{1}\"", "invalid character '\\x01' in string literal"),
            ("\"\\x\"", "invalid character 'x' in string escape code"),
            ("\"\\u12\"", "invalid character '\"' in \\u hexadecimal character escape"),
            ("{} x", "invalid character 'x' after top-level value"),
            ("{}{\"a\":", "invalid character '{' after top-level value"),
        ] {
            assert_eq!(refusal(raw), words, "{raw:?}");
        }
    }

    #[test]
    fn what_is_no_object_or_does_not_fit_a_double_is_refused() {
        assert_eq!(refusal("01"), "json: cannot unmarshal number into Go value of type map[string]interface {}");
        assert_eq!(refusal("true{}"), "json: cannot unmarshal bool into Go value of type map[string]interface {}");
        let large = r#"{"a":[1e308,{"b":-1e309}],"a":2,"c":9e999}"#;
        assert_eq!(refusal(large), "json: cannot unmarshal number -1e309 into Go value of type float64");
    }

    #[test]
    fn the_first_of_several_values_counts() {
        let read = |raw: &str| read_first_value(raw).and_then(|value| as_map(value).map_err(Unread::Refused));
        assert_eq!(read(r#" {"a":"\ud800"}{"b":1e999} "x"12"#).unwrap().to_text(), "{\"a\":\"\u{fffd}\"}");
        assert_eq!(read("null").unwrap(), Json::Object(Vec::new()));
        assert_eq!(read(&"[".repeat(65)), Err(Unread::TooDeep));
        assert_eq!(read(&format!("{{}}{}", "[".repeat(65))), Err(Unread::TooDeep));
        assert!(matches!(read(&"[".repeat(64)), Err(Unread::Refused(_))));
    }

    #[test]
    fn numbers_have_no_exponent_and_the_fewest_digits() {
        for (digits, text) in [
            ("1e21", "1000000000000000000000"),
            ("1e-7", "0.0000001"),
            ("-0.0", "-0"),
            ("2.50", "2.5"),
            ("9007199254740993", "9007199254740992"),
            ("12345678901234567890", "12345678901234567000"),
            ("1e-999", "0"),
        ] {
            assert_eq!(number_text(digits), text);
        }
    }
}
