//! How a call ended. Made once, serialised once, never changed.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::answer::Answer;
use super::call::Status;
use super::time::Timestamp;

/// The final status of a call with its data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Outcome {
    /// `answered`, `declined`, `expired` or `cancelled`.
    pub status: Status,
    /// From whom or what it comes.
    pub provenance: Provenance,
    /// Why: a person's or the asker's words; `unattended` where nobody could be reached.
    pub reason: Option<String>,
    /// A person's words beside the answers.
    pub reply: Option<String>,
    /// Whether a decline means "ask me differently".
    pub clarify: bool,
    /// Who ended it; null for the clock and for a declared default.
    pub by: Option<By>,
    /// When; for an expiry the deadline itself, whoever found it.
    #[schema(value_type = String, format = "date-time")]
    pub at: Timestamp,
    /// One answer per question, in the order of the call; empty if there are none.
    pub answers: Vec<Answer>,
    /// The whole as one plain text for a model.
    pub text: String,
}

/// From whom or what an outcome comes. Silence is never an answer: a default says that it is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Provenance {
    /// A person.
    Human,
    /// Answers that the asker declared for the deadline.
    Default,
    /// A script that stands in for a person.
    Rule,
    /// The asker itself, by withdrawing.
    Agent,
    /// The deadline.
    Clock,
}

/// Who did something, and by which way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct By {
    /// A person or an agent.
    pub kind: ByKind,
    /// The principal's id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// By which way.
    pub via: Via,
}

/// A person or an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ByKind {
    /// A person.
    Person,
    /// An agent.
    Agent,
}

/// The way by which somebody acted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Via {
    /// The web page.
    Page,
    /// The plain HTML form.
    Form,
    /// HTTP with a token.
    Api,
    /// A WebSocket.
    Ws,
    /// The command line.
    Cli,
}
