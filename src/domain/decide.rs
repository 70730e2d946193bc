//! What one command does to one call: the whole state machine, pure.
//!
//! `pending → answered | declined | expired | cancelled`, once. Every store loads the call, asks [`decide`], and
//! writes what it says in one transaction, so that no two stores can disagree about a rule.

mod claim;
mod hold;

use std::time::Duration;

use serde_json::value::to_raw_value;

use super::answer::Answer;
use super::ask::{AgentInfo, Ask};
use super::call::{Call, LateAnswer, NewCall, Status};
use super::command::{Applied, Attempt, Command, Loss, Settlement, Terms};
use super::digest::Digest;
use super::event::{Event, EventKind};
use super::outcome::{By, Outcome, Provenance};
use super::text;
use super::time::Timestamp;

/// How long after settling a key still names its call; later it can name nothing.
pub const KEY_LIFE: Duration = Duration::from_secs(24 * 60 * 60);

/// What a command does.
#[derive(Debug, Clone)]
pub struct Decision {
    /// What the caller is told.
    pub applied: Applied,
    /// The call to store, if it is new or changed.
    pub store: Option<Call>,
    /// What to append to the space's log, in this order.
    pub events: Vec<Event>,
    /// An answer that came too late, to be kept beside the outcome.
    pub late: Option<LateAnswer>,
    /// Whether the act must be remembered, and if so how it ended.
    pub remember: Option<Ended>,
}

/// How an act that is remembered ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// It lost against an outcome.
    Lost,
    /// It won.
    Won,
    /// It was held.
    Held,
}

/// What is remembered of an earlier act with the same id, by the same principal, on the same call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Earlier {
    /// The SHA-256 of what was sent then.
    pub body: Digest,
    /// How it ended.
    pub ended: Ended,
}

/// Decides what a command does to the call as it is.
///
/// `current` is the call that the command names, or for an ask the one that its key names. `earlier` is the act of
/// the same id by the same principal. A due call expires first, so that nobody wins after the deadline and every
/// loser finds a final call.
pub fn decide(command: &Command, current: Option<&Call>, earlier: Option<Earlier>, now: Timestamp) -> Decision {
    let Some(current) = current else {
        return match command {
            Command::Ask(new) => ask(new, now),
            _ => Decision::nothing(Applied::Absent),
        };
    };
    let mut step =
        Step { call: current.clone(), now, is_changed: false, events: Vec::new(), late: None, remember: None };
    step.expire();
    let verdict = step.run(command, earlier);
    step.into_decision(verdict)
}

/// Settles a due call: the call after it and the event; none if it is not due.
pub fn expire(call: &Call, now: Timestamp) -> Option<(Call, Event)> {
    let mut step = Step { call: call.clone(), now, is_changed: false, events: Vec::new(), late: None, remember: None };
    step.expire();
    let event = step.events.pop()?;
    Some((step.call, event))
}

fn ask(new: &NewCall, now: Timestamp) -> Decision {
    let call = Call::asked(new.clone(), now);
    let asked = Event::of(EventKind::Asked, &call, now, Some(new.by.clone()));
    let mut step = Step { call, now, is_changed: true, events: vec![asked], late: None, remember: None };
    if new.unattended {
        let outcome = step.silence(now, Some("unattended".to_owned()));
        step.settle(outcome);
    }
    step.into_decision(Verdict::Done)
}

enum Verdict {
    Done,
    Held,
    Existing,
    Lost(Loss),
}

/// One call while a command is applied to it.
struct Step {
    call: Call,
    now: Timestamp,
    is_changed: bool,
    events: Vec<Event>,
    late: Option<LateAnswer>,
    remember: Option<Ended>,
}

impl Step {
    fn run(&mut self, command: &Command, earlier: Option<Earlier>) -> Verdict {
        if let (Some((attempt, _)), Some(earlier)) = (command.attempt(), earlier) {
            return replay(attempt, earlier);
        }
        match command {
            Command::Ask(new) => self.ask_again(new),
            Command::Settle { by, settlement, terms, attempt, .. } => self.end(by, settlement, *terms, attempt),
            Command::Undo { by, answer_id, .. } => self.undo(by, answer_id),
            Command::Claim { by, seconds, .. } => self.claim(by, *seconds),
            Command::Release { by, .. } => self.release(by),
            Command::Typing { by, .. } => self.typing(by),
            Command::Cancel { by, reason, .. } => self.cancel(by, reason.as_ref()),
            Command::Extend { by, seconds, .. } => self.extend(by, *seconds),
            Command::Deliver { .. } => self.deliver(),
            Command::Acknowledge { by, .. } => self.acknowledge(by),
            Command::Expire { .. } => Verdict::Existing,
            Command::Erase { by, .. } => self.erase(by),
        }
    }

    fn ask_again(&self, new: &NewCall) -> Verdict {
        let is_same = self.call.same_ask == new.same_ask && self.call.erased_at.is_none();
        let is_too_old = self.call.settled_at.is_some_and(|at| at.until(self.now) >= KEY_LIFE);
        if is_same && !is_too_old { Verdict::Existing } else { Verdict::Lost(Loss::KeyReused) }
    }

    fn end(&mut self, by: &By, settlement: &Settlement, terms: Terms, attempt: &Attempt) -> Verdict {
        let outcome = self.outcome_of(by, settlement);
        if self.call.is_settled() {
            self.keep_late(by, attempt.id.clone(), outcome);
            return self.lost_to_outcome();
        }
        if self.call.held.is_some() {
            return Verdict::Lost(Loss::Held);
        }
        if terms.claim.is_some_and(|epoch| epoch != self.call.claim_epoch) {
            return Verdict::Lost(Loss::ClaimLost);
        }
        if terms.rev.is_some_and(|rev| rev != self.call.rev) {
            return Verdict::Lost(Loss::RevMismatch);
        }
        if let Some(until) = self.hold_end(terms.hold_seconds) {
            return self.hold(by, attempt, until, outcome);
        }
        self.settle(outcome);
        self.won()
    }

    fn cancel(&mut self, by: &By, reason: Option<&String>) -> Verdict {
        if self.call.is_settled() {
            return self.lost_to_outcome();
        }
        let mut outcome = self.blank(Status::Cancelled, cancelled_by(by), Some(by.clone()), self.now);
        outcome.reason = reason.cloned();
        let held = self.call.held.take();
        self.settle(outcome);
        if let Some(held) = held {
            self.keep_late(&held.by.clone(), held.answer_id.clone(), held.outcome);
        }
        self.won()
    }

    fn extend(&mut self, by: &By, seconds: u64) -> Verdict {
        if self.call.is_settled() {
            return self.lost_to_outcome();
        }
        if self.call.ask.hard_deadline {
            return Verdict::Lost(Loss::HardDeadline);
        }
        let Some(deadline) = self.call.expires_at else {
            return Verdict::Lost(Loss::NoDeadline);
        };
        let wanted = self.now.plus_seconds(seconds);
        if wanted > deadline {
            self.call.expires_at = Some(wanted);
            self.call.rev += 1;
            self.note(EventKind::Extended, Some(by.clone()));
        }
        self.won()
    }

    fn deliver(&mut self) -> Verdict {
        if !self.call.is_settled() {
            return Verdict::Lost(Loss::NotSettled);
        }
        if self.call.delivered_at.is_some() {
            return Verdict::Existing;
        }
        self.call.delivered_at = Some(self.now);
        self.note(EventKind::Delivered, None);
        Verdict::Done
    }

    fn acknowledge(&mut self, by: &By) -> Verdict {
        if !self.call.is_settled() {
            return Verdict::Lost(Loss::NotSettled);
        }
        self.deliver();
        if self.call.acked_at.is_none() {
            self.call.acked_at = Some(self.now);
            self.note(EventKind::Acked, Some(by.clone()));
        }
        Verdict::Done
    }

    fn erase(&mut self, by: &By) -> Verdict {
        if !self.call.is_settled() {
            return Verdict::Lost(Loss::NotSettled);
        }
        if self.call.erased_at.is_some() {
            return Verdict::Existing;
        }
        let key = self.call.ask.key.take();
        let session = self.call.ask.agent.session.take();
        self.call.ask = empty_ask(key, session);
        self.call.dialect = None;
        self.call.outcome = None;
        self.call.late_answers_total = 0;
        self.call.held = None;
        self.call.erased_at = Some(self.now);
        self.note(EventKind::Erased, Some(by.clone()));
        Verdict::Done
    }

    /// With `at` = the instant at which it was due, so that the bytes do not depend on who finds the call.
    fn expire(&mut self) {
        if !self.call.is_due(self.now) {
            return;
        }
        if let Some(held) = self.call.held.take() {
            self.settle(held.outcome);
        } else if let Some(deadline) = self.call.expires_at {
            let outcome = self.silence(deadline, None);
            self.settle(outcome);
        }
    }

    /// The outcome of nobody having answered: with the declared answers, if there are any.
    fn silence(&self, at: Timestamp, reason: Option<String>) -> Outcome {
        let declared = self.call.ask.declared_answers(self.call.is_lenient());
        let provenance = if declared.is_some() { Provenance::Default } else { Provenance::Clock };
        let mut outcome = self.blank(Status::Expired, provenance, None, at);
        outcome.reason = reason;
        outcome.answers = declared.unwrap_or_default();
        outcome
    }

    fn outcome_of(&self, by: &By, settlement: &Settlement) -> Outcome {
        match settlement {
            Settlement::Answer { answers, reply } => {
                let mut outcome = self.blank(Status::Answered, Provenance::Human, Some(by.clone()), self.now);
                outcome.answers.clone_from(answers);
                outcome.reply.clone_from(reply);
                self.with_text(outcome)
            }
            Settlement::Decline { reason, clarify, reply, answers } => {
                let mut outcome = self.blank(Status::Declined, Provenance::Human, Some(by.clone()), self.now);
                outcome.reason.clone_from(reason);
                outcome.clarify = *clarify;
                outcome.reply.clone_from(reply);
                outcome.answers.clone_from(answers);
                self.with_text(outcome)
            }
        }
    }

    fn blank(&self, status: Status, provenance: Provenance, by: Option<By>, at: Timestamp) -> Outcome {
        Outcome {
            status,
            provenance,
            reason: None,
            reply: None,
            clarify: false,
            by,
            at,
            answers: Vec::<Answer>::new(),
            text: String::new(),
        }
    }

    fn with_text(&self, mut outcome: Outcome) -> Outcome {
        outcome.text = text::render(&self.call.ask, &outcome);
        outcome
    }

    fn settle(&mut self, outcome: Outcome) {
        let outcome = self.with_text(outcome);
        self.call.status = outcome.status;
        self.call.settled_at = Some(outcome.at);
        self.call.claim = None;
        self.call.rev += 1;
        self.call.outcome = to_raw_value(&outcome).ok();
        let event = Event::of(EventKind::Settled, &self.call, outcome.at, outcome.by);
        self.events.push(event);
        self.is_changed = true;
    }

    fn keep_late(&mut self, by: &By, answer_id: String, outcome: Outcome) {
        if self.call.erased_at.is_some() {
            return;
        }
        self.late = Some(LateAnswer { answer_id, by: by.clone(), at: self.now, outcome });
        self.call.late_answers_total += 1;
        self.note(EventKind::AnsweredLate, Some(by.clone()));
    }

    fn note(&mut self, kind: EventKind, by: Option<By>) {
        self.events.push(Event::of(kind, &self.call, self.now, by));
        self.is_changed = true;
    }

    fn won(&mut self) -> Verdict {
        self.remember = Some(Ended::Won);
        Verdict::Done
    }

    fn lost_to_outcome(&mut self) -> Verdict {
        self.remember = Some(Ended::Lost);
        Verdict::Lost(Loss::AlreadySettled)
    }

    fn into_decision(self, verdict: Verdict) -> Decision {
        let call = Box::new(self.call);
        let store = self.is_changed.then(|| (*call).clone());
        let applied = match verdict {
            Verdict::Done => Applied::Done(call),
            Verdict::Held => Applied::Held(call),
            Verdict::Existing => Applied::Existing(call),
            Verdict::Lost(loss) => Applied::Lost(call, loss),
        };
        Decision { applied, store, events: self.events, late: self.late, remember: self.remember }
    }
}

impl Decision {
    /// A decision that changes nothing.
    pub fn nothing(applied: Applied) -> Self {
        Self { applied, store: None, events: Vec::new(), late: None, remember: None }
    }
}

/// The same act again: the first result again, and nothing is done twice.
fn replay(attempt: &Attempt, earlier: Earlier) -> Verdict {
    if earlier.body != attempt.body {
        return Verdict::Lost(Loss::AnswerIdReused);
    }
    match earlier.ended {
        Ended::Won => Verdict::Done,
        Ended::Held => Verdict::Held,
        Ended::Lost => Verdict::Lost(Loss::AlreadySettled),
    }
}

fn cancelled_by(by: &By) -> Provenance {
    match by.kind {
        super::outcome::ByKind::Agent => Provenance::Agent,
        super::outcome::ByKind::Person => Provenance::Human,
    }
}

fn empty_ask(key: Option<String>, session: Option<String>) -> Ask {
    Ask {
        key,
        title: None,
        questions: Vec::new(),
        context: None,
        agent: AgentInfo { session, ..AgentInfo::default() },
        priority: 50,
        tags: Vec::new(),
        follows: None,
        timeout_seconds: None,
        hard_deadline: false,
        on_timeout: None,
        on_unattended: super::ask::OnUnattended::Wait,
        callback_url: None,
        metadata: super::raw::JsonText::empty_object(),
    }
}
