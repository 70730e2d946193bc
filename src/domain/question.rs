//! One item of a call: what is asked, and what may be chosen.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::approval::{Risk, ToolCall, ToolForm, check_scopes};
use super::fault::Faults;
use super::form::{Form, FormField, Single};
use super::limits::{ID_BYTES_MAX, OPTIONS_MAX, TEXT_BYTES_MAX};
use super::raw::JsonText;

/// A question, valid and complete: every option has an id, every default is filled in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Question {
    /// Unique in the call.
    pub id: String,
    /// What is asked for.
    pub kind: QuestionKind,
    /// A short name for the question's tab.
    pub header: Option<String>,
    /// What is asked.
    pub question: String,
    /// Whether it must be answered; else a person may skip it.
    pub required: bool,
    /// What may be chosen, in the asker's order (choice only).
    pub options: Vec<ChoiceOption>,
    /// Whether several options may be chosen (choice only).
    pub multi_select: bool,
    /// Fewest choices, own words included (choice with `multi_select`).
    pub min_selected: Option<u32>,
    /// Most choices, own words included (choice with `multi_select`).
    pub max_selected: Option<u32>,
    /// Whether own words may be given (choice; always so for text), or stand in the tool's place (approval).
    pub allow_custom: bool,
    /// A hint inside the empty text field (text only).
    pub placeholder: Option<String>,
    /// Whether the text may have several lines (text only).
    pub multiline: bool,
    /// Longest text, in characters (text only).
    pub max_length: Option<u32>,
    /// What "yes" is called (confirm only).
    pub yes_label: Option<String>,
    /// What "no" is called (confirm only).
    pub no_label: Option<String>,
    /// The least value: a number, a day or an instant (number, date, datetime).
    #[schema(value_type = Option<Object>)]
    pub minimum: Option<JsonText>,
    /// The greatest value (number, date, datetime).
    #[schema(value_type = Option<Object>)]
    pub maximum: Option<JsonText>,
    /// What the number counts (number only).
    pub unit: Option<String>,
    /// What is to be filled in: a flat JSON Schema, as it was sent (form only).
    #[schema(value_type = Option<Object>)]
    pub schema: Option<JsonText>,
    /// What is to be approved (approval only).
    pub tool: Option<ToolCall>,
    /// Whether it may be approved with other arguments (approval only).
    #[serde(default)]
    pub editable: bool,
    /// How much harm it could do, by the asker's word (approval only).
    pub risk: Option<Risk>,
    /// For how much an approval may hold, in the asker's words (approval only).
    #[serde(default)]
    pub scopes: Vec<String>,
    /// Whether `tool.arguments` is only a part of them: then nobody can approve (approval only).
    #[serde(default)]
    pub arguments_truncated: bool,
}

/// What a question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum QuestionKind {
    /// One or several of the options, or own words.
    Choice,
    /// Own words.
    Text,
    /// Yes or no.
    Confirm,
    /// A number.
    Number,
    /// A day.
    Date,
    /// An instant, with the offset that it was meant in.
    DateTime,
    /// Fields of a schema.
    Form,
    /// Whether a tool may be called.
    Approval,
}

/// One thing that may be chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChoiceOption {
    /// Unique in the question.
    pub id: String,
    /// What a person reads and the agent gets.
    pub label: String,
    /// What choosing it means.
    pub description: Option<String>,
    /// What it would look like.
    pub preview: Option<String>,
    /// How `preview` is written; plain text when absent.
    pub preview_format: Option<PreviewFormat>,
    /// Marked beside the label; never a default.
    pub recommended: bool,
}

/// How a preview is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PreviewFormat {
    /// Plain text.
    Text,
    /// CommonMark.
    Markdown,
    /// HTML; drawn in a frame that can do nothing, and as its source where there is no script.
    Html,
}

/// An option that was chosen, with its label as it was then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Selected {
    /// The option's id.
    pub id: String,
    /// The option's label.
    pub label: String,
}

/// A question as it was sent: right types, rules not checked yet.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
#[expect(missing_docs, reason = "members are those of Question")]
pub struct QuestionForm {
    pub id: Option<String>,
    pub kind: Option<String>,
    pub header: Option<String>,
    pub question: Option<String>,
    pub required: Option<bool>,
    pub options: Option<Vec<OptionForm>>,
    pub multi_select: Option<bool>,
    pub min_selected: Option<u64>,
    pub max_selected: Option<u64>,
    pub allow_custom: Option<bool>,
    pub placeholder: Option<String>,
    pub multiline: Option<bool>,
    pub max_length: Option<u64>,
    pub yes_label: Option<String>,
    pub no_label: Option<String>,
    #[schema(value_type = Option<Object>)]
    pub minimum: Option<JsonText>,
    #[schema(value_type = Option<Object>)]
    pub maximum: Option<JsonText>,
    pub unit: Option<String>,
    #[schema(value_type = Option<Object>)]
    pub schema: Option<JsonText>,
    pub tool: Option<ToolForm>,
    pub editable: Option<bool>,
    pub risk: Option<Risk>,
    pub scopes: Option<Vec<String>>,
    pub arguments_truncated: Option<bool>,
}

/// An option as it was sent.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
#[expect(missing_docs, reason = "members are those of ChoiceOption")]
pub struct OptionForm {
    pub id: Option<String>,
    pub label: Option<String>,
    pub description: Option<String>,
    pub preview: Option<String>,
    pub preview_format: Option<PreviewFormat>,
    pub recommended: Option<bool>,
}

/// Kinds of the contract that come later.
const KINDS_TO_COME: &[&str] = &["secret"];

impl QuestionForm {
    /// The question, if it keeps every rule; notes each fault under `pointer` else.
    ///
    /// `id` is the question's id, which only the whole call can settle.
    pub fn check(self, id: String, pointer: &str, faults: &mut Faults) -> Option<Question> {
        let kind = self.kind_of(pointer, faults)?;
        self.refuse_foreign_members(kind, pointer, faults);
        if id.is_empty() || id.len() > ID_BYTES_MAX {
            faults.add(format!("{pointer}/id"), format!("a question's id has 1 to {ID_BYTES_MAX} bytes"));
        }
        if self.question.as_deref().is_none_or(is_blank) {
            faults.add(format!("{pointer}/question"), "what is asked is missing");
        }
        let is_choice = kind == QuestionKind::Choice;
        let multi_select = self.multi_select.unwrap_or(false);
        let options = check_options(self.options.unwrap_or_default(), is_choice, pointer, faults);
        let bounds = Bounds { min: self.min_selected, max: self.max_selected };
        let (min_selected, max_selected) = bounds.check(multi_select, pointer, faults);
        if self.max_length == Some(0) {
            faults.add(format!("{pointer}/max_length"), "the longest text has at least 1 character");
        }
        if kind == QuestionKind::Form {
            check_schema(self.schema.as_ref(), pointer, faults);
        }
        if kind == QuestionKind::Approval && self.tool.is_none() {
            faults.add(format!("{pointer}/tool"), "an approval needs the tool that is to be called");
        }
        let question = Question {
            id,
            kind,
            header: self.header,
            question: self.question.unwrap_or_default(),
            required: self.required.unwrap_or(false),
            options,
            multi_select,
            min_selected,
            max_selected,
            allow_custom: self.allow_custom.unwrap_or(kind.takes_own_words()),
            placeholder: self.placeholder,
            multiline: self.multiline.unwrap_or(false),
            max_length: self.max_length.map(|length| u32::try_from(length).unwrap_or(u32::MAX)),
            yes_label: self.yes_label,
            no_label: self.no_label,
            minimum: self.minimum,
            maximum: self.maximum,
            unit: self.unit,
            schema: self.schema,
            tool: self.tool.map(|tool| tool.check(&format!("{pointer}/tool"), faults)),
            editable: self.editable.unwrap_or(false),
            risk: self.risk,
            scopes: check_scopes(self.scopes, pointer, faults),
            arguments_truncated: self.arguments_truncated.unwrap_or(false),
        };
        if kind.is_single() {
            question.single(pointer, faults);
        }
        Some(question)
    }

    fn kind_of(&self, pointer: &str, faults: &mut Faults) -> Option<QuestionKind> {
        match self.kind.as_deref() {
            None if self.options.is_some() => Some(QuestionKind::Choice),
            None if self.schema.is_some() => Some(QuestionKind::Form),
            None if self.tool.is_some() => Some(QuestionKind::Approval),
            None => Some(QuestionKind::Text),
            Some("choice") => Some(QuestionKind::Choice),
            Some("text") => Some(QuestionKind::Text),
            Some("confirm") => Some(QuestionKind::Confirm),
            Some("number") => Some(QuestionKind::Number),
            Some("date") => Some(QuestionKind::Date),
            Some("datetime") => Some(QuestionKind::DateTime),
            Some("form") => Some(QuestionKind::Form),
            Some("approval") => Some(QuestionKind::Approval),
            Some(kind) if KINDS_TO_COME.contains(&kind) => {
                faults
                    .add_unsupported(format!("{pointer}/kind"), format!("questions of kind {kind} are not built yet"));
                None
            }
            Some(_) => {
                faults.add(
                    format!("{pointer}/kind"),
                    "kind is one of choice, text, confirm, number, date, datetime, form, approval",
                );
                None
            }
        }
    }

    /// A member that the kind has no use for is a mistake of the asker's: it would be ignored in silence.
    fn refuse_foreign_members(&self, kind: QuestionKind, pointer: &str, faults: &mut Faults) {
        use QuestionKind::{Approval, Choice, Confirm, Form, Number, Text};
        let present = [
            ("options", self.options.is_some(), Choice),
            ("multi_select", self.multi_select.is_some(), Choice),
            ("min_selected", self.min_selected.is_some(), Choice),
            ("max_selected", self.max_selected.is_some(), Choice),
            ("allow_custom", self.allow_custom.is_some(), Choice),
            ("placeholder", self.placeholder.is_some(), Text),
            ("multiline", self.multiline.is_some(), Text),
            ("max_length", self.max_length.is_some(), Text),
            ("yes_label", self.yes_label.is_some(), Confirm),
            ("no_label", self.no_label.is_some(), Confirm),
            ("unit", self.unit.is_some(), Number),
            ("schema", self.schema.is_some(), Form),
            ("tool", self.tool.is_some(), Approval),
            ("editable", self.editable.is_some(), Approval),
            ("risk", self.risk.is_some(), Approval),
            ("scopes", self.scopes.is_some(), Approval),
            ("arguments_truncated", self.arguments_truncated.is_some(), Approval),
        ];
        let bounds = [("minimum", self.minimum.is_some()), ("maximum", self.maximum.is_some())];
        let home_of_bounds = if kind.is_single() { kind } else { Number };
        let bounds = bounds.map(|(member, is_present)| (member, is_present, home_of_bounds));
        for (member, is_present, home) in present.into_iter().chain(bounds) {
            if is_present && home != kind {
                let detail = format!("{member} has no meaning for a question of kind {}", kind.name());
                faults.add(format!("{pointer}/{member}"), detail);
            }
        }
    }
}

impl QuestionKind {
    /// The kind's name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Choice => "choice",
            Self::Text => "text",
            Self::Confirm => "confirm",
            Self::Number => "number",
            Self::Date => "date",
            Self::DateTime => "datetime",
            Self::Form => "form",
            Self::Approval => "approval",
        }
    }

    /// Whether an answer is a `value` instead of a choice or own words.
    pub fn is_typed(self) -> bool {
        self.is_single() || matches!(self, Self::Form | Self::Approval)
    }

    /// Whether the value is one field's.
    pub fn is_single(self) -> bool {
        matches!(self, Self::Number | Self::Date | Self::DateTime)
    }

    fn takes_own_words(self) -> bool {
        matches!(self, Self::Choice | Self::Text)
    }
}

impl Question {
    /// A question that says nothing beyond its text: a person may skip it.
    pub fn new(id: String, kind: QuestionKind, question: String) -> Self {
        Self {
            id,
            kind,
            header: None,
            question,
            required: false,
            options: Vec::new(),
            multi_select: false,
            min_selected: None,
            max_selected: None,
            allow_custom: kind.takes_own_words(),
            placeholder: None,
            multiline: false,
            max_length: None,
            yes_label: None,
            no_label: None,
            minimum: None,
            maximum: None,
            unit: None,
            schema: None,
            tool: None,
            editable: false,
            risk: None,
            scopes: Vec::new(),
            arguments_truncated: false,
        }
    }

    /// What is to be filled in: a form's fields, or the one of a number, a day or a time; none for the other kinds.
    pub fn form(&self) -> Option<Form> {
        let faults = &mut Faults::new();
        if self.kind.is_single() {
            return Some(Form { fields: vec![self.single("", faults)] });
        }
        Form::read(&self.schema.as_ref()?.parse(), "", faults)
    }

    fn single(&self, pointer: &str, faults: &mut Faults) -> FormField {
        let (minimum, maximum) =
            (self.minimum.as_ref().map(JsonText::parse), self.maximum.as_ref().map(JsonText::parse));
        let single = Single {
            kind: self.kind,
            title: "the answer",
            required: self.required,
            unit: self.unit.as_deref(),
            minimum: minimum.as_ref(),
            maximum: maximum.as_ref(),
        };
        Form::single(single, pointer, faults)
    }

    /// The limit that it exceeds, in words. A question in askhub's own form is held to them while it is read.
    pub fn excess(&self) -> Option<String> {
        let of_options = self.options.iter().flat_map(|option| {
            [Some(&option.label), option.description.as_ref(), option.preview.as_ref()].into_iter().flatten()
        });
        let of_tool = self.tool.iter().flat_map(|tool| [Some(&tool.name), tool.description.as_ref()]).flatten();
        let mut texts = of_options.chain([&self.question]).chain(&self.header).chain(&self.unit).chain(of_tool);
        if self.options.len() > OPTIONS_MAX {
            Some(format!("a question has at most {OPTIONS_MAX} options"))
        } else {
            texts.any(|text| text.len() > TEXT_BYTES_MAX).then(|| format!("a text has at most {TEXT_BYTES_MAX} bytes"))
        }
    }

    /// What the button for "yes" says.
    pub fn yes(&self) -> &str {
        self.yes_label.as_deref().unwrap_or("Yes")
    }

    /// What the button for "no" says.
    pub fn no(&self) -> &str {
        self.no_label.as_deref().unwrap_or("No")
    }
}

/// Whether a text says nothing.
pub fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

fn check_schema(schema: Option<&JsonText>, pointer: &str, faults: &mut Faults) {
    let pointer = format!("{pointer}/schema");
    match schema {
        Some(schema) => drop(Form::read(&schema.parse(), &pointer, faults)),
        None => faults.add(pointer, "a form needs a schema that says what is to be filled in"),
    }
}

struct Bounds {
    min: Option<u64>,
    max: Option<u64>,
}

impl Bounds {
    fn check(&self, multi_select: bool, pointer: &str, faults: &mut Faults) -> (Option<u32>, Option<u32>) {
        let limit = OPTIONS_MAX as u64 + 1;
        for (member, value) in [("min_selected", self.min), ("max_selected", self.max)] {
            if value.is_some() && !multi_select {
                faults.add(format!("{pointer}/{member}"), format!("{member} needs multi_select"));
            } else if value.is_some_and(|value| value > limit) {
                faults.add(format!("{pointer}/{member}"), format!("{member} is at most {limit}"));
            }
        }
        if self.max == Some(0) {
            faults.add(format!("{pointer}/max_selected"), "max_selected is at least 1");
        }
        if let (Some(min), Some(max)) = (self.min, self.max)
            && min > max
        {
            faults.add(format!("{pointer}/min_selected"), "min_selected is above max_selected");
        }
        let narrow = |value: Option<u64>| value.and_then(|value| u32::try_from(value).ok());
        (narrow(self.min), narrow(self.max))
    }
}

fn check_options(forms: Vec<OptionForm>, is_choice: bool, pointer: &str, faults: &mut Faults) -> Vec<ChoiceOption> {
    if is_choice && forms.is_empty() {
        faults.add(format!("{pointer}/options"), "a choice needs at least one option");
    }
    if forms.len() > OPTIONS_MAX {
        faults.add(format!("{pointer}/options"), format!("a question has at most {OPTIONS_MAX} options"));
        return Vec::new();
    }
    let mut seen = std::collections::HashSet::new();
    let mut options = Vec::with_capacity(forms.len());
    for (index, form) in forms.into_iter().enumerate() {
        let pointer = format!("{pointer}/options/{index}");
        let id = form.id.unwrap_or_else(|| format!("o{}", index + 1));
        if id.is_empty() || id.len() > ID_BYTES_MAX {
            faults.add(format!("{pointer}/id"), format!("an option's id has 1 to {ID_BYTES_MAX} bytes"));
        }
        if !seen.insert(id.clone()) {
            faults.add(format!("{pointer}/id"), format!("another option of this question has the id {id:?}"));
        }
        if form.label.as_deref().is_none_or(is_blank) {
            faults.add(format!("{pointer}/label"), "an option needs a label");
        }
        options.push(ChoiceOption {
            id,
            label: form.label.unwrap_or_default(),
            description: form.description,
            preview: form.preview,
            preview_format: form.preview_format,
            recommended: form.recommended.unwrap_or(false),
        });
    }
    options
}
