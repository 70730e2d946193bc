//! What is filled in and what is approved, as the page draws it: read once here, so that the page reads no schema.

use serde::Serialize;

use crate::domain::json::Json;
use crate::domain::{FieldKind, FieldOption, FormField, TextFormat, ToolCall};

/// One field. Texts and digits are as they were sent; `bounds` says in words what is wanted.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct FieldNode {
    name: String,
    label: String,
    description: Option<String>,
    required: bool,
    /// `text`, `number`, `date`, `datetime`, `flag`, `choice` or `choices`.
    takes: &'static str,
    /// `email` or `uri`, for the keyboard of a phone.
    format: Option<&'static str>,
    min: Option<String>,
    max: Option<String>,
    options: Vec<OptionNode>,
    bounds: String,
    /// What stands in it at first: a text, digits, `yes` or `no`, or values of options.
    at_first: Vec<String>,
    unchecked: Vec<String>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
struct OptionNode {
    value: String,
    title: String,
}

/// One argument of a tool.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct ArgumentNode {
    name: String,
    /// The type of its value in words, such as `a number`.
    kind: &'static str,
    is_text: bool,
    /// A text as it is, anything else as JSON with its digits.
    text: String,
    /// The script alone, where a shell is only told to run it.
    script: Option<String>,
    /// Whether it says what the call does: such arguments are read first.
    is_effect: bool,
}

/// Names that tell what a call does, by what tools of agents call them.
const EFFECTS: [&str; 26] = [
    "command",
    "cmd",
    "script",
    "code",
    "query",
    "sql",
    "path",
    "file",
    "file_path",
    "filename",
    "directory",
    "url",
    "uri",
    "method",
    "to",
    "recipient",
    "recipients",
    "amount",
    "currency",
    "target",
    "name",
    "namespace",
    "branch",
    "action",
    "subject",
    "message",
];
const SHELLS: [&str; 6] = ["sh", "bash", "zsh", "dash", "ksh", "fish"];

impl FieldNode {
    /// A field of a form, or the one of a number, a day or a time.
    pub fn of(field: &FormField) -> Self {
        let mut node = Self {
            name: field.name.clone(),
            label: field.label().to_owned(),
            description: field.description.clone().filter(|text| !text.trim().is_empty()),
            required: field.required,
            bounds: field.kind.bounds(),
            at_first: at_first(field.default.as_ref()),
            unchecked: field.unchecked.clone(),
            ..Self::default()
        };
        match &field.kind {
            FieldKind::Text { format, .. } => {
                node.takes = "text";
                node.format = format.map(|format| match format {
                    TextFormat::Email => "email",
                    TextFormat::Uri => "uri",
                });
            }
            FieldKind::Number { min, max, .. } => node.takes_from("number", min, max),
            FieldKind::Date { min, max } => node.takes_from("date", min, max),
            FieldKind::DateTime { min, max } => node.takes_from("datetime", min, max),
            FieldKind::Flag => node.takes = "flag",
            FieldKind::Choice(options) => node.takes_of("choice", options),
            FieldKind::Choices { options, .. } => node.takes_of("choices", options),
        }
        node
    }

    fn takes_from(&mut self, takes: &'static str, min: &Option<String>, max: &Option<String>) {
        self.takes = takes;
        self.min.clone_from(min);
        self.max.clone_from(max);
    }

    fn takes_of(&mut self, takes: &'static str, options: &[FieldOption]) {
        self.takes = takes;
        let node = |option: &FieldOption| OptionNode { value: option.value.clone(), title: option.title.clone() };
        self.options = options.iter().map(node).collect();
    }
}

fn at_first(default: Option<&Json>) -> Vec<String> {
    match default {
        Some(Json::String(text)) => vec![text.clone()],
        Some(Json::Number(digits)) => vec![digits.clone()],
        Some(Json::Bool(flag)) => vec![if *flag { "yes" } else { "no" }.to_owned()],
        Some(Json::Array(items)) => {
            let text = |item: &Json| if let Json::String(text) = item { Some(text.clone()) } else { None };
            items.iter().filter_map(text).collect()
        }
        _ => Vec::new(),
    }
}

impl ArgumentNode {
    /// The arguments of a tool in their own order.
    pub fn all(tool: &ToolCall) -> Vec<Self> {
        let Json::Object(members) = tool.arguments.parse() else { return Vec::new() };
        members.into_iter().map(|(name, value)| Self::of(name, &value)).collect()
    }

    fn of(name: String, value: &Json) -> Self {
        let is_effect = EFFECTS.contains(&name.to_ascii_lowercase().as_str());
        let text = if let Json::String(text) = value { text.clone() } else { value.to_text() };
        let is_text = matches!(value, Json::String(_));
        Self { kind: value.kind(), is_text, text, script: script(value), is_effect, name }
    }
}

/// What `["bash", "-lc", script]` runs.
fn script(value: &Json) -> Option<String> {
    let Json::Array(parts) = value else { return None };
    let [Json::String(shell), Json::String(flag), Json::String(script)] = parts.as_slice() else { return None };
    let name = shell.rsplit('/').next().unwrap_or_default();
    (SHELLS.contains(&name) && matches!(flag.as_str(), "-c" | "-lc")).then(|| script.clone())
}
