//! Talks to a running askhub over HTTP, as any agent could: every route about calls, and those for admins.
//!
//! Invariant: a token is sent and never shown, and what is repeated by itself is safe to repeat. Used by `cli` and
//! `mcp`, and by `server` to find out who has its port. The bodies are those of `wire`, which callers find here.

mod admin;
mod calls;
mod connection;
mod error;
mod patience;

use std::time::Duration;

pub use crate::wire::{
    AnswerForm, AnyWaitReply, CallList, CallReply, CancelForm, DeclineForm, DialectReply, MeReply, PersonReply,
    ProblemReply, SignInLinkReply, TokenReply, ToolResultReply,
};
pub use admin::{People, Tokens};
pub use calls::ListQuery;
pub use connection::{Client, Received};
pub use error::{ClientError, Refusal};
pub use patience::{Notice, Patience};

/// How long one request of a longer wait holds, in seconds.
pub const WAIT_SECONDS: u64 = 25;

const PROBE_MAX: Duration = Duration::from_secs(3);

/// Whether a URL leads to this machine.
pub fn is_loopback(url: &str) -> bool {
    reqwest::Url::parse(url).is_ok_and(|url| connection::is_loopback(&url))
}

/// Whether an askhub answers at that URL.
pub async fn is_askhub(url: &str) -> bool {
    let Ok(client) = Client::new(url, None) else { return false };
    matches!(tokio::time::timeout(PROBE_MAX, client.version()).await, Ok(Ok(_)))
}
