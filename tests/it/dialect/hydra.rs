//! The vectors of hydra: what its front end is given, replies in the provider's own form, and how a call is aborted.

use askhub::domain::json::Json;
use askhub::domain::{GivenAnswer, Question};

use super::cases::{Case, Ending};
use super::pure::same;
use super::vectors::{Seen, Told, Vectors, by_outcome};

/// `hydra.json`.
pub struct Hydra;

impl Vectors for Hydra {
    fn file(&self) -> &'static str {
        "hydra"
    }

    fn count(&self) -> usize {
        102
    }

    fn ending(&self, case: &Case) -> Ending {
        match case.json("answers_raw") {
            Some(reply) if case.json("answers").is_none() => replied(&reply),
            _ => by_outcome(case),
        }
    }

    fn told(&self, case: &Case) -> Told {
        Told {
            result: case.result(),
            is_error: case.result_is_error(),
            user_message: Some(None),
            ends_run: Some(false),
        }
    }

    fn check(&self, case: &Case, seen: &Seen<'_>) -> Result<(), String> {
        let structured = seen.rendered.and_then(|rendered| rendered.tool_result.as_ref()?.structured.clone());
        same("structured", &structured, &case.result())?;
        let Some(Json::Array(expected)) = case.json("normalized") else { panic!("{}: no questions", case.name) };
        let expected: Vec<String> = expected.iter().map(|question| known_members(question).to_text()).collect();
        let Some(ids) = ids(case) else { panic!("{}: no ids", case.name) };
        let found: Vec<String> = seen.questions.iter().zip(ids).map(|(question, id)| shown(question, id)).collect();
        same("normalized", &found, &expected)
    }
}

/// A provider's reply as a person's answers, one for each question in order.
fn replied(reply: &Json) -> Ending {
    let Some(Json::Array(items)) = reply.get("answers") else { panic!("{reply:?} has no answers") };
    let answers = items.iter().enumerate().map(|(index, item)| GivenAnswer {
        id: format!("q{}", index + 1),
        selected: item.get("selected").map(texts),
        custom: item.get("custom").map(text),
        notes: None,
        value: None,
    });
    Ending::Answers { answers: answers.collect(), reply: None }
}

fn ids(case: &Case) -> Option<Vec<String>> {
    let arguments = Json::parse(&case.arguments(), super::cases::NESTING).ok()?;
    let Some(Json::Array(questions)) = arguments.get("questions") else { return None };
    questions.iter().map(|question| question.get("id").map(text)).collect()
}

/// What the front end is given, without what a person here is not shown: options' unknown members, and the difference
/// between an empty list and none.
fn known_members(question: &Json) -> Json {
    let option = |option: &Json| members(option, &["label", "description", "preview"]);
    let options = match question.get("options") {
        Some(Json::Array(options)) if !options.is_empty() => Some(Json::Array(options.iter().map(option).collect())),
        _ => None,
    };
    let multi_select = question.get("multiSelect").filter(|flag| **flag == Json::Bool(true) && options.is_some());
    let Json::Object(mut known) = members(question, &["id", "question", "header"]) else { panic!("it is an object") };
    known.extend(options.map(|options| ("options".to_owned(), options)));
    known.extend(multi_select.cloned().map(|flag| ("multiSelect".to_owned(), flag)));
    Json::Object(known)
}

fn members(object: &Json, names: &[&str]) -> Json {
    let known = names.iter().filter_map(|name| Some(((*name).to_owned(), object.get(name)?.clone())));
    Json::Object(known.collect())
}

/// A question of ours in the form of the vectors.
fn shown(question: &Question, id: String) -> String {
    let member = |name: &str, text: &str| Some((name.to_owned(), Json::String(text.to_owned())));
    let options: Vec<Json> = question
        .options
        .iter()
        .map(|option| {
            let description = option.description.as_deref().and_then(|text| member("description", text));
            let preview = option.preview.as_deref().and_then(|text| member("preview", text));
            Json::Object([member("label", &option.label), description, preview].into_iter().flatten().collect())
        })
        .collect();
    let header = question.header.as_deref().and_then(|header| member("header", header));
    let options = (!options.is_empty()).then_some(("options".to_owned(), Json::Array(options)));
    let multi_select = question.multi_select.then_some(("multiSelect".to_owned(), Json::Bool(true)));
    let all = [member("id", &id), member("question", &question.question), header, options, multi_select];
    Json::Object(all.into_iter().flatten().collect()).to_text()
}

fn texts(value: &Json) -> Vec<String> {
    match value {
        Json::Array(items) => items.iter().map(text).collect(),
        other => panic!("{other:?} is no list"),
    }
}

fn text(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        other => panic!("{other:?} is no text"),
    }
}
