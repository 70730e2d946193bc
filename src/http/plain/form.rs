//! The kind `form` without script: its fields drawn, and read back into a value.
//!
//! A field that is left empty is not in the value: HTML cannot tell an empty text from none. Text is sent as it was
//! typed; whether it fits is for the server to say, with all that was typed still there.

use super::field::Field;
use super::typed::place;
use crate::domain::json::Json;
use crate::domain::limits::NESTING_MAX;
use crate::domain::{FieldKind, FieldOption, Form, FormField, JsonText};
use crate::http::html::Html;

const YES: &str = "yes";
const NO: &str = "no";

/// Whether a form's field may have this value, beside those that it has already.
pub fn takes(field: &FormField, value: &str, others: &[String]) -> bool {
    match &field.kind {
        FieldKind::Flag => others.is_empty() && ["", YES, NO].contains(&value),
        FieldKind::Choice(options) => others.is_empty() && (value.is_empty() || option(options, value).is_some()),
        FieldKind::Choices { options, .. } => option(options, value).is_some() && others.iter().all(|one| one != value),
        _ => others.is_empty(),
    }
}

/// What was filled in.
pub fn value(form: &Form, typed: &[Vec<String>]) -> Json {
    let fields = form.fields.iter().enumerate();
    let members = fields.filter_map(|(index, field)| {
        let value = member(field, typed.get(index).map(Vec::as_slice).unwrap_or_default())?;
        Some((field.name.clone(), value))
    });
    Json::Object(members.collect())
}

/// What was filled into the one field.
pub fn single(form: &Form, typed: &[Vec<String>]) -> Option<JsonText> {
    let values = typed.first().map(Vec::as_slice).unwrap_or_default();
    member(form.fields.first()?, values).map(|value| JsonText::of(&value))
}

/// What was filled in as lines of text.
pub fn lines(form: &Form, typed: &[Vec<String>]) -> Vec<String> {
    let line = |(field, values): (&FormField, &Vec<String>)| {
        let words: Vec<&str> = values.iter().map(|value| words(field, value)).filter(|word| !word.is_empty()).collect();
        (!words.is_empty()).then(|| format!("{}: {}", field.label(), words.join(", ")))
    };
    form.fields.iter().zip(typed).filter_map(line).collect()
}

/// Whether every field stands as it was drawn at first.
pub fn is_untouched(form: &Form, typed: &[Vec<String>]) -> bool {
    let filled = |values: &[String]| values.iter().filter(|value| !value.is_empty()).cloned().collect::<Vec<_>>();
    form.fields.iter().enumerate().all(|(index, field)| {
        filled(typed.get(index).map(Vec::as_slice).unwrap_or_default()) == filled(&at_first(field))
    })
}

fn member(field: &FormField, values: &[String]) -> Option<Json> {
    let first = values.first().map(String::as_str).unwrap_or_default();
    let text = |text: &str| Json::String(text.to_owned());
    match &field.kind {
        FieldKind::Choices { options, .. } => {
            let chosen = values.iter().filter_map(|value| option(options, value));
            let chosen: Vec<Json> = chosen.map(|option| text(&option.value)).collect();
            (field.required || !chosen.is_empty()).then_some(Json::Array(chosen))
        }
        _ if first.is_empty() => None,
        FieldKind::Text { .. } => Some(text(first)),
        FieldKind::Date { .. } | FieldKind::DateTime { .. } => Some(text(first.trim())),
        // What is no number stays a text: so it comes back with the words that say what is wrong with it.
        FieldKind::Number { .. } => match Json::parse(first.trim(), NESTING_MAX) {
            Ok(number @ Json::Number(_)) => Some(number),
            _ => Some(text(first)),
        },
        FieldKind::Flag => Some(Json::Bool(first == YES)),
        FieldKind::Choice(options) => option(options, first).map(|option| text(&option.value)),
    }
}

/// What a field has before anybody typed.
fn at_first(field: &FormField) -> Vec<String> {
    let place_of = |options: &[FieldOption], value: &str| {
        options.iter().position(|option| option.value == value).map(|place| place.to_string())
    };
    match (&field.kind, &field.default) {
        (FieldKind::Text { .. } | FieldKind::Date { .. } | FieldKind::DateTime { .. }, Some(Json::String(text))) => {
            vec![text.clone()]
        }
        (FieldKind::Number { .. }, Some(Json::Number(digits))) => vec![digits.clone()],
        (FieldKind::Flag, Some(Json::Bool(flag))) => vec![if *flag { YES } else { NO }.to_owned()],
        (FieldKind::Choice(options), Some(Json::String(text))) => place_of(options, text).into_iter().collect(),
        (FieldKind::Choices { options, .. }, Some(Json::Array(items))) => {
            let texts = items.iter().filter_map(|item| if let Json::String(text) = item { Some(text) } else { None });
            texts.filter_map(|text| place_of(options, text)).collect()
        }
        _ => Vec::new(),
    }
}

fn words<'a>(field: &'a FormField, value: &'a str) -> &'a str {
    match &field.kind {
        FieldKind::Choice(options) | FieldKind::Choices { options, .. } => {
            option(options, value).map_or(value, |option| option.title.as_str())
        }
        _ => value,
    }
}

fn option<'a>(options: &'a [FieldOption], value: &str) -> Option<&'a FieldOption> {
    options.get(place(value)?)
}

/// One field of the form, as it is drawn.
struct Control<'a> {
    field: &'a FormField,
    id: String,
    name: String,
    values: Vec<String>,
}

impl Field<'_> {
    /// Draws the fields of a form.
    pub fn draw_form(&self, html: &mut Html) {
        let Some(form) = self.question.form() else { return };
        // What was typed before is drawn as it was; a form that nobody has sent yet starts with the agent's defaults.
        let is_new = self.typed.fields.is_empty();
        html.tag("div").class("fields").body(|html| {
            if form.fields.is_empty() {
                html.tag("p").class("help").text("There is nothing to fill in: to send it is the answer.");
            }
            for (index, field) in form.fields.iter().enumerate() {
                let typed = || self.typed.fields.get(index).cloned().unwrap_or_default();
                let part = format!("form.{index}");
                let values = if is_new { at_first(field) } else { typed() };
                Control { field, id: self.id(&part), name: self.name(&part), values }.draw(html);
            }
        });
        if !self.question.required {
            html.tag("div").class("cards").body(|html| self.draw_skip(html));
        }
    }
}

impl Control<'_> {
    fn draw(&self, html: &mut Html) {
        match &self.field.kind {
            FieldKind::Flag => {
                self.draw_select(html, &[(YES.to_owned(), "yes"), (NO.to_owned(), "no")]);
            }
            FieldKind::Choice(options) => {
                let options = options.iter().enumerate();
                let options: Vec<_> = options.map(|(place, one)| (place.to_string(), one.title.as_str())).collect();
                self.draw_select(html, &options);
            }
            FieldKind::Choices { options, .. } => self.draw_boxes(html, options),
            _ => self.draw_line(html),
        }
    }

    /// Text as it is typed, numbers too: a browser's own number field drops what it does not understand.
    fn draw_line(&self, html: &mut Html) {
        let is_number = matches!(self.field.kind, FieldKind::Number { .. });
        let value = self.values.first().map(String::as_str).unwrap_or_default();
        // A browser's date field shows nothing for what is no day: then what was typed stays in a text field.
        let is_date = matches!(self.field.kind, FieldKind::Date { .. }) && [0, 10].contains(&value.len());
        let kind = if is_date { "date" } else { "text" };
        html.tag("div").class("control").body(|html| {
            html.tag("label").attr("for", &self.id).body(|html| self.draw_label(html));
            if value.contains('\n') {
                let area = html.tag("textarea").attr("id", &self.id).attr("name", &self.name).attr("rows", "4");
                let area = area.attr("dir", "auto").attr_if("aria-describedby", self.help_id());
                area.flag("required", self.field.required).value(value);
            } else {
                let input = html.tag("input").attr("type", kind).attr("id", &self.id).attr("name", &self.name);
                let input = input.attr("dir", "auto").attr_if("inputmode", is_number.then_some("decimal"));
                let input = input.attr("autocomplete", "off").attr_if("aria-describedby", self.help_id());
                input.flag("required", self.field.required).attr("value", value).end();
            }
            self.draw_help(html);
        });
    }

    /// Nothing is chosen at first, unless the agent has a default.
    fn draw_select(&self, html: &mut Html, options: &[(String, &str)]) {
        html.tag("div").class("control").body(|html| {
            html.tag("label").attr("for", &self.id).body(|html| self.draw_label(html));
            let select = html.tag("select").attr("id", &self.id).attr("name", &self.name);
            let select = select.attr_if("aria-describedby", self.help_id()).flag("required", self.field.required);
            select.body(|html| {
                html.tag("option").attr("value", "").text("");
                for (value, title) in options {
                    let option = html.tag("option").attr("value", value);
                    option.flag("selected", self.values.contains(value)).foreign(title);
                }
            });
            self.draw_help(html);
        });
    }

    fn draw_boxes(&self, html: &mut Html, options: &[FieldOption]) {
        let group = html.tag("fieldset").class("control").attr("id", &self.id);
        group.attr_if("aria-describedby", self.help_id()).body(|html| {
            html.tag("legend").body(|html| self.draw_label(html));
            self.draw_help(html);
            for (place, option) in options.iter().enumerate() {
                let value = place.to_string();
                html.tag("label").class("pick").body(|html| {
                    let input = html.tag("input").attr("type", "checkbox").attr("name", &self.name);
                    input.attr("value", &value).flag("checked", self.values.contains(&value)).end();
                    html.tag("bdi").foreign(&option.title);
                });
            }
        });
    }

    fn draw_label(&self, html: &mut Html) {
        if self.field.name.is_empty() {
            html.text("Answer");
        } else {
            html.tag("bdi").foreign(self.field.label());
        }
        html.text(" ").tag("span").class("help").text(if self.field.required { "required" } else { "optional" });
    }

    fn draw_help(&self, html: &mut Html) {
        let Some(id) = self.help_id() else { return };
        html.tag("p").class("help").attr("id", id).attr("dir", "auto").body(|html| {
            if let Some(description) = self.description() {
                html.foreign(description).text(" ");
            }
            html.foreign(&self.field.kind.bounds());
        });
    }

    fn help_id(&self) -> Option<String> {
        let has_help = self.description().is_some() || !self.field.kind.bounds().is_empty();
        has_help.then(|| format!("{}-help", self.id))
    }

    fn description(&self) -> Option<&str> {
        self.field.description.as_deref().filter(|description| !description.trim().is_empty())
    }
}
