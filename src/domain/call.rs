//! One ask by an agent, as it is stored.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::ask::Ask;
use super::digest::Digest;
use super::ids::CallId;
use super::outcome::{By, ByKind, Outcome};
use super::time::Timestamp;

/// A valid call that is not stored yet. The store adds the time and finds out whether its key is known.
#[derive(Debug, Clone)]
pub struct NewCall {
    /// Its id, made by the broker.
    pub id: CallId,
    /// The space in which it is asked.
    pub space: String,
    /// Who asks.
    pub asker: Asker,
    /// What is asked.
    pub ask: Ask,
    /// Equal for equal asks: what a repeated key is compared by.
    pub same_ask: Digest,
    /// The tool whose arguments it came as.
    pub dialect: Option<DialectUse>,
    /// Whether no person could be reached when it was asked and the asker wants it back in that case.
    pub unattended: bool,
    /// By which way it came.
    pub by: By,
}

/// A call, as it is stored.
#[derive(Debug, Clone)]
pub struct Call {
    /// Its name on this hub.
    pub id: CallId,
    /// The space it is in.
    pub space: String,
    /// Who asked.
    pub asker: Asker,
    /// What was asked.
    pub ask: Ask,
    /// Equal for equal asks.
    pub same_ask: Digest,
    /// The tool whose arguments it came as.
    pub dialect: Option<DialectUse>,
    /// Where it stands.
    pub status: Status,
    /// Rises when it is extended, held or settled.
    pub rev: u64,
    /// When it was asked.
    pub asked_at: Timestamp,
    /// When it expires; none waits for ever.
    pub expires_at: Option<Timestamp>,
    /// When it got its outcome.
    pub settled_at: Option<Timestamp>,
    /// Its outcome's JSON text: serialised once, the same bytes by every way.
    pub outcome: Option<Box<RawValue>>,
    /// How many answers came too late and were kept.
    pub late_answers_total: u64,
    /// When its outcome was first handed to the asker.
    pub delivered_at: Option<Timestamp>,
    /// When the asker confirmed that it has the outcome.
    pub acked_at: Option<Timestamp>,
    /// When its content was erased.
    pub erased_at: Option<Timestamp>,
    /// An answer inside its undo window.
    pub held: Option<Held>,
    /// Who is answering it.
    pub claim: Option<Claim>,
    /// How many claims there were.
    pub claim_epoch: u64,
    /// By how much typing moved its deadline, in seconds.
    pub typing_seconds: u64,
}

/// An answer or a decline inside its undo window: kept here, the call still pending. Settles the call at `until`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// The act's own id, by which it is taken back.
    pub answer_id: String,
    /// Who gave it.
    pub by: By,
    /// When it settles the call.
    pub until: Timestamp,
    /// The outcome that the call gets then.
    pub outcome: Outcome,
}

/// An expiring lease: "a colleague is answering". Advisory: it keeps nobody from answering.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Claim {
    /// Counts up with each claim of the call: an answer that names an earlier one is refused.
    pub epoch: u64,
    /// Whose it is.
    pub by: By,
    /// Until when, unless it is renewed.
    #[schema(value_type = String, format = "date-time")]
    pub until: Timestamp,
}

/// Who asked a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Asker {
    /// A person or an agent.
    pub kind: ByKind,
    /// The principal's id.
    pub id: String,
    /// The principal's name: of the token, not what the agent says of itself.
    pub name: String,
}

/// The existing ask tool whose arguments a call came as.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DialectUse {
    /// Which tool.
    pub name: String,
    /// Which version of its texts.
    pub variant: String,
    /// The arguments, byte for byte.
    pub raw: String,
    /// The request's `context`, as JSON text.
    pub context: String,
}

/// An answer or a decline that came after the outcome. Nobody's work is dropped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LateAnswer {
    /// The answer's own id.
    pub answer_id: String,
    /// Who gave it.
    pub by: By,
    /// When it came.
    #[schema(value_type = String, format = "date-time")]
    pub at: Timestamp,
    /// What the outcome would have been.
    pub outcome: Outcome,
}

/// Where a call stands. All but `pending` are final.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Waits for an answer.
    Pending,
    /// A person answered.
    Answered,
    /// A person refused, or asked to be asked differently.
    Declined,
    /// The deadline passed.
    Expired,
    /// The asker or an admin withdrew it.
    Cancelled,
}

impl Status {
    /// Every status.
    pub const ALL: [Self; 5] = [Self::Pending, Self::Answered, Self::Declined, Self::Expired, Self::Cancelled];

    /// The name on the wire and in stores.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Answered => "answered",
            Self::Declined => "declined",
            Self::Expired => "expired",
            Self::Cancelled => "cancelled",
        }
    }

    /// The status of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

impl Call {
    /// The call that a new one becomes when it is stored at `now`.
    pub fn asked(new: NewCall, now: Timestamp) -> Self {
        let expires_at = new.ask.timeout_seconds.map(|seconds| now.plus_seconds(seconds));
        Self {
            id: new.id,
            space: new.space,
            asker: new.asker,
            ask: new.ask,
            same_ask: new.same_ask,
            dialect: new.dialect,
            status: Status::Pending,
            rev: 1,
            asked_at: now,
            expires_at,
            settled_at: None,
            outcome: None,
            late_answers_total: 0,
            delivered_at: None,
            acked_at: None,
            erased_at: None,
            held: None,
            claim: None,
            claim_epoch: 0,
            typing_seconds: 0,
        }
    }

    /// Whether it has its outcome.
    pub fn is_settled(&self) -> bool {
        self.status != Status::Pending
    }

    /// When it gets an outcome if nobody does anything: at the end of the undo window of a held answer, else at its
    /// deadline.
    pub fn due_at(&self) -> Option<Timestamp> {
        match &self.held {
            _ if self.is_settled() => None,
            Some(held) => Some(held.until),
            None => self.expires_at,
        }
    }

    /// Whether it waits although it should have its outcome: whoever meets such a call settles it first.
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.due_at().is_some_and(|at| at <= now)
    }

    /// The claim, unless its time is over.
    pub fn claim_at(&self, now: Timestamp) -> Option<&Claim> {
        self.claim.as_ref().filter(|claim| claim.until > now)
    }

    /// Its outcome, read back from the stored text; none while pending or when erased.
    pub fn read_outcome(&self) -> Option<Outcome> {
        self.outcome.as_ref().and_then(|text| serde_json::from_str(text.get()).ok())
    }

    /// Whether labels may repeat and texts be blank: what a dialect accepts is storable.
    pub fn is_lenient(&self) -> bool {
        self.dialect.is_some()
    }
}
