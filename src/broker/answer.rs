//! Ending a call and what follows: answer, decline, cancel, extend, acknowledge, erase.

use uuid::Uuid;

use super::{Broker, BrokerError, View};
use crate::domain::{
    Answer, Applied, Attempt, Call, CallId, Command, Digest, GivenAnswer, Loss, Principal, Settlement, Terms, Via,
    can_administer, can_answer, check_answers, is_asker,
};

/// A person's answer as it was sent.
#[derive(Debug, Clone)]
pub struct AnswerSubmission {
    /// At most one for each question.
    pub answers: Vec<GivenAnswer>,
    /// Words beside them.
    pub reply: Option<String>,
    /// The act's own id; made here if absent.
    pub answer_id: Option<String>,
    /// What must be as it was seen, and how long it may be taken back.
    pub terms: Terms,
}

/// A person's refusal as it was sent.
#[derive(Debug, Clone)]
pub struct DeclineSubmission {
    /// Why.
    pub reason: Option<String>,
    /// Whether it means "ask me differently".
    pub clarify: bool,
    /// Words beside it.
    pub reply: Option<String>,
    /// What was typed so far.
    pub answers: Vec<GivenAnswer>,
    /// The act's own id; made here if absent.
    pub answer_id: Option<String>,
    /// What must be as it was seen, and how long it may be taken back.
    pub terms: Terms,
}

/// What came of an answer or a decline.
#[derive(Debug, Clone)]
pub struct Given {
    /// The call as it is now.
    pub view: View,
    /// Whether it may still be taken back: then it settles the call later.
    pub is_held: bool,
}

impl Broker {
    /// Answers a call: the first answer wins, one that comes late is kept.
    ///
    /// `body` is the digest of what was sent: the same `answer_id` with the same body is the same answer.
    ///
    /// # Errors
    /// In this order: [`BrokerError::NotFound`], [`BrokerError::Forbidden`], [`BrokerError::Invalid`],
    /// [`BrokerError::Lost`] with the call.
    pub async fn answer(
        &self,
        who: &Principal,
        via: Via,
        id: CallId,
        given: AnswerSubmission,
        body: Digest,
    ) -> Result<Given, BrokerError> {
        let call = self.answerable(who, id).await?;
        let answers = check(&call, &given.answers)?;
        let settlement = Settlement::Answer { answers, reply: given.reply };
        let attempt = attempt("answer", given.answer_id, body);
        self.act_or_hold(Command::Settle { call: id, by: who.by(via), settlement, terms: given.terms, attempt }).await
    }

    /// Refuses to answer, or asks to be asked differently.
    ///
    /// # Errors
    /// As [`Broker::answer`].
    pub async fn decline(
        &self,
        who: &Principal,
        via: Via,
        id: CallId,
        given: DeclineSubmission,
        body: Digest,
    ) -> Result<Given, BrokerError> {
        let call = self.answerable(who, id).await?;
        let answers = if given.answers.is_empty() { Vec::new() } else { check_partly(&call, &given.answers)? };
        let settlement =
            Settlement::Decline { reason: given.reason, clarify: given.clarify, reply: given.reply, answers };
        let attempt = attempt("decline", given.answer_id, body);
        self.act_or_hold(Command::Settle { call: id, by: who.by(via), settlement, terms: given.terms, attempt }).await
    }

    /// Takes a held answer back: who gave it, until it settles the call.
    ///
    /// # Errors
    /// [`BrokerError::Lost`] if the call is settled, or another answer is held.
    pub async fn undo(&self, who: &Principal, via: Via, id: CallId, answer_id: String) -> Result<View, BrokerError> {
        self.answerable(who, id).await?;
        self.act(Command::Undo { call: id, by: who.by(via), answer_id }).await
    }

    /// Says that this person is answering, for so many seconds. Takes the call from whoever said so before.
    ///
    /// # Errors
    /// As [`Broker::answer`]; [`BrokerError::Lost`] if the call is settled.
    pub async fn claim(&self, who: &Principal, via: Via, id: CallId, seconds: u64) -> Result<View, BrokerError> {
        self.answerable(who, id).await?;
        self.act(Command::Claim { call: id, by: who.by(via), seconds }).await
    }

    /// Gives this person's claim back.
    ///
    /// # Errors
    /// As [`Broker::claim`].
    pub async fn release(&self, who: &Principal, via: Via, id: CallId) -> Result<View, BrokerError> {
        self.answerable(who, id).await?;
        self.act(Command::Release { call: id, by: who.by(via) }).await
    }

    /// This person is typing: the call is theirs if it is nobody's, and its deadline stays off for a while.
    ///
    /// # Errors
    /// As [`Broker::claim`].
    pub async fn typing(&self, who: &Principal, via: Via, id: CallId) -> Result<View, BrokerError> {
        self.answerable(who, id).await?;
        self.act(Command::Typing { call: id, by: who.by(via) }).await
    }

    /// Withdraws a call: its asker or an admin.
    ///
    /// # Errors
    /// [`BrokerError::NotFound`], [`BrokerError::Forbidden`], [`BrokerError::Lost`].
    pub async fn cancel(
        &self,
        who: &Principal,
        via: Via,
        id: CallId,
        reason: Option<String>,
        answer_id: Option<String>,
        body: Digest,
    ) -> Result<View, BrokerError> {
        let (call, _) = self.read(who, id).await?;
        if !is_asker(who, &call) && !can_administer(who) {
            return Err(BrokerError::Forbidden("only the asker or an admin may cancel a call"));
        }
        let attempt = attempt("cancel", answer_id, body);
        self.act(Command::Cancel { call: id, by: who.by(via), reason, attempt }).await
    }

    /// Moves a call's deadline to `seconds` from now, never earlier than it was: its asker or a responder.
    ///
    /// # Errors
    /// [`BrokerError::NotFound`]; [`BrokerError::Lost`] also without a deadline or with a hard one.
    pub async fn extend(
        &self,
        who: &Principal,
        via: Via,
        id: CallId,
        seconds: u64,
        answer_id: Option<String>,
        body: Digest,
    ) -> Result<View, BrokerError> {
        let (call, _) = self.read(who, id).await?;
        if !is_asker(who, &call) && !can_answer(who, &call) {
            return Err(BrokerError::Forbidden("only the asker or a responder may extend a call"));
        }
        let attempt = attempt("extend", answer_id, body);
        self.act(Command::Extend { call: id, by: who.by(via), seconds, attempt }).await
    }

    /// The asker confirms that it has the outcome. Repeating it changes nothing.
    ///
    /// # Errors
    /// [`BrokerError::Lost`] while the call is pending.
    pub async fn acknowledge(&self, who: &Principal, via: Via, id: CallId) -> Result<View, BrokerError> {
        let (call, _) = self.read(who, id).await?;
        if !is_asker(who, &call) {
            return Err(BrokerError::Forbidden("only the asker may acknowledge an outcome"));
        }
        self.act(Command::Acknowledge { call: id, by: who.by(via) }).await
    }

    /// Erases a settled call's content; its events stay.
    ///
    /// # Errors
    /// [`BrokerError::Forbidden`] for all but admins; [`BrokerError::Lost`] while the call is pending.
    pub async fn erase(&self, who: &Principal, via: Via, id: CallId) -> Result<(), BrokerError> {
        let (call, _) = self.read(who, id).await?;
        if !can_administer(who) {
            return Err(BrokerError::Forbidden("only an admin may erase a call"));
        }
        self.act(Command::Erase { call: call.id, by: who.by(via) }).await.map(drop)
    }

    async fn answerable(&self, who: &Principal, id: CallId) -> Result<Call, BrokerError> {
        let (call, _) = self.read(who, id).await?;
        if can_answer(who, &call) {
            Ok(call)
        } else {
            Err(BrokerError::Forbidden("an agent may not answer: only people do"))
        }
    }

    async fn act(&self, command: Command) -> Result<View, BrokerError> {
        self.act_or_hold(command).await.map(|given| given.view)
    }

    async fn act_or_hold(&self, command: Command) -> Result<Given, BrokerError> {
        match self.write(command).await? {
            Applied::Done(call) | Applied::Existing(call) => {
                Ok(Given { view: self.view(*call).await?, is_held: false })
            }
            Applied::Held(call) => Ok(Given { view: self.view(*call).await?, is_held: true }),
            Applied::Lost(call, loss) => Err(BrokerError::Lost(Box::new(self.view(*call).await?), loss)),
            Applied::Absent => Err(BrokerError::NotFound),
            Applied::TooManyPending => Err(BrokerError::TooManyPending),
        }
    }
}

/// The verb is part of the body: one id cannot name an answer and a refusal.
fn attempt(verb: &str, id: Option<String>, body: Digest) -> Attempt {
    let id = id.unwrap_or_else(|| Uuid::now_v7().to_string());
    Attempt { id, body: Digest::of(format!("{verb} {}", body.to_hex()).as_bytes()) }
}

fn check(call: &Call, given: &[GivenAnswer]) -> Result<Vec<Answer>, BrokerError> {
    check_answers(&call.ask.questions, given, call.is_lenient()).map_err(BrokerError::Invalid)
}

/// What was typed so far need not be complete: nothing is required of somebody who refuses.
fn check_partly(call: &Call, given: &[GivenAnswer]) -> Result<Vec<Answer>, BrokerError> {
    let mut questions = call.ask.questions.clone();
    for question in &mut questions {
        question.required = false;
        question.min_selected = None;
    }
    check_answers(&questions, given, call.is_lenient()).map_err(BrokerError::Invalid)
}

impl BrokerError {
    /// Whether it is a loss of this kind.
    pub fn is_loss(&self, loss: Loss) -> bool {
        matches!(self, Self::Lost(_, found) if *found == loss)
    }
}
