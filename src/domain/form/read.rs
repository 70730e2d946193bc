//! From a schema to the form that it describes.

use super::check::{compare, is_text_of};
use super::{FORM_FIELDS_MAX, FieldKind, FieldOption, Form, FormField, TextFormat};
use crate::domain::fault::Faults;
use crate::domain::json::{Json, push_pointer};
use crate::domain::limits::{OPTIONS_MAX, TEXT_BYTES_MAX};

/// What is read, and what only tells people something.
const KEYWORDS: [&str; 20] = [
    "type",
    "title",
    "description",
    "default",
    "enum",
    "enumNames",
    "oneOf",
    "items",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "uniqueItems",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "format",
];
const FORMATS: [&str; 4] = ["email", "uri", "date", "date-time"];

/// Where one part of a schema stands, and where its faults go.
struct Part<'a, 'f> {
    value: &'a Json,
    pointer: String,
    faults: &'f mut Faults,
}

pub(super) fn form(schema: &Json, pointer: &str, faults: &mut Faults) -> Option<Form> {
    let mut root = Part { value: schema, pointer: pointer.to_owned(), faults };
    if !matches!(schema, Json::Object(_)) {
        root.fault("", format!("a schema is an object, not {}", schema.kind()));
        return None;
    }
    if schema.string("type") != Some("object") {
        root.fault("type", "a form's schema has the type \"object\"");
        return None;
    }
    let Some(Json::Object(properties)) = schema.get("properties") else {
        root.fault("properties", "a form's schema has an object of properties");
        return None;
    };
    if properties.len() > FORM_FIELDS_MAX {
        root.fault("properties", format!("a form has at most {FORM_FIELDS_MAX} properties"));
        return None;
    }
    let required = root.required(properties)?;
    let mut fields = Vec::with_capacity(properties.len());
    for (index, (name, property)) in properties.iter().enumerate() {
        let mut below = root.below("properties");
        push_pointer(&mut below, name);
        let mut part = Part { value: property, pointer: below, faults: &mut *root.faults };
        if properties[..index].iter().any(|(earlier, _)| earlier == name) {
            part.fault("", "this key is repeated");
            continue;
        }
        fields.extend(part.field(name, required.contains(&name.as_str())));
    }
    Some(Form { fields })
}

impl<'a> Part<'a, '_> {
    /// The names that must be there: each is one of the properties, else nobody could ever fill the form in.
    fn required(&mut self, properties: &[(String, Json)]) -> Option<Vec<&'a str>> {
        let names = match self.value.get("required") {
            None | Some(Json::Null) => return Some(Vec::new()),
            Some(Json::Array(names)) => names,
            Some(other) => {
                self.fault("required", format!("required is a list of names, not {}", other.kind()));
                return None;
            }
        };
        let mut required = Vec::with_capacity(names.len());
        for (index, name) in names.iter().enumerate() {
            match name {
                Json::String(name) if properties.iter().any(|(known, _)| known == name) => required.push(name.as_str()),
                _ => self.fault(&format!("required/{index}"), "this is not the name of a property"),
            }
        }
        Some(required)
    }

    fn field(&mut self, name: &str, required: bool) -> Option<FormField> {
        let kind = self.kind()?;
        let default = self.value.get("default").filter(|default| **default != Json::Null);
        if default.is_some_and(|default| !has_type(default, &kind)) {
            self.fault("default", "the default is not of the property's type");
        }
        Some(FormField {
            name: name.to_owned(),
            title: self.words("title"),
            description: self.words("description"),
            required,
            default: default.cloned(),
            unchecked: self.unchecked(),
            kind,
        })
    }

    fn kind(&mut self) -> Option<FieldKind> {
        match self.value.string("type") {
            Some("string") if self.value.get("enum").is_some() => {
                let names = self.value.items("enumNames");
                Some(FieldKind::Choice(self.words_of_enum(self.value, "enum", names)?))
            }
            Some("string") if self.value.get("oneOf").is_some() => {
                Some(FieldKind::Choice(self.titled(self.value, "oneOf", "oneOf")?))
            }
            Some("string") => {
                let (min, max) = self.counts("minLength", "maxLength");
                if min.is_some_and(|min| min > TEXT_BYTES_MAX as u64) {
                    self.fault("minLength", format!("a text has at most {TEXT_BYTES_MAX} bytes"));
                }
                Some(match self.value.string("format") {
                    Some("date") => FieldKind::Date { min: None, max: None },
                    Some("date-time") => FieldKind::DateTime { min: None, max: None },
                    format => {
                        let known = TextFormat::NAMES.into_iter().find(|(name, _)| Some(*name) == format);
                        FieldKind::Text { min, max, format: known.map(|(_, format)| format) }
                    }
                })
            }
            Some("number") => Some(self.number(false)),
            Some("integer") => Some(self.number(true)),
            Some("boolean") => Some(FieldKind::Flag),
            Some("array") => self.choices(),
            _ => {
                let known = "string, number, integer, boolean, or array for several choices";
                self.fault("type", format!("a form's property has one of the types {known}"));
                None
            }
        }
    }

    fn number(&mut self, whole: bool) -> FieldKind {
        let mut bound = |name: &'static str| match self.value.get(name) {
            None | Some(Json::Null) => None,
            Some(Json::Number(digits)) => Some(digits.clone()),
            Some(other) => {
                self.fault(name, format!("{name} is a number, not {}", other.kind()));
                None
            }
        };
        let (min, max) = (bound("minimum"), bound("maximum"));
        if let (Some(least), Some(greatest)) = (&min, &max)
            && compare(least, greatest).is_gt()
        {
            self.fault("minimum", "minimum is above maximum");
        }
        FieldKind::Number { whole, min, max }
    }

    fn choices(&mut self) -> Option<FieldKind> {
        let Some(items) = self.value.get("items").filter(|items| matches!(items, Json::Object(_))) else {
            self.fault("items", "an array's items have an enum or an anyOf of what can be chosen");
            return None;
        };
        let options = if items.get("enum").is_some() {
            self.words_of_enum(items, "items/enum", items.items("enumNames"))?
        } else if items.get("anyOf").is_some() {
            self.titled(items, "anyOf", "items/anyOf")?
        } else {
            self.titled(items, "oneOf", "items/oneOf")?
        };
        let (min, max) = self.counts("minItems", "maxItems");
        if min.is_some_and(|min| min > options.len() as u64) {
            self.fault("minItems", "more must be chosen than there are");
        }
        Some(FieldKind::Choices { options, min, max })
    }

    fn words_of_enum(&mut self, owner: &'a Json, place: &str, titles: &[Json]) -> Option<Vec<FieldOption>> {
        let values = owner.items("enum").iter().map(Some).collect::<Vec<_>>();
        let titled = |index: usize| match titles.get(index) {
            Some(Json::String(title)) => Some(title.as_str()),
            _ => None,
        };
        self.options(&values, place, "", titled)
    }

    fn titled(&mut self, owner: &'a Json, list: &str, place: &str) -> Option<Vec<FieldOption>> {
        let items = owner.items(list);
        let values = items.iter().map(|item| item.get("const")).collect::<Vec<_>>();
        self.options(&values, place, "/const", |index| items[index].string("title"))
    }

    fn options<'t>(
        &mut self,
        values: &[Option<&Json>],
        place: &str,
        below: &str,
        title: impl Fn(usize) -> Option<&'t str>,
    ) -> Option<Vec<FieldOption>> {
        if values.is_empty() || values.len() > OPTIONS_MAX {
            self.fault(place, format!("there are 1 to {OPTIONS_MAX} texts to choose from"));
            return None;
        }
        let mut seen = std::collections::HashSet::new();
        let mut options = Vec::with_capacity(values.len());
        for (index, value) in values.iter().enumerate() {
            match value {
                Some(Json::String(value)) if seen.insert(value.clone()) => {
                    let title = title(index).filter(|title| !title.trim().is_empty()).unwrap_or(value);
                    options.push(FieldOption { value: value.clone(), title: title.to_owned() });
                }
                Some(Json::String(_)) => self.fault(&format!("{place}/{index}{below}"), "this text is there twice"),
                _ => self.fault(&format!("{place}/{index}{below}"), "what can be chosen is a text"),
            }
        }
        Some(options)
    }

    fn counts(&mut self, least: &'static str, most: &'static str) -> (Option<u64>, Option<u64>) {
        let mut count = |name: &'static str| match self.value.get(name) {
            None | Some(Json::Null) => None,
            Some(Json::Number(digits)) if digits.parse::<u64>().is_ok() => digits.parse().ok(),
            Some(_) => {
                self.fault(name, format!("{name} is a whole number in plain digits"));
                None
            }
        };
        let (min, max) = (count(least), count(most));
        if let (Some(few), Some(many)) = (min, max)
            && few > many
        {
            self.fault(least, format!("{least} is above {most}"));
        }
        (min, max)
    }

    /// What the schema asks of the value beyond what is checked here, by its keywords.
    fn unchecked(&self) -> Vec<String> {
        let Json::Object(members) = self.value else { return Vec::new() };
        let format = self.value.string("format");
        let is_known = |name: &str| match name {
            "format" => format.is_none_or(|format| FORMATS.contains(&format)),
            _ => KEYWORDS.contains(&name) || name.starts_with("x-") || name.starts_with('$'),
        };
        members.iter().map(|(name, _)| name).filter(|name| !is_known(name)).cloned().collect()
    }

    fn words(&mut self, name: &'static str) -> Option<String> {
        match self.value.get(name) {
            None | Some(Json::Null) => None,
            Some(Json::String(text)) if text.len() <= TEXT_BYTES_MAX => Some(text.clone()),
            Some(_) => {
                self.fault(name, format!("{name} is a text of at most {TEXT_BYTES_MAX} bytes"));
                None
            }
        }
    }

    fn below(&self, place: &str) -> String {
        if place.is_empty() { self.pointer.clone() } else { format!("{}/{place}", self.pointer) }
    }

    fn fault(&mut self, place: &str, detail: impl Into<String>) {
        let pointer = self.below(place);
        self.faults.add(pointer, detail);
    }
}

/// Whether a default is of the type that MCP gives it.
fn has_type(default: &Json, kind: &FieldKind) -> bool {
    match kind {
        FieldKind::Text { .. } | FieldKind::Choice(_) | FieldKind::Date { .. } | FieldKind::DateTime { .. } => {
            matches!(default, Json::String(_))
        }
        FieldKind::Number { .. } => matches!(default, Json::Number(_)),
        FieldKind::Flag => matches!(default, Json::Bool(_)),
        FieldKind::Choices { .. } => is_text_of(default),
    }
}
