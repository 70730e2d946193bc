//! What happened to calls, in order: one entry of a space's log.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::call::{Call, Status};
use super::ids::CallId;
use super::outcome::By;
use super::time::Timestamp;

/// One entry of a space's log. Never holds content, so that erasing a call erases it everywhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Place in the space's log: counts up by one. 0 until a store has given it.
    pub seq: u64,
    /// What happened.
    pub kind: EventKind,
    /// When.
    pub at: Timestamp,
    /// To which call.
    pub call_id: CallId,
    /// The call's revision after it.
    pub rev: u64,
    /// The call's status after it.
    pub status: Status,
    /// Who did it; none for the clock.
    pub by: Option<By>,
    /// The id of the principal who asked: an agent's feed holds only its own calls.
    pub asker: String,
    /// The space whose log it is in.
    pub space: String,
}

/// What can happen to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum EventKind {
    /// It was asked.
    #[serde(rename = "call.asked")]
    Asked,
    /// It got its outcome.
    #[serde(rename = "call.settled")]
    Settled,
    /// Its deadline moved.
    #[serde(rename = "call.extended")]
    Extended,
    /// An answer came and may still be taken back.
    #[serde(rename = "call.held")]
    Held,
    /// It was taken back.
    #[serde(rename = "call.unheld")]
    Unheld,
    /// Somebody began to answer it.
    #[serde(rename = "call.claimed")]
    Claimed,
    /// They gave it back.
    #[serde(rename = "call.released")]
    Released,
    /// Its outcome was handed to the asker.
    #[serde(rename = "call.delivered")]
    Delivered,
    /// The asker confirmed that it has the outcome.
    #[serde(rename = "call.acked")]
    Acked,
    /// An answer came after the outcome and was kept.
    #[serde(rename = "call.answered_late")]
    AnsweredLate,
    /// Its content was erased.
    #[serde(rename = "call.erased")]
    Erased,
}

impl EventKind {
    /// Every kind: stores read them back by name.
    pub const ALL: [Self; 11] = [
        Self::Asked,
        Self::Settled,
        Self::Extended,
        Self::Held,
        Self::Unheld,
        Self::Claimed,
        Self::Released,
        Self::Delivered,
        Self::Acked,
        Self::AnsweredLate,
        Self::Erased,
    ];

    /// The name on the wire and in stores.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Asked => "call.asked",
            Self::Settled => "call.settled",
            Self::Extended => "call.extended",
            Self::Held => "call.held",
            Self::Unheld => "call.unheld",
            Self::Claimed => "call.claimed",
            Self::Released => "call.released",
            Self::Delivered => "call.delivered",
            Self::Acked => "call.acked",
            Self::AnsweredLate => "call.answered_late",
            Self::Erased => "call.erased",
        }
    }

    /// The kind of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl Event {
    /// What just happened to a call, to be numbered by a store.
    pub fn of(kind: EventKind, call: &Call, at: Timestamp, by: Option<By>) -> Self {
        Self {
            seq: 0,
            kind,
            at,
            call_id: call.id,
            rev: call.rev,
            status: call.status,
            by,
            asker: call.asker.id.clone(),
            space: call.space.clone(),
        }
    }
}
