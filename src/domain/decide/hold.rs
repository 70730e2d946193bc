//! The undo window: an answer that the hub keeps for some seconds before it settles the call.

use super::{Ended, Step, Verdict};
use crate::domain::call::Held;
use crate::domain::command::{Attempt, Loss};
use crate::domain::event::EventKind;
use crate::domain::limits::HOLD_SECONDS_BEFORE_DEADLINE_MIN;
use crate::domain::outcome::{By, Outcome};
use crate::domain::time::Timestamp;

impl Step {
    /// When an answer that is to be held for so long settles the call. None: at once, because the deadline is too near
    /// to let anybody change their mind.
    pub(super) fn hold_end(&self, seconds: u64) -> Option<Timestamp> {
        let until = self.now.plus_seconds(seconds);
        let latest = until.plus_seconds(HOLD_SECONDS_BEFORE_DEADLINE_MIN);
        (seconds > 0 && self.call.expires_at.is_none_or(|deadline| latest <= deadline)).then_some(until)
    }

    /// The outcome is made now, with the instant at which it counts: whoever settles the call then writes these bytes.
    pub(super) fn hold(&mut self, by: &By, attempt: &Attempt, until: Timestamp, outcome: Outcome) -> Verdict {
        let outcome = Outcome { at: until, ..outcome };
        self.call.held = Some(Held { answer_id: attempt.id.clone(), by: by.clone(), until, outcome });
        self.call.rev += 1;
        self.note(EventKind::Held, Some(by.clone()));
        self.remember = Some(Ended::Held);
        Verdict::Held
    }

    /// Only who gave an answer may take it back. Taking back what is not there any more changes nothing.
    pub(super) fn undo(&mut self, by: &By, answer_id: &str) -> Verdict {
        if self.call.is_settled() {
            return Verdict::Lost(Loss::AlreadySettled);
        }
        match &self.call.held {
            None => Verdict::Existing,
            Some(held) if held.by.id == by.id && held.answer_id == answer_id => {
                self.call.held = None;
                self.note(EventKind::Unheld, Some(by.clone()));
                Verdict::Done
            }
            Some(_) => Verdict::Lost(Loss::Held),
        }
    }
}
