//! Who is answering: an expiring lease that tells colleagues and keeps nobody out.

use super::{Step, Verdict};
use crate::domain::call::Claim;
use crate::domain::command::Loss;
use crate::domain::event::EventKind;
use crate::domain::limits::{CLAIM_SECONDS, TYPING_HOLD_SECONDS, TYPING_HOLD_SECONDS_MAX};
use crate::domain::outcome::By;

impl Step {
    /// Takes the call, from whoever has it: the epoch rises, so that an answer under the old claim can be told.
    pub(super) fn claim(&mut self, by: &By, seconds: u64) -> Verdict {
        if self.call.is_settled() {
            return Verdict::Lost(Loss::AlreadySettled);
        }
        if !self.renew(by, seconds) {
            self.take(by, seconds);
        }
        Verdict::Done
    }

    /// Gives one's own claim back; anybody else's stays.
    pub(super) fn release(&mut self, by: &By) -> Verdict {
        if self.call.is_settled() {
            return Verdict::Lost(Loss::AlreadySettled);
        }
        if !self.has_claim(by) {
            return Verdict::Existing;
        }
        self.call.claim = None;
        self.note(EventKind::Released, Some(by.clone()));
        Verdict::Done
    }

    /// Renews one's own claim, or takes the call if nobody has it; and keeps the deadline a step away, so that it does
    /// not pass in the middle of a word.
    pub(super) fn typing(&mut self, by: &By) -> Verdict {
        if self.call.is_settled() {
            return Verdict::Lost(Loss::AlreadySettled);
        }
        if !self.renew(by, CLAIM_SECONDS) && self.call.claim_at(self.now).is_none() {
            self.take(by, CLAIM_SECONDS);
        }
        self.keep_off(by);
        Verdict::Done
    }

    fn has_claim(&self, by: &By) -> bool {
        self.call.claim_at(self.now).is_some_and(|claim| claim.by.id == by.id)
    }

    /// A renewal is no news: the claim was told when it was taken.
    fn renew(&mut self, by: &By, seconds: u64) -> bool {
        let is_mine = self.has_claim(by);
        if let Some(claim) = self.call.claim.as_mut().filter(|_| is_mine) {
            claim.until = self.now.plus_seconds(seconds);
            self.is_changed = true;
        }
        is_mine
    }

    fn take(&mut self, by: &By, seconds: u64) {
        self.call.claim_epoch += 1;
        let until = self.now.plus_seconds(seconds);
        self.call.claim = Some(Claim { epoch: self.call.claim_epoch, by: by.clone(), until });
        self.note(EventKind::Claimed, Some(by.clone()));
    }

    fn keep_off(&mut self, by: &By) {
        let Some(deadline) = self.call.expires_at.filter(|_| !self.call.ask.hard_deadline) else { return };
        let wanted = self.now.plus_seconds(TYPING_HOLD_SECONDS);
        let room = TYPING_HOLD_SECONDS_MAX.saturating_sub(self.call.typing_seconds);
        if wanted <= deadline || room == 0 {
            return;
        }
        let seconds = deadline.until(wanted).as_millis().div_ceil(1000);
        let seconds = u64::try_from(seconds).unwrap_or(room).min(room);
        self.call.expires_at = Some(deadline.plus_seconds(seconds));
        self.call.typing_seconds += seconds;
        self.call.rev += 1;
        self.note(EventKind::Extended, Some(by.clone()));
    }
}
