//! The one sentence that the original makes of answers by question text.
//!
//! Exact to the original, which escapes nothing. 2.1.89 takes any answers as they are; 2.1.332 goes by the questions, and
//! says something else if an answer is more than a choice.

use super::super::javascript;
use super::super::json::read_as_javascript;
use super::record::Annotation;
use crate::domain::Question;
use crate::domain::json::{Json, write_string};

/// An answer that 2.1.332 takes for none.
const NOTES_ONLY: &str = "(notes only)";

/// The sentence of 2.1.89. The answers come in the order of a JavaScript object's members; empty previews and notes are
/// left out, annotations of other questions are lost.
pub fn render_record(answers: &[(String, String)], annotations: &[(String, Annotation)]) -> String {
    let mut ordered: Vec<(String, &str)> =
        answers.iter().map(|(question, answer)| (question.clone(), answer.as_str())).collect();
    javascript::order_members(&mut ordered);
    let told = ordered.iter().map(|(question, answer)| {
        let annotation = find(annotations, question);
        format!("\"{question}\"=\"{answer}\"{}", annotated(annotation, "user notes"))
    });
    let told: Vec<String> = told.collect();
    format!(
        "User has answered your questions: {}. You can now continue with the user's answers in mind.",
        told.join(", ")
    )
}

/// The sentence of 2.1.332. Answers to other questions are ignored, notes without an answer are told, and a response to
/// the whole takes the place of everything.
pub fn render_answers(
    questions: &[Question],
    answers: &[(String, String)],
    annotations: &[(String, Annotation)],
    response: Option<&str>,
) -> String {
    if let Some(response) = response.filter(|response| !javascript::trim(response).is_empty()) {
        return format!("The user responded: {response}");
    }
    let answer_to = |question: &Question| find(answers, &question.question).map(String::as_str);
    let told = questions.iter().filter_map(|question| {
        let (text, annotation) = (&question.question, find(annotations, &question.question));
        let annotated = annotated(annotation, "notes");
        match answer_to(question).filter(|answer| is_one(answer)) {
            Some(answer) => Some(format!("\"{text}\"=\"{answer}\"{annotated}")),
            None if has_notes(annotation) => Some(format!("\"{text}\"=(no option selected){annotated}")),
            None => None,
        }
    });
    let told: Vec<String> = told.collect();
    if told.is_empty() {
        return "The user did not answer the questions.".to_owned();
    }
    let told = told.join(", ");
    let is_choice = |question: &Question| {
        let is_label = answer_to(question).is_none_or(|answer| !is_one(answer) || is_of_labels(question, answer));
        is_label && !has_notes(find(annotations, &question.question))
    };
    if questions.iter().all(is_choice) {
        format!("Your questions have been answered: {told}. You can now continue with these answers in mind.")
    } else {
        format!(
            "The user answered: {told}. Read the answers carefully — they may request clarification, changes, or that \
             you not proceed — and follow what they actually say."
        )
    }
}

/// Several choices as 2.1.332 writes them into one text, so that it can tell them apart again.
pub(super) fn join(chosen: &[&str]) -> String {
    let quoted = chosen.iter().map(|text| {
        if !text.contains(", ") && !text.contains('"') {
            return (*text).to_owned();
        }
        let mut quoted = String::new();
        write_string(&mut quoted, text);
        quoted
    });
    quoted.collect::<Vec<_>>().join(", ")
}

/// The choices that were joined to a text; none if it is no such text.
fn split(joined: &str) -> Option<Vec<String>> {
    let mut parts = Vec::new();
    let mut rest = joined;
    loop {
        let part_end = if rest.starts_with('"') { quoted_end(rest)? } else { rest.find(", ").unwrap_or(rest.len()) };
        let (part, behind) = rest.split_at(part_end);
        parts.push(match part.starts_with('"') {
            true => match read_as_javascript(part) {
                Ok(Json::String(text)) => text,
                _ => return None,
            },
            false if part.contains('"') => return None,
            false => part.to_owned(),
        });
        if behind.is_empty() {
            return Some(parts);
        }
        rest = behind.strip_prefix(", ").filter(|rest| !rest.is_empty())?;
    }
}

/// Where the JSON string ends with which a text starts.
fn quoted_end(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.bytes().enumerate().skip(1).find_map(|(at, byte)| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends.then_some(at + 1)
    })
}

fn is_of_labels(question: &Question, answer: &str) -> bool {
    let is_label = |text: &str| question.options.iter().any(|option| option.label == text);
    let is_list = |parts: Vec<String>| {
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        join(&parts) == answer && parts.iter().all(|part| is_label(part))
    };
    is_label(answer) || (question.multi_select && split(answer).is_some_and(is_list))
}

fn is_one(answer: &str) -> bool {
    !answer.is_empty() && answer != NOTES_ONLY
}

fn has_notes(annotation: Option<&Annotation>) -> bool {
    annotation.and_then(|annotation| annotation.notes.as_deref()).is_some_and(|notes| !notes.is_empty())
}

/// What stands behind an answer.
fn annotated(annotation: Option<&Annotation>, notes_are_called: &str) -> String {
    let member = |read: fn(&Annotation) -> &Option<String>| {
        annotation.and_then(|annotation| read(annotation).as_deref()).filter(|text| !text.is_empty())
    };
    let preview = member(|annotation| &annotation.preview).map(|preview| format!(" selected preview:\n{preview}"));
    let notes = member(|annotation| &annotation.notes).map(|notes| format!(" {notes_are_called}: {notes}"));
    preview.into_iter().chain(notes).collect()
}

/// The member of that name; the last one, as in JavaScript.
fn find<'a, T>(members: &'a [(String, T)], name: &str) -> Option<&'a T> {
    members.iter().rev().find(|(member, _)| member == name).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_choices_can_be_told_apart() {
        for (chosen, joined) in [
            (vec!["A", "B"], "A, B"),
            (vec!["A, b", "C"], "\"A, b\", C"),
            (vec!["say \"hi\"\n", ",", ""], "\"say \\\"hi\\\"\\n\", ,, "),
        ] {
            assert_eq!(join(&chosen), joined);
        }
        assert_eq!(split("\"A, b\", C").unwrap(), ["A, b", "C"]);
        assert_eq!(split("\"a\\\\\", \"b\\\"\"").unwrap(), ["a\\", "b\""]);
        assert_eq!(split("").unwrap(), [""]);
        for text in ["A, ", "\"A", "A\"b\"", "\"A\"x", "\"\\x\"", "\"A\",B"] {
            assert_eq!(split(text), None, "{text}");
        }
    }
}
