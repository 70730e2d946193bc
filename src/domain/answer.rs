//! What a person gives for one question, and whether it fits.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::approval::Approval;
use super::fault::Faults;
use super::json::Json;
use super::limits::TEXT_BYTES_MAX;
use super::question::{Question, QuestionKind, Selected, is_blank};
use super::raw::JsonText;

/// An answer to one question as it was sent: right types, rules not checked yet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GivenAnswer {
    /// Which question.
    pub id: String,
    /// Ids or labels of the options chosen; `yes` or `no` for a confirmation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selected: Option<Vec<String>>,
    /// Own words; blank counts as absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub custom: Option<String>,
    /// A note to the asker beside the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// What was filled in (number, date, datetime, form), or the decision (approval).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub value: Option<JsonText>,
}

/// The answer to one question, checked: part of an outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Answer {
    /// Which question.
    pub id: String,
    /// Whether anything was answered.
    pub status: Answered,
    /// The options chosen, in the order given.
    pub selected: Vec<Selected>,
    /// Own words, as typed.
    pub custom: Option<String>,
    /// The note beside the answer, as typed.
    pub notes: Option<String>,
    /// What was filled in (number, date, datetime, form), or `{decision, arguments?, scope?}` (approval); null for the other kinds.
    #[schema(value_type = Option<Object>)]
    pub value: Option<JsonText>,
}

/// Whether a question was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Answered {
    /// Something was selected or written.
    Answered,
    /// The person left it out.
    Skipped,
}

/// One answer per question in the questions' order, if every given one fits.
///
/// With `lenient` (calls of a dialect) a label that several options share means the first of them, a text may hold NUL,
/// and own words beside the choice of a single option take its place, as they do where such tools ask in person.
///
/// # Errors
/// Every fault, with pointers into `{answers: […]}`.
pub fn check_answers(questions: &[Question], given: &[GivenAnswer], lenient: bool) -> Result<Vec<Answer>, Faults> {
    let mut faults = Faults::new();
    let known: HashMap<&str, &Question> = questions.iter().map(|question| (question.id.as_str(), question)).collect();
    let mut found: HashMap<&str, Answer> = HashMap::new();
    for (index, answer) in given.iter().enumerate() {
        let pointer = format!("/answers/{index}");
        let Some(question) = known.get(answer.id.as_str()) else {
            faults.add(format!("{pointer}/id"), format!("the call has no question {:?}", answer.id));
            continue;
        };
        if found.contains_key(question.id.as_str()) {
            faults.add(format!("{pointer}/id"), format!("question {:?} is answered twice", answer.id));
            continue;
        }
        let check = Check { question, lenient, pointer: &pointer };
        found.insert(question.id.as_str(), check.answer(answer, &mut faults));
    }
    let mut answers = Vec::with_capacity(questions.len());
    for question in questions {
        let answer = found.remove(question.id.as_str()).unwrap_or_else(|| Answer::skipped(question, None));
        let is_given = given.iter().position(|given| given.id == question.id);
        if question.required && answer.status == Answered::Skipped {
            let pointer = is_given.map_or_else(|| "/answers".to_owned(), |index| format!("/answers/{index}"));
            faults.add(pointer, format!("question {:?} must be answered", question.id));
        }
        answers.push(answer);
    }
    faults.or(Some(answers))
}

impl Answer {
    /// The answer of somebody who left the question out.
    pub fn skipped(question: &Question, notes: Option<String>) -> Self {
        Self {
            id: question.id.clone(),
            status: Answered::Skipped,
            selected: Vec::new(),
            custom: None,
            notes,
            value: None,
        }
    }
}

struct Check<'a> {
    question: &'a Question,
    lenient: bool,
    pointer: &'a str,
}

impl Check<'_> {
    fn answer(&self, given: &GivenAnswer, faults: &mut Faults) -> Answer {
        let custom = given.custom.clone().filter(|custom| !is_blank(custom));
        for (member, text) in [("custom", &custom), ("notes", &given.notes)] {
            if text.as_ref().is_some_and(|text| text.len() > TEXT_BYTES_MAX) {
                self.fault(member, format!("a text has at most {TEXT_BYTES_MAX} bytes"), faults);
            }
            if !self.lenient && text.as_ref().is_some_and(|text| text.contains('\0')) {
                self.fault(member, "a text has no NUL character".to_owned(), faults);
            }
        }
        let given_ids = given.selected.as_deref().unwrap_or_default();
        let kind = self.question.kind;
        let selected = match kind {
            QuestionKind::Choice => self.choice(given_ids, custom.as_deref(), faults),
            QuestionKind::Text => self.text(given_ids, custom.as_deref(), faults),
            QuestionKind::Confirm => self.confirm(given_ids, custom.as_deref(), faults),
            kind if kind.is_typed() => self.nothing_selected(given_ids, faults),
            _ => Vec::new(),
        };
        let value = given.value.as_ref().and_then(|value| self.value(value, faults));
        match kind {
            // Where own words may stand in the tool's place they are an answer by themselves.
            QuestionKind::Approval if custom.is_some() && given.value.is_none() && !self.question.allow_custom => {
                self.fault("value", "words without a decision approve and deny nothing".to_owned(), faults);
            }
            QuestionKind::Approval => {}
            kind if kind.is_typed() && custom.is_some() => {
                let detail = format!("a {} takes no own words; put them into notes", kind.name());
                self.fault("custom", detail, faults);
            }
            _ => {}
        }
        if given_ids.is_empty() && custom.is_none() && value.is_none() {
            return Answer::skipped(self.question, given.notes.clone());
        }
        Answer {
            id: self.question.id.clone(),
            status: Answered::Answered,
            selected,
            custom,
            notes: given.notes.clone(),
            value,
        }
    }

    fn value(&self, value: &JsonText, faults: &mut Faults) -> Option<JsonText> {
        let value = value.parse();
        if !self.lenient && value.holds_nul() {
            self.fault("value", "a text has no NUL character".to_owned(), faults);
        }
        let pointer = format!("{}/value", self.pointer);
        match self.question.kind {
            QuestionKind::Number | QuestionKind::Date | QuestionKind::DateTime if value == Json::Null => None,
            QuestionKind::Number | QuestionKind::Date | QuestionKind::DateTime => {
                self.question.form()?.fields.first()?.check(&value, &pointer, faults);
                Some(JsonText::of(&value))
            }
            QuestionKind::Form => Some(JsonText::of(&self.question.form()?.check(&value, &pointer, faults)?)),
            QuestionKind::Approval => {
                Approval::check(self.question, &value, &pointer, faults).map(|approval| approval.to_value())
            }
            kind => {
                let detail = format!("value has no meaning for a question of kind {}", kind.name());
                faults.add(pointer, detail);
                None
            }
        }
    }

    fn nothing_selected(&self, given: &[String], faults: &mut Faults) -> Vec<Selected> {
        if !given.is_empty() {
            self.fault("selected", "this question has no options: answer in value".to_owned(), faults);
        }
        Vec::new()
    }

    fn choice(&self, given: &[String], custom: Option<&str>, faults: &mut Faults) -> Vec<Selected> {
        let question = self.question;
        let mut seen = HashSet::new();
        let mut selected = Vec::with_capacity(given.len());
        for (index, name) in given.iter().enumerate() {
            let pointer = format!("selected/{index}");
            match self.option(name) {
                Ok(option) if seen.insert(option.id.clone()) => selected.push(option),
                Ok(_) => self.fault(&pointer, format!("{name:?} is selected twice"), faults),
                Err(detail) => self.fault(&pointer, detail, faults),
            }
        }
        if custom.is_some() && !question.allow_custom {
            self.fault("custom", "this question takes no own words".to_owned(), faults);
        }
        let chosen = given.len() + usize::from(custom.is_some());
        if question.multi_select {
            self.count(chosen, faults);
        } else if given.len() > 1 {
            self.fault("selected", "this question takes one option".to_owned(), faults);
        } else if chosen > 1 && self.lenient {
            selected.clear();
        } else if chosen > 1 {
            self.fault("custom", "this question takes an option or own words, not both".to_owned(), faults);
        }
        selected
    }

    /// The bounds hold for an answer; nothing chosen is a skip, which `required` governs.
    fn count(&self, chosen: usize, faults: &mut Faults) {
        if chosen == 0 {
            return;
        }
        if let Some(min) = self.question.min_selected.filter(|min| chosen < *min as usize) {
            self.fault("selected", format!("at least {min} must be chosen"), faults);
        }
        if let Some(max) = self.question.max_selected.filter(|max| chosen > *max as usize) {
            self.fault("selected", format!("at most {max} may be chosen"), faults);
        }
    }

    /// Ids go before labels, so that no label can hide another option's id.
    fn option(&self, name: &str) -> Result<Selected, String> {
        let options = &self.question.options;
        let mut labelled = options.iter().filter(|option| option.label == name);
        let found = match options.iter().find(|option| option.id == name) {
            Some(option) => option,
            None => {
                let first = labelled.next().ok_or_else(|| format!("this question has no option {name:?}"))?;
                if !self.lenient && labelled.next().is_some() {
                    return Err(format!("several options are called {name:?}: name the one by its id"));
                }
                first
            }
        };
        Ok(Selected { id: found.id.clone(), label: found.label.clone() })
    }

    fn text(&self, given: &[String], custom: Option<&str>, faults: &mut Faults) -> Vec<Selected> {
        if !given.is_empty() {
            self.fault("selected", "this question has no options: answer in custom".to_owned(), faults);
        }
        if let (Some(max), Some(text)) = (self.question.max_length, custom)
            && text.chars().count() > max as usize
        {
            self.fault("custom", format!("the text has at most {max} characters"), faults);
        }
        Vec::new()
    }

    fn confirm(&self, given: &[String], custom: Option<&str>, faults: &mut Faults) -> Vec<Selected> {
        if custom.is_some() {
            self.fault("custom", "a confirmation takes yes or no; put words into notes".to_owned(), faults);
        }
        match given {
            [] => Vec::new(),
            [one] if one == "yes" || one == "no" => {
                let label = if one == "yes" { self.question.yes() } else { self.question.no() };
                vec![Selected { id: one.clone(), label: label.to_owned() }]
            }
            _ => {
                self.fault("selected", "a confirmation is [\"yes\"] or [\"no\"]".to_owned(), faults);
                Vec::new()
            }
        }
    }

    fn fault(&self, member: &str, detail: String, faults: &mut Faults) {
        faults.add(format!("{}/{member}", self.pointer), detail);
    }
}
