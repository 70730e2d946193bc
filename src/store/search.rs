//! What a call can be found by: one text, the same on every store.
//!
//! Letter case is folded for ASCII only, because that is what all stores can do alike.

use crate::domain::Ask;

/// The text in which a list looks: title, questions and context.
pub(super) fn text_of(ask: &Ask) -> String {
    let questions = ask.questions.iter().flat_map(|question| {
        let header = question.header.as_deref();
        header.into_iter().chain([question.question.as_str()])
    });
    let parts: Vec<&str> = ask.title.as_deref().into_iter().chain(questions).chain(ask.context.as_deref()).collect();
    fold(&parts.join("\n"))
}

/// A text in the form that is compared. Postgres cannot hold NUL in a text.
pub(super) fn fold(text: &str) -> String {
    text.to_ascii_lowercase().replace('\0', " ")
}
