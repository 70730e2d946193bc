//! Words of our own that several dialects say: above all, that no person answered. Silence never sounds like a choice.

use crate::domain::{Outcome, Provenance};

/// The reason of an outcome where no person could be reached.
const UNATTENDED: &str = "unattended";

/// Whether the call ended because no person could be reached when it was asked.
pub(super) fn is_unattended(outcome: &Outcome) -> bool {
    outcome.reason.as_deref() == Some(UNATTENDED)
}

/// That nobody answered, and why.
pub(super) fn without_person(outcome: &Outcome) -> String {
    format!("No person answered: {}. Nothing was chosen; do not take this as agreement.", why(outcome))
}

/// What a dialect says of answers that no person gave, after a sentence that says so.
pub(super) fn with_declared(outcome: &Outcome, told: &str) -> String {
    let why = match outcome.provenance {
        Provenance::Rule => "a rule did".to_owned(),
        _ => format!("{}, and these answers were declared for that case when the questions were asked", why(outcome)),
    };
    format!("No person answered: {why}.\n{told}")
}

/// Words that say something.
pub(super) fn said(words: &Option<String>) -> Option<&str> {
    words.as_deref().filter(|words| !words.trim().is_empty())
}

fn why(outcome: &Outcome) -> String {
    if is_unattended(outcome) {
        "nobody could be reached".to_owned()
    } else {
        format!("the deadline ({}) passed", outcome.at)
    }
}
