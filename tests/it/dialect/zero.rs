//! The vectors of zero: what its front end is given, and what its handler may answer beyond a person's choices.

use askhub::domain::json::Json;
use askhub::domain::{ChoiceOption, GivenAnswer, Question};
use serde::Deserialize;

use super::cases::{Case, Ending};
use super::pure::same;
use super::vectors::{Seen, Told, Vectors, by_outcome};

/// `zero.json`.
pub struct Zero;

/// A question as the original's front end is given it.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Shown {
    question: String,
    header: String,
    options: Vec<String>,
    option_descriptions: Vec<String>,
    recommended: String,
    multi_select: bool,
}

impl Vectors for Zero {
    fn file(&self) -> &'static str {
        "zero"
    }

    fn count(&self) -> usize {
        148
    }

    fn context(&self, case: &Case) -> Json {
        let is_headless = case.text("outcome").as_deref() == Some("headless");
        let interactive = is_headless.then(|| ("interactive".to_owned(), Json::Bool(false)));
        Json::Object(interactive.into_iter().collect())
    }

    fn ending(&self, case: &Case) -> Ending {
        match case.text("outcome").as_deref() {
            Some("handler_error") => Ending::Unattended { declared: Vec::new() },
            Some("deadline") => Ending::Expired { declared: Vec::new() },
            Some("headless") => Ending::Pending,
            _ => match by_outcome(case) {
                Ending::Answers { answers, reply } => Ending::Answers { answers: fitting(case, answers), reply },
                other => other,
            },
        }
    }

    fn told(&self, case: &Case) -> Told {
        Told {
            result: case.result(),
            is_error: case.result_is_error(),
            user_message: None,
            ends_run: Some(case.has("aborts_run")),
        }
    }

    fn check(&self, case: &Case, seen: &Seen<'_>) -> Result<(), String> {
        let found: Vec<Shown> = seen.questions.iter().map(shown).collect();
        let mut expected = wanted(case);
        for question in &mut expected {
            // A question without options is a text, of which there is only one.
            question.multi_select &= !question.options.is_empty();
        }
        same("normalized", &found, &expected)
    }
}

/// What the front end is given; nothing if the arguments are refused.
fn wanted(case: &Case) -> Vec<Shown> {
    case.field("normalized").unwrap_or_default()
}

/// The answers that a person can give: the original's handler may also answer more than was asked, and what is no option.
fn fitting(case: &Case, mut answers: Vec<GivenAnswer>) -> Vec<GivenAnswer> {
    let asked = wanted(case);
    answers.truncate(asked.len());
    for (answer, question) in answers.iter_mut().zip(asked) {
        let labels = answer.selected.as_deref().unwrap_or_default();
        if let Some(other) = labels.iter().find(|label| !question.options.contains(label)) {
            answer.custom = Some(other.clone());
            answer.selected = None;
        }
    }
    answers
}

fn shown(question: &Question) -> Shown {
    let options = &question.options;
    let described = options.iter().any(|option| option.description.is_some());
    let description = |option: &ChoiceOption| option.description.clone().unwrap_or_default();
    let recommended = options.iter().find(|option| option.recommended);
    Shown {
        question: question.question.clone(),
        header: question.header.clone().unwrap_or_default(),
        options: options.iter().map(|option| option.label.clone()).collect(),
        option_descriptions: options.iter().filter(|_| described).map(description).collect(),
        recommended: recommended.map(|option| option.label.clone()).unwrap_or_default(),
        multi_select: question.multi_select,
    }
}
