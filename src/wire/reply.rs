//! Reply bodies. Every member is always there, null when empty.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::domain::limits::LATE_ANSWERS_SHOWN_MAX;
use crate::domain::{
    AgentInfo, Asker, By, ByKind, Call, CallId, Claim, DialectUse, Event, EventKind, Fault, Held, JsonText, LateAnswer,
    OnTimeout, OnUnattended, Outcome, Question, Status, Timestamp,
};

/// A call, as every way shows it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct CallReply {
    /// Its name on this hub.
    #[schema(value_type = String, format = "uuid")]
    pub id: CallId,
    /// The space it is in.
    pub space: String,
    /// Where it stands.
    pub status: Status,
    /// Rises when it is extended, held or settled.
    pub rev: u64,
    /// The asker's own name for it.
    pub key: Option<String>,
    /// What it is about, in a line.
    pub title: Option<String>,
    /// What is asked.
    pub questions: Vec<Question>,
    /// Markdown: what the responder needs to know.
    pub context: Option<String>,
    /// What the asker says of itself.
    pub agent: AgentInfo,
    /// Who asked, by its token or session.
    pub asker: Asker,
    /// 0 to 100; 50 is usual.
    pub priority: u8,
    /// Words to filter by.
    pub tags: Vec<String>,
    /// The call that this one continues.
    #[schema(value_type = Option<String>, format = "uuid")]
    pub follows: Option<CallId>,
    /// Seconds from asking to the deadline.
    pub timeout_seconds: Option<u64>,
    /// Whether nobody may move the deadline.
    pub hard_deadline: bool,
    /// What the outcome carries if the deadline passes.
    pub on_timeout: Option<OnTimeout>,
    /// What happened if no person could be reached while asking.
    pub on_unattended: OnUnattended,
    /// Not built yet: always null.
    pub callback_url: Option<String>,
    /// The asker's own data.
    #[schema(value_type = Object)]
    pub metadata: JsonText,
    /// When it was asked.
    #[schema(value_type = String, format = "date-time")]
    pub asked_at: Timestamp,
    /// When it expires; null waits for ever.
    #[schema(value_type = Option<String>, format = "date-time")]
    pub expires_at: Option<Timestamp>,
    /// How it ended: the same bytes by every way; null while pending.
    #[schema(value_type = Option<Outcome>)]
    pub outcome: Option<Box<RawValue>>,
    /// The first 20 answers that came too late.
    pub late_answers: Vec<LateAnswer>,
    /// How many came too late.
    pub late_answers_total: u64,
    /// How many parties wait for it on this node.
    pub waiters: usize,
    /// When the outcome was first handed to the asker.
    #[schema(value_type = Option<String>, format = "date-time")]
    pub delivered_at: Option<Timestamp>,
    /// When the asker confirmed that it has the outcome.
    #[schema(value_type = Option<String>, format = "date-time")]
    pub acked_at: Option<Timestamp>,
    /// Who is answering it; null if nobody says so.
    pub claim: Option<Claim>,
    /// An answer inside its undo window; what it says is told when it settles the call.
    pub held: Option<HeldReply>,
    /// The tool whose arguments it came as.
    pub dialect: Option<DialectUse>,
    /// Its page.
    pub url: String,
}

impl CallReply {
    /// A call with what is known beside it.
    pub fn new(call: &Call, late: &[LateAnswer], waiters: usize, url: String) -> Self {
        let ask = &call.ask;
        Self {
            id: call.id,
            space: call.space.clone(),
            status: call.status,
            rev: call.rev,
            key: ask.key.clone(),
            title: ask.title.clone(),
            questions: ask.questions.clone(),
            context: ask.context.clone(),
            agent: ask.agent.clone(),
            asker: call.asker.clone(),
            priority: ask.priority,
            tags: ask.tags.clone(),
            follows: ask.follows,
            timeout_seconds: ask.timeout_seconds,
            hard_deadline: ask.hard_deadline,
            on_timeout: ask.on_timeout.clone(),
            on_unattended: ask.on_unattended,
            callback_url: ask.callback_url.clone(),
            metadata: ask.metadata.clone(),
            asked_at: call.asked_at,
            expires_at: call.expires_at,
            outcome: call.outcome.clone(),
            late_answers: late.iter().take(LATE_ANSWERS_SHOWN_MAX).cloned().collect(),
            late_answers_total: call.late_answers_total,
            waiters,
            delivered_at: call.delivered_at,
            acked_at: call.acked_at,
            claim: call.claim.clone(),
            held: call.held.as_ref().map(HeldReply::from),
            dialect: call.dialect.clone(),
            url,
        }
    }

    /// The outcome, read from its text; none while pending.
    pub fn read_outcome(&self) -> Option<Outcome> {
        self.outcome.as_ref().and_then(|text| serde_json::from_str(text.get()).ok())
    }
}

/// An answer inside its undo window.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct HeldReply {
    /// The act's own id, by which it is taken back.
    pub answer_id: String,
    /// Who gave it.
    pub by: By,
    /// When it settles the call.
    #[schema(value_type = String, format = "date-time")]
    pub until: Timestamp,
}

impl From<&Held> for HeldReply {
    fn from(held: &Held) -> Self {
        Self { answer_id: held.answer_id.clone(), by: held.by.clone(), until: held.until }
    }
}

/// A page of calls.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct CallList {
    /// The calls, in order.
    pub calls: Vec<CallReply>,
    /// Give it as `cursor` to get the next page; null on the last one.
    pub next_cursor: Option<String>,
}

/// What came of waiting for several calls.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct AnyWaitReply {
    /// Those that have their outcome.
    pub settled: Vec<CallReply>,
    /// Those that have none yet.
    #[schema(value_type = Vec<String>)]
    pub pending: Vec<CallId>,
    /// Those that are not there for this asker.
    pub unknown: Vec<String>,
}

/// One entry of a space's log.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct EventReply {
    /// Its place: counts up by one in the space.
    pub seq: u64,
    /// What happened.
    #[serde(rename = "type")]
    pub kind: EventKind,
    /// When.
    #[schema(value_type = String, format = "date-time")]
    pub at: Timestamp,
    /// To which call.
    #[schema(value_type = String, format = "uuid")]
    pub call_id: CallId,
    /// The call's revision after it.
    pub rev: u64,
    /// The call's status after it.
    pub status: Status,
    /// Who did it; null for the clock.
    pub by: Option<By>,
}

impl From<Event> for EventReply {
    fn from(event: Event) -> Self {
        Self {
            seq: event.seq,
            kind: event.kind,
            at: event.at,
            call_id: event.call_id,
            rev: event.rev,
            status: event.status,
            by: event.by,
        }
    }
}

/// What happened to one call.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct TrailReply {
    /// In order; the first 500.
    pub events: Vec<EventReply>,
}

/// A piece of a space's log.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct SyncReply {
    /// The events after the cursor that was given, in order.
    pub events: Vec<EventReply>,
    /// The cursor after them.
    pub next: String,
    /// Whether the cursor that was given cannot be continued from: read everything anew, then go on from `next`.
    pub reset: bool,
}

/// Who this token or session is.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct MeReply {
    /// A person or an agent.
    pub kind: ByKind,
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The space in which it acts.
    pub space: String,
    /// What it may do: `ask`, `answer`, `administer`.
    pub scopes: Vec<String>,
    /// The server's clock, to correct one's own by.
    #[schema(value_type = String, format = "date-time")]
    pub server_time: Timestamp,
}

/// Every limit by its name.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct LimitsReply {
    /// The limits.
    pub limits: Vec<LimitReply>,
}

/// One limit.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct LimitReply {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: u64,
    /// In which unit.
    pub unit: String,
}

/// A person.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct PersonReply {
    /// Stable id.
    pub id: String,
    /// Unique name.
    pub name: String,
    /// Whether the person administers.
    pub admin: bool,
    /// When it was added.
    #[schema(value_type = String, format = "date-time")]
    pub created_at: Timestamp,
    /// A link that signs the person in, once; only in the reply that made the person.
    pub sign_in_url: Option<String>,
}

/// A link that signs somebody in, once.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct SignInLinkReply {
    /// The link.
    pub url: String,
    /// Whom it signs in.
    pub user: String,
    /// Until when.
    #[schema(value_type = String, format = "date-time")]
    pub expires_at: Timestamp,
}

/// A token.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct TokenReply {
    /// Stable id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// A person's or an agent's.
    pub kind: ByKind,
    /// When it was made.
    #[schema(value_type = String, format = "date-time")]
    pub created_at: Timestamp,
    /// When it was revoked.
    #[schema(value_type = Option<String>, format = "date-time")]
    pub revoked_at: Option<Timestamp>,
    /// The secret; only in the reply that made the token.
    pub token: Option<String>,
}

/// Who came with a token to this node since it started.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct ConnectionsReply {
    /// Each principal that came, the latest first.
    pub seen: Vec<SeenReply>,
    /// The last ones that were refused, the latest first.
    pub refused: Vec<RefusedReply>,
}

/// A token that was used.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct SeenReply {
    /// The principal's id: for an agent its token's.
    pub id: String,
    /// When it was used last.
    #[schema(value_type = String, format = "date-time")]
    pub at: Timestamp,
    /// What the program calls itself.
    pub user_agent: String,
}

/// A token that was refused: nobody's, revoked, or no token at all.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct RefusedReply {
    /// When.
    #[schema(value_type = String, format = "date-time")]
    pub at: Timestamp,
    /// What the program calls itself.
    pub user_agent: String,
}

/// What a model sees of a tool call.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ToolResultReply {
    /// The text, byte for byte as the original tool would have it.
    pub text: String,
    /// Whether it is sent as an error.
    pub is_error: bool,
    /// The same as JSON, where the tool has such a form; null else.
    #[schema(value_type = Option<Object>)]
    pub structured: Option<Box<RawValue>>,
}

/// A call, told as another tool tells it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct DialectReply {
    /// The call; null if the tool accepts and asks nobody.
    pub call: Option<Box<CallReply>>,
    /// The tool's result; null while the tool itself would still wait.
    pub tool_result: Option<ToolResultReply>,
    /// What the model is to get as the user's next message.
    pub user_message: Option<String>,
    /// Whether the original would stop the run here.
    pub ends_run: bool,
}

/// A refusal (RFC 9457).
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct ProblemReply {
    /// Names the kind of problem.
    #[serde(rename = "type")]
    pub kind: String,
    /// The kind in words.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// Stable, for programs.
    pub code: String,
    /// What went wrong this time.
    pub detail: String,
    /// For 400 and 422: everything that is wrong, each with its place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Fault>,
    /// For 409: the call as it is now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<Box<CallReply>>,
    /// For a dialect's refusal: what the model must see.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_result: Option<ToolResultReply>,
    /// For a dialect's refusal: the tool's own code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_error_code: Option<String>,
}
