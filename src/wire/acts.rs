//! Bodies of what is done to a call: answer, decline, undo, claim, cancel, extend.

use serde::Serialize;
use utoipa::ToSchema;

use super::reader::Reader;
use super::request::{given_answer, read};
use crate::domain::json::Json;
use crate::domain::limits::{CLAIM_SECONDS_MAX, HOLD_SECONDS_MAX, ID_BYTES_MAX, TIMEOUT_SECONDS_MAX};
use crate::domain::{Faults, GivenAnswer};

/// `POST …/answer`
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
pub struct AnswerForm {
    /// At most one for each question; a question without one is skipped.
    pub answers: Vec<GivenAnswer>,
    /// Words beside the answers.
    pub reply: Option<String>,
    /// The answer's own id, unique for this person and call: the same id with the same body is the same answer.
    pub answer_id: Option<String>,
    /// The revision that was seen; a stale one is refused with the call as it is.
    pub rev: Option<u64>,
    /// The epoch of the claim under which it is given; a superseded one is refused.
    pub claim: Option<u64>,
    /// How long it may be taken back, in seconds: 0 (default) to 30. Until then the call is pending.
    pub hold_seconds: Option<u64>,
}

/// `POST …/decline`
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
pub struct DeclineForm {
    /// Why.
    pub reason: Option<String>,
    /// Whether it means "ask me differently".
    pub clarify: Option<bool>,
    /// Words beside it.
    pub reply: Option<String>,
    /// What was typed so far.
    pub answers: Option<Vec<GivenAnswer>>,
    /// As for an answer.
    pub answer_id: Option<String>,
    /// As for an answer.
    pub rev: Option<u64>,
    /// As for an answer.
    pub claim: Option<u64>,
    /// As for an answer.
    pub hold_seconds: Option<u64>,
}

/// `POST …/undo`
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
pub struct UndoForm {
    /// Which answer.
    pub answer_id: String,
}

/// `POST …/claim`
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
pub struct ClaimForm {
    /// For how long, in seconds: 1 to 600; 120 without it.
    pub seconds: Option<u64>,
}

/// `POST …/cancel`
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
pub struct CancelForm {
    /// Why.
    pub reason: Option<String>,
    /// The act's own id: repeating it is safe.
    pub answer_id: Option<String>,
}

/// `POST …/extend`
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
pub struct ExtendForm {
    /// The new deadline, in seconds from now; it never moves earlier.
    pub seconds: u64,
    /// The act's own id: repeating it is safe.
    pub answer_id: Option<String>,
}

/// `POST …/ack`: an empty object, or no body at all.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
pub struct EmptyForm {}

/// Reads `POST …/answer`.
///
/// # Errors
/// Every fault of the body's types; whether the answers fit is checked against the call.
pub fn read_answer(body: &Json) -> Result<AnswerForm, Faults> {
    read(body, |reader| {
        let answers = reader.list("answers", given_answer);
        if answers.is_none() {
            reader.fault("answers", "a list of answers is missing; [] skips every question");
        }
        let (claim, hold_seconds) = claim_and_hold(reader);
        Some(AnswerForm {
            answers: answers.unwrap_or_default(),
            reply: reader.text("reply"),
            answer_id: act_id(reader),
            rev: reader.whole("rev"),
            claim,
            hold_seconds,
        })
    })
}

/// Reads `POST …/decline`.
///
/// # Errors
/// As [`read_answer`].
pub fn read_decline(body: &Json) -> Result<DeclineForm, Faults> {
    read(body, |reader| {
        let (claim, hold_seconds) = claim_and_hold(reader);
        Some(DeclineForm {
            reason: reader.text("reason"),
            clarify: reader.flag("clarify"),
            reply: reader.text("reply"),
            answers: reader.list("answers", given_answer),
            answer_id: act_id(reader),
            rev: reader.whole("rev"),
            claim,
            hold_seconds,
        })
    })
}

/// Reads `POST …/undo`.
///
/// # Errors
/// Every fault of the body.
pub fn read_undo(body: &Json) -> Result<UndoForm, Faults> {
    read(body, |reader| {
        let answer_id = act_id(reader);
        if answer_id.is_none() {
            reader.fault("answer_id", "which answer is to be taken back is missing");
        }
        Some(UndoForm { answer_id: answer_id? })
    })
}

/// Reads `POST …/claim`.
///
/// # Errors
/// Every fault of the body.
pub fn read_claim(body: &Json) -> Result<ClaimForm, Faults> {
    read(body, |reader| {
        let seconds = reader.whole("seconds");
        if seconds.is_some_and(|seconds| seconds == 0 || seconds > CLAIM_SECONDS_MAX) {
            reader.fault("seconds", format!("seconds is a whole number from 1 to {CLAIM_SECONDS_MAX}"));
        }
        Some(ClaimForm { seconds })
    })
}

/// Reads `POST …/cancel`.
///
/// # Errors
/// Every fault of the body.
pub fn read_cancel(body: &Json) -> Result<CancelForm, Faults> {
    read(body, |reader| Some(CancelForm { reason: reader.text("reason"), answer_id: act_id(reader) }))
}

/// Reads `POST …/extend`.
///
/// # Errors
/// Every fault of the body.
pub fn read_extend(body: &Json) -> Result<ExtendForm, Faults> {
    read(body, |reader| {
        let seconds = reader.whole("seconds");
        if seconds.is_none_or(|seconds| seconds == 0 || seconds > TIMEOUT_SECONDS_MAX) {
            reader.fault("seconds", format!("seconds is a whole number from 1 to {TIMEOUT_SECONDS_MAX} (366 days)"));
        }
        Some(ExtendForm { seconds: seconds?, answer_id: act_id(reader) })
    })
}

/// Reads a body that must be an empty object.
///
/// # Errors
/// Every key that is there.
pub fn read_empty(body: &Json) -> Result<EmptyForm, Faults> {
    read(body, |_| Some(EmptyForm {}))
}

fn claim_and_hold(reader: &mut Reader<'_>) -> (Option<u64>, Option<u64>) {
    let hold_seconds = reader.whole("hold_seconds");
    if hold_seconds.is_some_and(|seconds| seconds > HOLD_SECONDS_MAX) {
        reader.fault("hold_seconds", format!("hold_seconds is from 0 to {HOLD_SECONDS_MAX}"));
    }
    (reader.whole("claim"), hold_seconds)
}

fn act_id(reader: &mut Reader<'_>) -> Option<String> {
    let id = reader.text("answer_id")?;
    if id.is_empty() || id.len() > ID_BYTES_MAX || id.chars().any(char::is_control) {
        reader.fault("answer_id", format!("an answer_id has 1 to {ID_BYTES_MAX} bytes and no control characters"));
    }
    Some(id)
}
