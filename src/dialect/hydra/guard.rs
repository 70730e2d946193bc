//! The guard: who was asked to improve something may not answer with a menu of what could be improved.
//!
//! It looks at what the user said last and at the questions as they came, before anything else is checked.

use super::super::{Request, fold};
use crate::domain::Faults;
use crate::domain::json::Json;

/// What the model sees.
pub(super) const REASON: &str = "ask_user_question cannot offer a generic improvement-category menu. Inspect the \
    available context and take the smallest safe useful step; ask only for a material fact normal inspection cannot \
    establish or a genuinely user-owned choice.";

/// Whole words by which a user asks for improvement in general.
const WORDS: &[&str] = &[
    "improve",
    "improving",
    "improvement",
    "enhance",
    "enhancing",
    "enhancement",
    "optimise",
    "optimising",
    "optimisation",
    "optimize",
    "optimizing",
    "optimization",
];

/// The same in Vietnamese, anywhere in the text.
const PHRASES: &[&str] = &["cải thiện", "nâng cấp", "tối ưu"];

/// What a generic menu offers.
const TERMS: &[&str] = &[
    "performance",
    "features",
    "reliability",
    "safety",
    "security",
    "latency",
    "quality",
    "ux",
    "user experience",
    "explainability",
    "scalability",
    "hiệu suất",
    "tính năng",
    "độ tin cậy",
    "an toàn",
    "bảo mật",
    "độ trễ",
    "chất lượng",
    "trải nghiệm người dùng",
    "khả năng giải thích",
    "khả năng mở rộng",
];

/// How many of the terms make a menu.
const MENU_TERMS: usize = 3;

/// What the user said last: the newest event that is the user's own, else what the host says it was.
///
/// # Errors
/// A context of other types.
pub(super) fn latest_user_text(request: &Request<'_>) -> Result<Option<String>, Faults> {
    let said = request.text("latest_user_text")?;
    match request.context.get("session_events") {
        None | Some(Json::Null) => Ok(said.map(str::to_owned)),
        Some(Json::Array(events)) => Ok(events.iter().rev().find_map(text_of_user)),
        Some(other) => {
            let detail = format!("session_events is an array of events, not {}", other.kind());
            Err(Faults::of("/context/session_events", detail))
        }
    }
}

/// The text of an event, if it is a message of the user's own and not one that was put in.
fn text_of_user(event: &Json) -> Option<String> {
    let data = event.get("data")?;
    if event.string("type") != Some("user/message") || data.get("source")?.string("kind") != Some("user") {
        return None;
    }
    let texts = data.items("content").iter().filter(|block| block.string("type") == Some("text"));
    Some(texts.filter_map(|block| block.string("text")).collect::<Vec<_>>().join("\n"))
}

/// Whether the guard stops the call. In strict mode a term is a whole word, so that `linux` has no `ux`.
pub(super) fn stops(arguments: &Json, user_text: Option<&str>, strict: bool) -> bool {
    user_text.is_some_and(asks_for_improvement)
        && arguments.items("questions").iter().any(|question| is_menu(question, strict))
}

/// As `/\bimprove\b|…/iu`: with these flags `ſ` and the Kelvin sign are letters of words, as their folds are.
fn asks_for_improvement(text: &str) -> bool {
    let text: String = text.chars().map(fold::fold).collect();
    let is_letter = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let has_word = |word: &&str| text.match_indices(word).any(|(at, _)| is_whole(&text, at, word, is_letter));
    WORDS.iter().any(has_word) || PHRASES.iter().any(|phrase| text.contains(phrase))
}

fn is_menu(question: &Json, strict: bool) -> bool {
    let labels = question.items("options").iter().filter_map(|option| option.string("label"));
    let texts: Vec<&str> = question.string("question").into_iter().chain(labels).collect();
    let text = texts.join("\n").to_lowercase();
    let is_letter = |character: char| character.is_alphanumeric() || character == '_';
    let has = |term: &&&str| text.match_indices(**term).any(|(at, _)| !strict || is_whole(&text, at, term, is_letter));
    TERMS.iter().filter(has).count() >= MENU_TERMS
}

/// Whether what is found at that place is not a part of a longer word.
fn is_whole(text: &str, at: usize, word: &str, is_letter: impl Fn(char) -> bool) -> bool {
    let (before, after) = (text[..at].chars().next_back(), text[at + word.len()..].chars().next());
    !before.is_some_and(&is_letter) && !after.is_some_and(&is_letter)
}
