//! What a person typed and chose for one question, whether it is right or not.
//!
//! Its fields, after `q.` and the question's place: `selected` (repeated: an option's place, `yes`, `no`, `approve`,
//! `deny`, `own` for own words, `skip`), `custom`, `notes`, `form.` with a field's place (repeated where several can be
//! chosen), `arguments`, `scope` (a scope's place).

use super::approval::typed_arguments;
use super::form;
use crate::domain::{Approval, Faults, Form, GivenAnswer, JsonText, Question, QuestionKind, Verdict};

/// What a person typed and chose for one question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Typed {
    /// What was chosen, as the fields say it.
    pub selected: Vec<String>,
    /// Own words.
    pub custom: String,
    /// The note beside the answer.
    pub notes: String,
    /// What stands in a form's fields, as they say it, by their places; those after the last that was sent are missing.
    pub fields: Vec<Vec<String>>,
    /// Other arguments for the tool.
    pub arguments: String,
    /// The place of the scope that was chosen.
    pub scope: String,
}

/// Chosen instead of an option.
pub const OWN: &str = "own";
/// Chosen to leave the question out.
pub const SKIP: &str = "skip";
/// Chosen to let a tool be called.
pub const APPROVE: &str = "approve";
/// Chosen to keep a tool from being called.
pub const DENY: &str = "deny";

impl Typed {
    /// Whether this was chosen.
    pub fn has(&self, value: &str) -> bool {
        self.selected.iter().any(|selected| selected == value)
    }

    /// Whether nothing was typed or chosen.
    pub fn is_blank(&self) -> bool {
        let fields = self.fields.iter().flatten();
        self.selected.is_empty()
            && [&self.custom, &self.notes, &self.arguments, &self.scope].into_iter().chain(fields).all(String::is_empty)
    }

    /// Takes one field; none if this question has no such field, or the field no such value.
    pub fn take(&mut self, question: &Question, part: &str, value: String) -> Option<()> {
        match part {
            "selected" if is_offered(question, &value) => self.selected.push(value),
            "custom" => self.custom = value,
            "notes" => self.notes = value,
            "arguments" if question.editable => self.arguments = value,
            "scope" if value.is_empty() || scope(question, &value).is_some() => self.scope = value,
            _ => {
                let index = place(part.strip_prefix("form.")?)?;
                let form = question.form()?;
                let field = form.fields.get(index)?;
                if self.fields.len() <= index {
                    self.fields.resize(index + 1, Vec::new());
                }
                let values = &mut self.fields[index];
                if !form::takes(field, &value, values) {
                    return None;
                }
                values.push(value);
            }
        }
        Some(())
    }

    /// The answer; notes what contradicts itself in a way that only a form can.
    pub fn given(&self, question: &Question, index: usize, faults: &mut Faults) -> GivenAnswer {
        let has_words = !self.custom.trim().is_empty();
        let form = question.form();
        if self.has(OWN) && !has_words {
            faults.add(format!("/answers/{index}/custom"), "own words are chosen, but there are none");
        }
        if self.has(SKIP) && (has_words || self.selected.len() > 1 || self.is_changed(form.as_ref())) {
            faults.add(format!("/answers/{index}/selected"), "an answer is here and “leave it out” is chosen too");
        }
        let value = match question.kind {
            _ if self.has(SKIP) => None,
            kind if kind.is_single() => form.and_then(|form| form::single(&form, &self.fields)),
            QuestionKind::Form => {
                let is_left_out = |form: &Form| !question.required && !form.fields.is_empty() && self.is_empty_form();
                form.filter(|form| !is_left_out(form)).map(|form| JsonText::of(&form::value(&form, &self.fields)))
            }
            QuestionKind::Approval => self.decision(question, index, faults).map(|approval| approval.to_value()),
            _ => None,
        };
        GivenAnswer {
            id: question.id.clone(),
            selected: Some(self.chosen(question)),
            custom: has_words.then(|| self.custom.clone()),
            notes: Some(self.notes.clone()).filter(|notes| !notes.trim().is_empty()),
            value,
        }
    }

    /// All of it as lines of text.
    pub fn lines(&self, question: &Question) -> Vec<String> {
        let mut lines: Vec<String> = self.labels(question);
        if let Some(form) = question.form() {
            lines.extend(form::lines(&form, &self.fields));
        }
        lines.extend(self.other_arguments(question).map(str::to_owned));
        lines.extend(scope(question, &self.scope).map(str::to_owned));
        lines.extend([&self.custom, &self.notes].into_iter().filter(|text| !text.is_empty()).cloned());
        lines
    }

    fn is_empty_form(&self) -> bool {
        self.fields.iter().flatten().all(String::is_empty)
    }

    fn is_changed(&self, form: Option<&Form>) -> bool {
        form.is_some_and(|form| !self.is_empty_form() && !form::is_untouched(form, &self.fields))
    }

    fn decision(&self, question: &Question, index: usize, faults: &mut Faults) -> Option<Approval> {
        let decision = match (self.has(APPROVE), self.has(DENY)) {
            (true, false) => Verdict::Approve,
            (false, true) => Verdict::Deny,
            (true, true) => {
                faults.add(format!("/answers/{index}/selected"), "both approved and denied");
                return None;
            }
            (false, false) => return None,
        };
        let arguments = self.other_arguments(question).and_then(|text| match JsonText::read(text) {
            Ok(arguments) => Some(arguments),
            Err(error) => {
                let detail = format!("the arguments are not JSON: {error}");
                faults.add(format!("/answers/{index}/value/arguments"), detail);
                None
            }
        });
        Some(Approval { decision, arguments, scope: scope(question, &self.scope).map(str::to_owned) })
    }

    /// The arguments, if they are not those that were asked for.
    fn other_arguments(&self, question: &Question) -> Option<&str> {
        let asked = typed_arguments(question.tool.as_ref()?);
        Some(self.arguments.as_str()).filter(|typed| !typed.trim().is_empty() && *typed != asked)
    }

    /// Ids of the options chosen, or `yes` and `no`.
    fn chosen(&self, question: &Question) -> Vec<String> {
        let values = self.selected.iter().filter(|value| ![OWN, SKIP, APPROVE, DENY].contains(&value.as_str()));
        values.map(|value| option_id(question, value).unwrap_or_else(|| value.clone())).collect()
    }

    fn labels(&self, question: &Question) -> Vec<String> {
        let label = |value: &String| match (question.kind, value.as_str()) {
            (QuestionKind::Confirm, "yes") => Some(question.yes()),
            (QuestionKind::Confirm, "no") => Some(question.no()),
            (QuestionKind::Approval, APPROVE) => Some("Approve"),
            (QuestionKind::Approval, DENY) => Some("Deny"),
            _ => place(value).and_then(|index| question.options.get(index)).map(|option| option.label.as_str()),
        };
        self.selected.iter().filter_map(label).map(str::to_owned).collect()
    }
}

/// Whether a field of this name may be sent more than once.
pub fn may_repeat(name: &str) -> bool {
    let part = name.strip_prefix("q.").and_then(|rest| rest.split_once('.')).map(|(_, part)| part);
    part.is_some_and(|part| part == "selected" || part.starts_with("form."))
}

fn is_offered(question: &Question, value: &str) -> bool {
    match question.kind {
        QuestionKind::Text => false,
        QuestionKind::Number | QuestionKind::Date | QuestionKind::DateTime | QuestionKind::Form => value == SKIP,
        QuestionKind::Confirm => ["yes", "no", SKIP].contains(&value),
        QuestionKind::Approval => [APPROVE, DENY, SKIP].contains(&value),
        QuestionKind::Choice => value == OWN || value == SKIP || option_id(question, value).is_some(),
    }
}

fn option_id(question: &Question, value: &str) -> Option<String> {
    question.options.get(place(value)?).map(|option| option.id.clone())
}

fn scope<'a>(question: &'a Question, value: &str) -> Option<&'a str> {
    question.scopes.get(place(value)?).map(String::as_str)
}

/// A place in a list, in the one spelling that the form uses.
pub fn place(text: &str) -> Option<usize> {
    text.parse::<usize>().ok().filter(|place| place.to_string() == text)
}
