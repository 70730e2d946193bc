//! The arguments, with all that the original forgives: other names, other types, texts in the place of lists.

use super::super::{choice_options, fold, go, question_id};
use crate::domain::json::Json;
use crate::domain::{ChoiceOption, Question, QuestionKind};

/// Where a question's text may stand, the best place first.
const QUESTION: &[&str] = &["question", "prompt", "text", "q", "title"];
/// Where an option's label may stand.
const LABEL: &[&str] = &["label", "value", "text", "name", "title", "option"];
/// Where an option's description may stand.
const DESCRIPTION: &[&str] = &["description", "desc", "detail", "hint", "subtitle"];

/// An option's label, never blank, and its description.
type Choice = (String, Option<String>);

/// The heading of the whole.
pub(super) fn title(arguments: &Json) -> Option<String> {
    text_at(arguments, &["header"]).map(trimmed)
}

/// The questions, or what the original says is wrong.
pub(super) fn questions(arguments: &Json, strict: bool) -> Result<Vec<Question>, String> {
    match arguments.get("questions") {
        None | Some(Json::Null) => Err("questions is required".to_owned()),
        Some(Json::Array(items)) if items.is_empty() => Err("questions must contain at least one question".to_owned()),
        Some(Json::Array(items)) => {
            let questions = items.iter().enumerate().map(|(index, item)| {
                question(index, item, strict).map_err(|complaint| format!("question {} {complaint}", index + 1))
            });
            questions.collect()
        }
        Some(_) => Err("questions must be an array".to_owned()),
    }
}

fn question(index: usize, item: &Json, strict: bool) -> Result<Question, &'static str> {
    let text = match item {
        Json::String(text) if text.trim().is_empty() => return Err("must not be empty"),
        Json::String(text) => text,
        Json::Object(_) => text_at(item, QUESTION).ok_or("question is required")?,
        _ => return Err("must be an object or string"),
    };
    let options = options(item, strict);
    let kind = if options.is_empty() { QuestionKind::Text } else { QuestionKind::Choice };
    Ok(Question {
        header: text_at(item, &["header"]).map(trimmed),
        multi_select: !options.is_empty() && is_true(item.get("multiSelect")),
        options,
        multiline: kind == QuestionKind::Text,
        ..Question::new(question_id(index), kind, text.to_owned())
    })
}

fn options(item: &Json, strict: bool) -> Vec<ChoiceOption> {
    let mut options = choice_options(choices(item, strict));
    let labels: Vec<&str> = options.iter().map(|option| option.label.as_str()).collect();
    if let Some(place) = recommended(item.string("recommended").unwrap_or_default(), &labels) {
        options[place].recommended = true;
    }
    options
}

/// The options that have a label.
///
/// What has none is dropped, and so is what is blank in the list of descriptions beside. The original drops first and
/// matches the two lists then, by which descriptions come to other options than were meant; `strict` matches first.
fn choices(item: &Json, strict: bool) -> Vec<Choice> {
    let mut choices: Vec<Option<Choice>> = match item.get("options") {
        Some(Json::Array(items)) => items.iter().map(choice).collect(),
        Some(one @ Json::Object(_)) if strict => vec![choice(one)],
        other => texts(other).into_iter().map(|label| label.map(|label| (label, None))).collect(),
    };
    let mut beside = texts(item.get("optionDescriptions"));
    if !strict {
        choices.retain(Option::is_some);
        beside.retain(Option::is_some);
    }
    let beside = beside.into_iter().chain(std::iter::repeat(None));
    let described = choices
        .into_iter()
        .zip(beside)
        .map(|(choice, beside)| choice.map(|(label, description)| (label, description.or(beside))));
    described.flatten().collect()
}

/// An item of a list of options: not a number, not a flag.
fn choice(item: &Json) -> Option<Choice> {
    match item {
        Json::String(label) => not_blank(label).map(|label| (trimmed(label), None)),
        _ => text_at(item, LABEL).map(|label| (trimmed(label), text_at(item, DESCRIPTION).map(trimmed))),
    }
}

/// A list of texts, whatever was sent: a list of anything, lines, or one thing alone. None stands for what is blank.
fn texts(value: Option<&Json>) -> Vec<Option<String>> {
    match value {
        None => Vec::new(),
        Some(Json::Array(items)) => items.iter().map(as_text).collect(),
        Some(Json::String(lines)) => lines.split('\n').map(|line| not_blank(line).map(trimmed)).collect(),
        Some(one) => vec![as_text(one)],
    }
}

fn as_text(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => not_blank(text).map(trimmed),
        Json::Bool(flag) => Some(flag.to_string()),
        Json::Number(digits) => Some(go::number_text(digits)),
        other => text_at(other, LABEL).map(trimmed),
    }
}

/// Which option is recommended: the first that is called so, else the first that differs in case alone.
fn recommended(wanted: &str, labels: &[&str]) -> Option<usize> {
    let wanted = wanted.trim();
    let exact = labels.iter().position(|label| *label == wanted);
    exact.or_else(|| labels.iter().position(|label| fold::equal(label, wanted)))
}

fn is_true(value: Option<&Json>) -> bool {
    match value {
        Some(Json::Bool(flag)) => *flag,
        Some(Json::String(word)) => ["true", "yes", "on", "1"].iter().any(|yes| word.trim().eq_ignore_ascii_case(yes)),
        Some(Json::Number(digits)) => go::number(digits) == 1.0,
        _ => false,
    }
}

/// The first text that is not blank under one of these names.
fn text_at<'a>(object: &'a Json, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| not_blank(object.string(name)?))
}

fn not_blank(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.trim().is_empty())
}

fn trimmed(text: &str) -> String {
    text.trim().to_owned()
}
