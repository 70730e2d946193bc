//! The controls of one question. Nothing is chosen beforehand, nothing is cut, and everything typed is kept.

use super::typed::{OWN, SKIP, Typed};
use crate::domain::{ChoiceOption, Fault, PreviewFormat, Question, QuestionKind};
use crate::http::html::Html;
use crate::http::nodes;

/// One question of the form.
pub struct Field<'a> {
    /// Its place, from 0.
    pub index: usize,
    /// How many there are.
    pub total: usize,
    /// The question.
    pub question: &'a Question,
    /// What was typed and chosen before.
    pub typed: &'a Typed,
    /// What was wrong with it.
    pub faults: Vec<&'a Fault>,
    /// Whether the question is the title of the page too.
    pub is_title: bool,
}

/// Whether a fault is about the question at this place.
pub fn concerns(fault: &Fault, index: usize) -> bool {
    let rest = fault.pointer.strip_prefix("/answers/");
    rest.is_some_and(|rest| rest.split('/').next() == Some(index.to_string().as_str()))
}

/// A radio button or checkbox as a card.
pub(super) struct Card<'a> {
    pub kind: &'static str,
    pub value: &'a str,
    pub label: &'a str,
    pub description: Option<&'a str>,
    pub is_recommended: bool,
    pub is_required: bool,
}

impl<'a> Card<'a> {
    /// A radio button with nothing but its label.
    pub fn radio(value: &'a str, label: &'a str) -> Self {
        Self { kind: "radio", value, label, description: None, is_recommended: false, is_required: false }
    }
}

impl Field<'_> {
    /// Draws it.
    pub fn draw(&self, html: &mut Html) {
        let described = (!self.faults.is_empty()).then(|| self.id("faults"));
        let fieldset =
            html.tag("fieldset").attr("id", format!("q{}", self.index)).attr_if("aria-describedby", described);
        fieldset.body(|html| {
            self.draw_legend(html);
            self.draw_faults(html);
            match self.question.kind {
                QuestionKind::Choice => self.draw_choice(html),
                QuestionKind::Text => self.draw_text(html),
                QuestionKind::Confirm => self.draw_confirm(html),
                QuestionKind::Number | QuestionKind::Date | QuestionKind::DateTime | QuestionKind::Form => {
                    self.draw_form(html);
                }
                QuestionKind::Approval => self.draw_approval(html),
            }
            self.draw_notes(html);
        });
    }

    fn draw_legend(&self, html: &mut Html) {
        let question = self.question;
        html.tag("legend").body(|html| {
            html.tag("span").class("meta").body(|html| {
                if self.total > 1 {
                    html.tag("span").text(&format!("Question {} of {}", self.index + 1, self.total));
                }
                if let Some(header) = question.header.as_deref().filter(|header| !header.trim().is_empty()) {
                    html.tag("span").class("chip").attr("dir", "auto").foreign(header);
                }
                html.tag("span").text(if question.required { "required" } else { "optional" });
            });
            html.tag(if self.is_title { "h1" } else { "h2" }).attr("dir", "auto").foreign(&question.question);
        });
    }

    fn draw_faults(&self, html: &mut Html) {
        if self.faults.is_empty() {
            return;
        }
        html.tag("ul").class("faults").attr("id", self.id("faults")).body(|html| {
            for fault in &self.faults {
                html.tag("li").foreign(&fault.detail);
            }
        });
    }

    fn draw_choice(&self, html: &mut Html) {
        let question = self.question;
        let kind = if question.multi_select { "checkbox" } else { "radio" };
        if let Some(help) = bounds_in_words(question) {
            html.tag("p").class("help").text(&help);
        }
        html.tag("div").class("cards").body(|html| {
            for (place, option) in question.options.iter().enumerate() {
                let card = Card {
                    kind,
                    value: &place.to_string(),
                    label: &option.label,
                    description: option.description.as_deref().filter(|text| !text.trim().is_empty()),
                    is_recommended: option.recommended,
                    is_required: question.required && !question.multi_select && !question.allow_custom,
                };
                self.draw_card(html, &card, |html| draw_preview(html, option));
            }
            if question.allow_custom {
                self.draw_own(html);
            }
            if !question.required && !question.multi_select {
                self.draw_skip(html);
            }
        });
    }

    /// Own words count when they are there: pressing the radio button beside them is not needed.
    fn draw_own(&self, html: &mut Html) {
        if self.question.multi_select {
            html.tag("div").class("card own").body(|html| {
                html.tag("label").attr("for", self.id("custom")).text("Own words, beside what is chosen");
                self.draw_area(html, "custom", 2, &self.typed.custom);
            });
            return;
        }
        self.draw_card(html, &Card::radio(OWN, "Own words"), |html| {
            let label = format!("Own words for question {}", self.index + 1);
            let area = html.tag("textarea").attr("id", self.id("custom")).attr("name", self.name("custom"));
            area.attr("rows", "2").attr("dir", "auto").attr("aria-label", label).value(&self.typed.custom);
        });
    }

    pub(super) fn draw_skip(&self, html: &mut Html) {
        self.draw_card(html, &Card::radio(SKIP, "Leave it out"), |_| {});
    }

    fn draw_confirm(&self, html: &mut Html) {
        let question = self.question;
        html.tag("div").class("cards pair").body(|html| {
            for (value, label) in [("yes", question.yes()), ("no", question.no())] {
                let card = Card { is_required: question.required, ..Card::radio(value, label) };
                self.draw_card(html, &card, |_| {});
            }
        });
        if !question.required {
            html.tag("div").class("cards").body(|html| self.draw_skip(html));
        }
    }

    fn draw_text(&self, html: &mut Html) {
        let question = self.question;
        // No `maxlength`: a browser would cut what is pasted without a word.
        let help = question.max_length.map(|max| format!("At most {max} characters."));
        let described = help.as_ref().map(|_| self.id("help"));
        let label = one_label(question, self.index);
        let placeholder = question.placeholder.as_deref();
        if question.multiline || self.typed.custom.contains('\n') {
            let area =
                html.tag("textarea").attr("id", self.id("custom")).attr("name", self.name("custom")).attr("rows", "6");
            let area = area.attr("dir", "auto").attr("aria-label", label).attr_if("placeholder", placeholder);
            area.attr_if("aria-describedby", described).flag("required", question.required).value(&self.typed.custom);
        } else {
            let input =
                html.tag("input").attr("type", "text").attr("id", self.id("custom")).attr("name", self.name("custom"));
            let input = input.attr("dir", "auto").attr("aria-label", label).attr_if("placeholder", placeholder);
            let input = input.attr_if("aria-describedby", described).flag("required", question.required);
            input.attr("autocomplete", "off").attr("value", &self.typed.custom).end();
        }
        if let Some(help) = help {
            html.tag("p").class("help").attr("id", self.id("help")).text(&help);
        }
    }

    fn draw_notes(&self, html: &mut Html) {
        html.tag("details").class("note").flag("open", !self.typed.notes.is_empty()).body(|html| {
            html.tag("summary").text("Add a note to the agent");
            html.tag("label").attr("for", self.id("notes")).text("Note, sent beside the answer");
            self.draw_area(html, "notes", 2, &self.typed.notes);
        });
    }

    pub(super) fn draw_area(&self, html: &mut Html, part: &'static str, rows: u8, value: &str) {
        let area = html.tag("textarea").attr("id", self.id(part)).attr("name", self.name(part));
        area.attr("rows", rows.to_string()).attr("dir", "auto").value(value);
    }

    pub(super) fn draw_card(&self, html: &mut Html, card: &Card<'_>, more: impl FnOnce(&mut Html)) {
        let id = self.id(card.value);
        let (label_id, description_id) = (format!("{id}-label"), format!("{id}-more"));
        html.tag("div").class("card").body(|html| {
            html.tag("label").class("pick").body(|html| {
                let input = html
                    .tag("input")
                    .attr("type", card.kind)
                    .attr("name", self.name("selected"))
                    .attr("value", card.value);
                let input = input.attr("id", &id).attr("aria-labelledby", &label_id);
                let input = input.attr_if("aria-describedby", card.description.map(|_| &description_id));
                input.flag("checked", self.typed.has(card.value)).flag("required", card.is_required).end();
                html.tag("span").body(|html| {
                    html.tag("span").class("label").attr("id", &label_id).body(|html| {
                        html.tag("bdi").foreign(card.label);
                        if card.is_recommended {
                            html.text(" ").tag("span").class("chip rec").text("Recommended");
                        }
                    });
                    if let Some(description) = card.description {
                        html.tag("span")
                            .class("more")
                            .attr("id", &description_id)
                            .attr("dir", "auto")
                            .foreign(description);
                    }
                });
            });
            more(html);
        });
    }

    pub(super) fn id(&self, part: &str) -> String {
        format!("q{}-{part}", self.index)
    }

    pub(super) fn name(&self, part: &str) -> String {
        format!("q.{}.{part}", self.index)
    }
}

fn one_label(question: &Question, index: usize) -> String {
    let header = question.header.as_deref().filter(|header| !header.trim().is_empty());
    header.map_or_else(|| format!("Answer to question {}", index + 1), str::to_owned)
}

fn bounds_in_words(question: &Question) -> Option<String> {
    match (question.multi_select, question.min_selected, question.max_selected) {
        (false, ..) => None,
        (true, None, None) => Some("Choose any number.".to_owned()),
        (true, Some(min), None) => Some(format!("Choose at least {min}.")),
        (true, None, Some(max)) => Some(format!("Choose at most {max}.")),
        (true, Some(min), Some(max)) if min == max => Some(format!("Choose {min}.")),
        (true, Some(min), Some(max)) => Some(format!("Choose {min} to {max}.")),
    }
}

/// HTML is shown as its source: it has no sandbox here.
fn draw_preview(html: &mut Html, option: &ChoiceOption) {
    let Some(preview) = option.preview.as_deref().filter(|preview| !preview.trim().is_empty()) else { return };
    html.tag("details").class("preview").body(|html| {
        html.tag("summary").body(|html| {
            html.tag("span").body(|html| {
                html.text("Preview").tag("span").class("hidden").body(|html| {
                    html.text(" of ").foreign(&option.label);
                });
            });
        });
        if option.preview_format == Some(PreviewFormat::Markdown) {
            html.tag("div").class("md").attr("dir", "auto").body(|html| nodes::render(html, &nodes::parse(preview)));
        } else {
            html.tag("pre").attr("tabindex", "0").attr("dir", "auto").foreign(preview);
        }
    });
}
