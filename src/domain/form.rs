//! What is filled in: one field (`number`, `date`, `datetime`), or the fields of a flat JSON Schema (`form`).
//!
//! The subset is that of MCP's elicitation (specification 2025-11-25, `requestedSchema`): an object whose properties are
//! texts, numbers, yes or no, one of some words, or several of them. Keywords that are not of the subset are kept and
//! not checked; types that are not are refused, because no person could fill them in here.

mod check;
mod read;
mod single;

use super::fault::Faults;
use super::json::Json;
use super::limits::FORM_FIELDS_MAX;

pub use single::Single;

const DATE_WORDS: &str = "a day, such as 2026-11-30";
const DATE_TIME_WORDS: &str = "a time with its offset, such as 2026-11-30T14:00:00+01:00";

/// A form, read from its schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// What is to be filled in, in the schema's order.
    pub fields: Vec<FormField>,
}

/// One thing to fill in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormField {
    /// Its name in the value.
    pub name: String,
    /// What a person reads; the name where there is none.
    pub title: Option<String>,
    /// What it means.
    pub description: Option<String>,
    /// Whether it must be there.
    pub required: bool,
    /// What stands in it at first, if that is of the right type.
    pub default: Option<Json>,
    /// Keywords of its schema that nothing here checks.
    pub unchecked: Vec<String>,
    /// What it takes.
    pub kind: FieldKind,
}

/// What a field takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldKind {
    /// Text.
    Text {
        /// Fewest characters.
        min: Option<u64>,
        /// Most characters.
        max: Option<u64>,
        /// What the text must be.
        format: Option<TextFormat>,
    },
    /// A number, bounds included. Bounds are digits.
    Number {
        /// Whether it has no fraction.
        whole: bool,
        /// The least.
        min: Option<String>,
        /// The greatest.
        max: Option<String>,
    },
    /// A day: `2026-11-30`, bounds included.
    Date {
        /// The first.
        min: Option<String>,
        /// The last.
        max: Option<String>,
    },
    /// An instant of RFC 3339 with its offset, bounds included.
    DateTime {
        /// The first.
        min: Option<String>,
        /// The last.
        max: Option<String>,
    },
    /// Yes or no.
    Flag,
    /// One of these.
    Choice(Vec<FieldOption>),
    /// Several of these.
    Choices {
        /// What there is.
        options: Vec<FieldOption>,
        /// Fewest.
        min: Option<u64>,
        /// Most.
        max: Option<u64>,
    },
}

/// What a text must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextFormat {
    /// An e-mail address.
    Email,
    /// A URI with its scheme.
    Uri,
}

/// One word to choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldOption {
    /// What is in the value.
    pub value: String,
    /// What a person reads.
    pub title: String,
}

impl Form {
    /// The form that a schema describes; notes each fault under `pointer`.
    pub fn read(schema: &Json, pointer: &str, faults: &mut Faults) -> Option<Self> {
        read::form(schema, pointer, faults)
    }

    /// The one field of a question that asks for a number, a day or a time; notes each fault under `pointer`.
    pub fn single(bounds: Single<'_>, pointer: &str, faults: &mut Faults) -> FormField {
        single::field(bounds, pointer, faults)
    }

    /// The value without its null members, if it fits; notes each fault under `pointer`.
    pub fn check(&self, value: &Json, pointer: &str, faults: &mut Faults) -> Option<Json> {
        check::value(self, value, pointer, faults)
    }
}

impl FormField {
    /// Notes it if a value does not fit.
    pub fn check(&self, value: &Json, pointer: &str, faults: &mut Faults) {
        check::field(self, value, pointer, faults);
    }

    /// What a person reads.
    pub fn label(&self) -> &str {
        self.title.as_deref().filter(|title| !title.trim().is_empty()).unwrap_or(&self.name)
    }
}

impl FieldKind {
    /// What it takes beyond its type, in a sentence for people; empty where that is anything.
    pub fn bounds(&self) -> String {
        let range = |min: Option<String>, max: Option<String>, unit: &str| match (min, max) {
            (None, None) => None,
            (Some(min), None) => Some(format!("at least {min}{unit}")),
            (None, Some(max)) => Some(format!("at most {max}{unit}")),
            (Some(min), Some(max)) if min == max => Some(format!("exactly {min}{unit}")),
            (Some(min), Some(max)) => Some(format!("{min} to {max}{unit}")),
        };
        let digits = |count: &Option<u64>| count.map(|count| count.to_string());
        let (what, bounds) = match self {
            Self::Text { min, max, format } => {
                let min = min.filter(|min| *min > 0);
                (format.map(TextFormat::words), range(digits(&min), digits(max), " characters"))
            }
            Self::Number { whole, min, max } => {
                (Some(if *whole { "a whole number" } else { "a number" }), range(min.clone(), max.clone(), ""))
            }
            Self::Date { min, max } => (Some(DATE_WORDS), range(min.clone(), max.clone(), "")),
            Self::DateTime { min, max } => (Some(DATE_TIME_WORDS), range(min.clone(), max.clone(), "")),
            Self::Choices { min, max, .. } => {
                (None, range(digits(&min.filter(|min| *min > 0)), digits(max), " of these"))
            }
            Self::Flag | Self::Choice(_) => (None, None),
        };
        let words = [what.map(str::to_owned), bounds].into_iter().flatten().collect::<Vec<_>>().join(", ");
        let mut characters = words.chars();
        let first = characters.next().map(|first| first.to_ascii_uppercase());
        first.map(|first| format!("{first}{}.", characters.as_str())).unwrap_or_default()
    }
}

impl TextFormat {
    const NAMES: [(&'static str, Self); 2] = [("email", Self::Email), ("uri", Self::Uri)];

    /// What is wanted, in words with an example.
    pub fn words(self) -> &'static str {
        match self {
            Self::Email => "an e-mail address",
            Self::Uri => "an address with its scheme, such as https://example.com",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::limits::NESTING_MAX;

    const SCHEMA: &str = r#"{"type":"object","$schema":"x","required":["name","size"],"properties":{
        "name":{"type":"string","title":"Name","minLength":2,"maxLength":4,"x-own":{"a":[1]}},
        "mail":{"type":"string","format":"email","default":"a@b.c"},
        "day":{"type":"string","format":"date"},
        "at":{"type":"string","format":"date-time"},
        "link":{"type":"string","format":"uri"},
        "other":{"type":"string","format":"ipv4","pattern":"^x$"},
        "share":{"type":"number","minimum":-0.5,"maximum":18446744073709551617},
        "count":{"type":"integer","minimum":1,"default":3},
        "sure":{"type":"boolean","default":true},
        "size":{"type":"string","enum":["s","m"],"enumNames":["Small","Medium"]},
        "colour":{"type":"string","oneOf":[{"const":"r","title":"Red"},{"const":"g"}]},
        "parts":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"string","enum":["a","b","c"]}},
        "more":{"type":"array","items":{"anyOf":[{"const":"x","title":"X"}]}}}}"#;

    fn json(text: &str) -> Json {
        Json::parse(text, NESTING_MAX).unwrap()
    }

    fn form(schema: &str) -> Result<Form, Vec<String>> {
        let mut faults = Faults::new();
        let form = Form::read(&json(schema), "/s", &mut faults);
        let pointers = |faults: Faults| faults.into_vec().into_iter().map(|fault| fault.pointer).collect();
        faults.or(form).map_err(pointers)
    }

    fn filled(value: &str) -> Result<String, Vec<String>> {
        let mut faults = Faults::new();
        let value = form(SCHEMA).unwrap().check(&json(value), "/v", &mut faults);
        let pointers = |faults: Faults| faults.into_vec().into_iter().map(|fault| fault.pointer).collect();
        faults.or(value).map(|value| value.to_text()).map_err(pointers)
    }

    #[test]
    fn a_schema_is_read_field_by_field() {
        let form = form(SCHEMA).unwrap();
        let names: Vec<&str> = form.fields.iter().map(|field| field.name.as_str()).collect();
        assert_eq!(names[..4], ["name", "mail", "day", "at"]);
        assert!(form.fields[0].required && !form.fields[1].required);
        assert_eq!((form.fields[0].label(), form.fields[1].label()), ("Name", "mail"));
        assert_eq!(form.fields[7].default, Some(json("3")));
        let titles = |index: usize| match &form.fields[index].kind {
            FieldKind::Choice(options) | FieldKind::Choices { options, .. } => {
                options.iter().map(|option| option.title.clone()).collect::<Vec<_>>()
            }
            _ => Vec::new(),
        };
        assert_eq!((titles(9), titles(10)), (vec!["Small".into(), "Medium".into()], vec!["Red".into(), "g".into()]));
        assert_eq!((titles(11).len(), titles(12)), (3, vec!["X".to_owned()]));
    }

    #[test]
    fn a_schema_that_nobody_could_fill_in_is_refused_with_its_place() {
        let refused = [
            (r#"[]"#, "/s"),
            (r#"{"properties":{}}"#, "/s/type"),
            (r#"{"type":"object"}"#, "/s/properties"),
            (r#"{"type":"object","properties":{"a":{"type":"object"}}}"#, "/s/properties/a/type"),
            (r#"{"type":"object","properties":{"a/b":{}}}"#, "/s/properties/a~1b/type"),
            (r#"{"type":"object","properties":{"a":{"type":["string","null"]}}}"#, "/s/properties/a/type"),
            (r#"{"type":"object","properties":{"a":{"type":"array"}}}"#, "/s/properties/a/items"),
            (r#"{"type":"object","properties":{"a":{"type":"string","enum":[]}}}"#, "/s/properties/a/enum"),
            (r#"{"type":"object","properties":{"a":{"type":"string","enum":["x","x"]}}}"#, "/s/properties/a/enum/1"),
            (r#"{"type":"object","properties":{"a":{"type":"string","enum":[1]}}}"#, "/s/properties/a/enum/0"),
            (r#"{"type":"object","properties":{"a":{"type":"string","oneOf":[{}]}}}"#, "/s/properties/a/oneOf/0/const"),
            (
                r#"{"type":"object","properties":{"a":{"type":"string","minLength":3,"maxLength":2}}}"#,
                "/s/properties/a/minLength",
            ),
            (r#"{"type":"object","properties":{"a":{"type":"string","minLength":-1}}}"#, "/s/properties/a/minLength"),
            (r#"{"type":"object","properties":{"a":{"type":"number","minimum":"1"}}}"#, "/s/properties/a/minimum"),
            (
                r#"{"type":"object","properties":{"a":{"type":"number","minimum":2,"maximum":1.5}}}"#,
                "/s/properties/a/minimum",
            ),
            (r#"{"type":"object","properties":{"a":{"type":"boolean","default":"yes"}}}"#, "/s/properties/a/default"),
            (r#"{"type":"object","properties":{"a":{"type":"boolean","title":1}}}"#, "/s/properties/a/title"),
            (r#"{"type":"object","properties":{},"required":["a"]}"#, "/s/required/0"),
            (r#"{"type":"object","properties":{},"required":{}}"#, "/s/required"),
            (r#"{"type":"object","properties":{"a":{"type":"boolean"},"a":{"type":"boolean"}}}"#, "/s/properties/a"),
            (
                r#"{"type":"object","properties":{"a":{"type":"array","minItems":3,"items":{"enum":["x"]}}}}"#,
                "/s/properties/a/minItems",
            ),
        ];
        for (schema, pointer) in refused {
            assert_eq!(form(schema).unwrap_err(), [pointer], "{schema}");
        }
        assert_eq!(form(r#"{"type":"object","properties":{}}"#).unwrap().fields, []);
    }

    #[test]
    fn what_fits_is_kept_digit_for_digit() {
        let least = r#"{"name":"Ann","size":"m"}"#;
        assert_eq!(filled(least).unwrap(), least);
        let all = r#"{"name":"Änn","size":"s","mail":"a@b.c","day":"2028-02-29","at":"2026-11-30T14:00:00+01:00","link":"urn:x","other":"any","share":18446744073709551616.50,"count":7,"sure":false,"colour":"g","parts":["c","a"],"more":[]}"#;
        assert_eq!(filled(all).unwrap(), all);
        assert_eq!(filled(r#"{"name":"Ann","size":"m","day":null}"#).unwrap(), least);
        let numbers = r#"{"name":"Ann","size":"m","count":2.0,"share":-5e-1}"#;
        assert_eq!(filled(numbers).unwrap(), numbers);
    }

    #[test]
    fn what_does_not_fit_is_a_fault_with_its_place() {
        let with = |member: &str| format!(r#"{{"name":"Ann","size":"m",{member}}}"#);
        let wrong = [
            ("[]".to_owned(), "/v"),
            (r#"{"name":"Ann"}"#.to_owned(), "/v/size"),
            (r#"{"name":null,"size":"m"}"#.to_owned(), "/v/name"),
            (r#"{"name":"A","size":"m"}"#.to_owned(), "/v/name"),
            (r#"{"name":"Annie","size":"m"}"#.to_owned(), "/v/name"),
            (r#"{"name":1,"size":"m"}"#.to_owned(), "/v/name"),
            (r#"{"name":"Ann","size":"Small"}"#.to_owned(), "/v/size"),
            (with(r#""mail":"a@b c""#), "/v/mail"),
            (with(r#""mail":"@b""#), "/v/mail"),
            (with(r#""day":"2026-02-29""#), "/v/day"),
            (with(r#""day":"2026-2-1""#), "/v/day"),
            (with(r#""at":"2026-11-30T14:00:00""#), "/v/at"),
            (with(r#""link":"example.com""#), "/v/link"),
            (with(r#""share":-0.6"#), "/v/share"),
            (with(r#""share":18446744073709551618"#), "/v/share"),
            (with(r#""share":"1""#), "/v/share"),
            (with(r#""count":1.5"#), "/v/count"),
            (with(r#""count":0"#), "/v/count"),
            (with(r#""sure":"true""#), "/v/sure"),
            (with(r#""parts":[]"#), "/v/parts"),
            (with(r#""parts":["a","b","c"]"#), "/v/parts"),
            (with(r#""parts":["d"]"#), "/v/parts/0"),
            (with(r#""parts":["a","a"]"#), "/v/parts/1"),
            (with(r#""more":"x""#), "/v/more"),
            (with(r#""none/such":1"#), "/v/none~1such"),
            (with(r#""count":2,"count":2"#), "/v/count"),
        ];
        for (value, pointer) in wrong {
            assert_eq!(filled(&value).unwrap_err(), [pointer], "{value}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_schema_and_no_value_makes_the_check_panic(
            schema in r#"\{"type":"object","properties":\{"a":\{("(type|enum|items|minimum|default|minLength)":("string"|"number"|\[("x",?)?\]|\{\}|-?[0-9]{1,30}|1e[0-9]{1,3}),?){0,4}\}\}\}"#,
            value in r#"\{("a":("x"|-?[0-9]{1,40}(\.5)?(e[0-9]{1,4})?|\[\]|null),?)?\}"#,
        ) {
            let (Ok(schema), Ok(value)) = (Json::parse(&schema, 9), Json::parse(&value, 9)) else { return Ok(()) };
            let mut faults = Faults::new();
            if let Some(form) = Form::read(&schema, "", &mut faults) {
                form.check(&value, "", &mut faults);
            }
        }
    }
}
