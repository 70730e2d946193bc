//! Changes to calls, as data: what a store is asked to do, and what came of it.

use super::answer::Answer;
use super::call::{Call, NewCall};
use super::digest::Digest;
use super::ids::CallId;
use super::outcome::By;

/// One change. Carries all that its condition may check, so that a store can apply many in one transaction.
#[derive(Debug, Clone)]
pub enum Command {
    /// Store a new call, unless its key is known.
    Ask(Box<NewCall>),
    /// A person ends a call, if it is still pending.
    Settle {
        /// Which call.
        call: CallId,
        /// Who, and by which way.
        by: By,
        /// With what.
        settlement: Settlement,
        /// What must be as the person saw it, and how long it may be taken back.
        terms: Terms,
        /// The act's own id, which makes repeating it safe.
        attempt: Attempt,
    },
    /// A person takes a held answer back.
    Undo {
        /// Which call.
        call: CallId,
        /// Who, and by which way.
        by: By,
        /// The held answer's id.
        answer_id: String,
    },
    /// A person says that they are answering.
    Claim {
        /// Which call.
        call: CallId,
        /// Who, and by which way.
        by: By,
        /// For how long.
        seconds: u64,
    },
    /// A person gives their claim back.
    Release {
        /// Which call.
        call: CallId,
        /// Who, and by which way.
        by: By,
    },
    /// A person is typing: claims the call if nobody else has, and keeps the deadline off for a while.
    Typing {
        /// Which call.
        call: CallId,
        /// Who, and by which way.
        by: By,
    },
    /// The asker or an admin withdraws a call.
    Cancel {
        /// Which call.
        call: CallId,
        /// Who, and by which way.
        by: By,
        /// Why.
        reason: Option<String>,
        /// The act's own id.
        attempt: Attempt,
    },
    /// Somebody moves a call's deadline to `seconds` from now, never earlier than it was.
    Extend {
        /// Which call.
        call: CallId,
        /// Who, and by which way.
        by: By,
        /// How long from now.
        seconds: u64,
        /// The act's own id.
        attempt: Attempt,
    },
    /// The outcome was handed to the asker.
    Deliver {
        /// Which call.
        call: CallId,
    },
    /// The asker confirms that it has the outcome.
    Acknowledge {
        /// Which call.
        call: CallId,
        /// Who, and by which way.
        by: By,
    },
    /// Expire the call if it is due; else nothing.
    Expire {
        /// Which call.
        call: CallId,
    },
    /// Remove a settled call's content; its events stay.
    Erase {
        /// Which call.
        call: CallId,
        /// Who, and by which way.
        by: By,
    },
}

/// Under which terms a person ends a call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Terms {
    /// The revision that the person saw, if they say.
    pub rev: Option<u64>,
    /// The epoch of the claim under which they answer, if they say.
    pub claim: Option<u64>,
    /// How long the answer may be taken back, in seconds; 0 settles at once.
    pub hold_seconds: u64,
}

/// With what a person ends a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settlement {
    /// Answers that fit the questions, one per question.
    Answer {
        /// One per question, checked.
        answers: Vec<Answer>,
        /// Words beside the answers.
        reply: Option<String>,
    },
    /// A refusal.
    Decline {
        /// Why.
        reason: Option<String>,
        /// Whether it means "ask me differently".
        clarify: bool,
        /// Words beside it.
        reply: Option<String>,
        /// What was typed so far, checked; empty if nothing was.
        answers: Vec<Answer>,
    },
}

/// The id of one person's act on one call: the same id with the same body is the same act.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// The client's `answer_id`, or one made here.
    pub id: String,
    /// The SHA-256 of what was sent, with the verb.
    pub body: Digest,
}

/// What came of a command.
#[derive(Debug, Clone)]
pub enum Applied {
    /// It was done, by this command or by an earlier one with the same attempt.
    Done(Box<Call>),
    /// It was done and may still be taken back: the call is pending until then.
    Held(Box<Call>),
    /// The call was there already and is as it was asked: a repeated ask, receipt or expiry.
    Existing(Box<Call>),
    /// Something else won; the call is as it is now.
    Lost(Box<Call>, Loss),
    /// There is no such call.
    Absent,
    /// The asker has too many pending calls; nothing was stored.
    TooManyPending,
}

/// Why a command did not win.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// The call has its outcome.
    AlreadySettled,
    /// The call has no outcome yet.
    NotSettled,
    /// Somebody else's answer is held.
    Held,
    /// Somebody else claimed the call since.
    ClaimLost,
    /// The call changed since the revision that was named.
    RevMismatch,
    /// The key names another ask, or an old one.
    KeyReused,
    /// The `answer_id` names another act.
    AnswerIdReused,
    /// The deadline may not be moved.
    HardDeadline,
    /// There is no deadline to move.
    NoDeadline,
}

impl Command {
    /// The call that it is about; none for a new one.
    pub fn call(&self) -> Option<CallId> {
        match self {
            Self::Ask(_) => None,
            Self::Settle { call, .. }
            | Self::Undo { call, .. }
            | Self::Claim { call, .. }
            | Self::Release { call, .. }
            | Self::Typing { call, .. }
            | Self::Cancel { call, .. }
            | Self::Extend { call, .. }
            | Self::Deliver { call }
            | Self::Acknowledge { call, .. }
            | Self::Expire { call }
            | Self::Erase { call, .. } => Some(*call),
        }
    }

    /// The act and its doer, where a repetition must be recognised.
    pub fn attempt(&self) -> Option<(&Attempt, &By)> {
        match self {
            Self::Settle { attempt, by, .. } | Self::Cancel { attempt, by, .. } | Self::Extend { attempt, by, .. } => {
                Some((attempt, by))
            }
            _ => None,
        }
    }
}
