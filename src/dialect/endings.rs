//! How a call's end is told by a tool that waits for its answer and has no rule of its own for it.

use super::words::{is_unattended, with_declared, without_person, words_beside, words_of_refusal};
use super::{Rendered, ToolResult};
use crate::domain::{Call, Outcome, Provenance, Status};

/// A tool's own words; all else is told the same way by all.
pub(super) struct Endings<'a> {
    /// A person's answers, in the tool's form.
    pub(super) answered: &'a dyn Fn(&Call, &Outcome) -> ToolResult,
    /// A refusal. What the person said with it becomes the user's message.
    pub(super) declined: ToolResult,
    /// Whether a refusal without a word stops the run.
    pub(super) declined_ends_run: bool,
    /// Nobody could be reached; none if the original has no words for that.
    pub(super) unattended: Option<ToolResult>,
    /// The asker withdrew the call; none if it has no result then.
    pub(super) cancelled: Option<ToolResult>,
}

impl Endings<'_> {
    /// What the model is told about the call as it is.
    pub(super) fn render(self, call: &Call) -> Rendered {
        let Some(outcome) = call.read_outcome() else {
            // Pending, or erased: then nothing is known of it, and no result will come.
            return Rendered { ends_run: call.is_settled(), ..Rendered::default() };
        };
        let questions = &call.ask.questions;
        let told = |result| Rendered { tool_result: Some(result), ..Rendered::default() };
        // Without a structured form: from it a host could not tell them from a person's.
        let declared = || ToolResult::text(with_declared(&outcome, &(self.answered)(call, &outcome).text));
        match outcome.status {
            Status::Answered if outcome.provenance == Provenance::Rule => told(declared()),
            Status::Answered => Rendered {
                user_message: words_beside(questions, &outcome, false),
                ..told((self.answered)(call, &outcome))
            },
            Status::Declined => {
                let user_message = words_of_refusal(questions, &outcome);
                let ends_run = self.declined_ends_run && user_message.is_none();
                Rendered { user_message, ends_run, ..told(self.declined) }
            }
            Status::Expired if outcome.provenance == Provenance::Default => told(declared()),
            Status::Expired => {
                let own = self.unattended.filter(|_| is_unattended(&outcome));
                told(own.unwrap_or_else(|| ToolResult::error(without_person(&outcome))))
            }
            Status::Pending | Status::Cancelled => {
                Rendered { tool_result: self.cancelled, user_message: None, ends_run: true }
            }
        }
    }
}

/// Whether the deadline passed with no answer, not even a declared one: some originals have words of their own for that.
pub(super) fn ran_out(call: &Call) -> bool {
    let ran_out = |outcome: Outcome| outcome.provenance == Provenance::Clock && !is_unattended(&outcome);
    call.status == Status::Expired && call.read_outcome().is_some_and(ran_out)
}
