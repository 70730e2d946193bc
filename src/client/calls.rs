//! The routes about calls, and who one is.

use std::time::Duration;

use reqwest::Method;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::WAIT_SECONDS;
use super::connection::{Client, Received, Sent};
use super::error::ClientError;
use super::patience::{Notice, Patience, Pauses};
use crate::domain::{CallId, Status};
use crate::wire::{
    AnyWaitForm, AnyWaitReply, CallList, CallReply, CancelForm, DeclineForm, DialectReply, EmptyForm, ExtendForm,
    MeReply,
};

/// Which calls to list.
#[derive(Debug, Clone, Default)]
pub struct ListQuery {
    /// Only those with this status.
    pub status: Option<Status>,
    /// Only the one with this key.
    pub key: Option<String>,
    /// Only those whose agent has this name.
    pub agent: Option<String>,
    /// Only those that contain this.
    pub text: Option<String>,
    /// `next_cursor` of the page before.
    pub cursor: Option<String>,
    /// How many.
    pub limit: Option<u64>,
}

#[derive(Deserialize)]
struct VersionReply {
    name: String,
    version: String,
}

/// A wait that comes back sooner than this with nothing is not held by the server: then it is we who must pause.
const HELD_MIN: Duration = Duration::from_secs(1);

impl Client {
    /// The version of the askhub that answers.
    ///
    /// # Errors
    /// [`ClientError`], also if it is no askhub.
    pub async fn version(&self) -> Result<String, ClientError> {
        let reply: VersionReply = self.get("/version").await?.value;
        if reply.name == "askhub" {
            return Ok(reply.version);
        }
        Err(ClientError::Foreign { url: self.url().to_owned(), detail: format!("it calls itself {:?}", reply.name) })
    }

    /// Who one is there.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn me(&self) -> Result<Received<MeReply>, ClientError> {
        self.get("/v1/me").await
    }

    /// Asks. `body` is the JSON of an ask; with a key it is safe to repeat.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn ask(&self, body: &str) -> Result<Received<CallReply>, ClientError> {
        let sent = Sent { body: Some(body.to_owned()), ..Sent::default() };
        self.send(Method::POST, "/v1/calls", sent).await
    }

    /// Asks with the arguments of another tool, whose dialect this is. `body` is the JSON of that ask.
    ///
    /// # Errors
    /// [`ClientError`]; a refusal by the tool itself has the code `tool_refused`.
    pub async fn ask_in(&self, dialect: &str, body: &str) -> Result<Received<DialectReply>, ClientError> {
        let sent = Sent { body: Some(body.to_owned()), ..Sent::default() };
        self.send(Method::POST, &format!("/v1/dialects/{dialect}/calls"), sent).await
    }

    /// Reads a call as the tool of that dialect tells it.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn call_in(&self, dialect: &str, id: CallId) -> Result<Received<DialectReply>, ClientError> {
        self.get(&format!("/v1/dialects/{dialect}/calls/{id}")).await
    }

    /// Reads a call; holds up to `wait` seconds for its outcome.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn call(&self, id: CallId, wait: u64) -> Result<Received<CallReply>, ClientError> {
        let query = if wait == 0 { Vec::new() } else { vec![("wait", wait.to_string())] };
        let sent = Sent { query, held: Duration::from_secs(wait), body: None };
        self.send(Method::GET, &format!("/v1/calls/{id}"), sent).await
    }

    /// Waits for a call's outcome, across restarts of the server, without a limit of its own.
    ///
    /// # Errors
    /// What does not pass: no such call, no right.
    pub async fn until_settled(
        &self,
        id: CallId,
        mut notice: impl FnMut(Notice<'_>),
    ) -> Result<Received<CallReply>, ClientError> {
        let mut pauses = Pauses::default();
        loop {
            let since = Instant::now();
            let call = Patience::Endless.repeat(|| self.call(id, WAIT_SECONDS), &mut notice).await?;
            if call.value.status != Status::Pending {
                return Ok(call);
            }
            pauses = pause_if_quick(since, pauses).await;
        }
    }

    /// Waits up to `wait` seconds for the first of some calls.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn any_call(&self, ids: &[String], wait: u64) -> Result<Received<AnyWaitReply>, ClientError> {
        let form = AnyWaitForm { ids: ids.to_vec(), wait: Some(wait) };
        let body = serde_json::to_string(&form)
            .map_err(|error| ClientError::Setting(format!("cannot write the request: {error}")))?;
        let sent = Sent { body: Some(body), held: Duration::from_secs(wait), query: Vec::new() };
        self.send(Method::POST, "/v1/wait", sent).await
    }

    /// Waits until at least one of some calls is settled or unknown, across restarts, without a limit of its own.
    ///
    /// # Errors
    /// What does not pass.
    pub async fn until_any(
        &self,
        ids: &[String],
        mut notice: impl FnMut(Notice<'_>),
    ) -> Result<Received<AnyWaitReply>, ClientError> {
        let mut pauses = Pauses::default();
        loop {
            let since = Instant::now();
            let reply = Patience::Endless.repeat(|| self.any_call(ids, WAIT_SECONDS), &mut notice).await?;
            if !reply.value.settled.is_empty() || !reply.value.unknown.is_empty() {
                return Ok(reply);
            }
            pauses = pause_if_quick(since, pauses).await;
        }
    }

    /// Lists calls: one page.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn calls(&self, wanted: &ListQuery) -> Result<Received<CallList>, ClientError> {
        let members = [
            ("status", wanted.status.map(|status| status.name().to_owned())),
            ("key", wanted.key.clone()),
            ("agent", wanted.agent.clone()),
            ("q", wanted.text.clone()),
            ("cursor", wanted.cursor.clone()),
            ("limit", wanted.limit.map(|limit| limit.to_string())),
        ];
        let query = members.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
        self.send(Method::GET, "/v1/calls", Sent { query, ..Sent::default() }).await
    }

    /// Answers, as a person: by an `AnswerForm`, or something that is written like one.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn answer(&self, id: CallId, form: &impl Serialize) -> Result<Received<CallReply>, ClientError> {
        self.post(&format!("/v1/calls/{id}/answer"), form).await
    }

    /// Refuses to answer, as a person.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn decline(&self, id: CallId, form: &DeclineForm) -> Result<Received<CallReply>, ClientError> {
        self.post(&format!("/v1/calls/{id}/decline"), form).await
    }

    /// Withdraws a call, as its asker or an admin.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn cancel(&self, id: CallId, form: &CancelForm) -> Result<Received<CallReply>, ClientError> {
        self.post(&format!("/v1/calls/{id}/cancel"), form).await
    }

    /// Moves a call's deadline.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn extend(&self, id: CallId, form: &ExtendForm) -> Result<Received<CallReply>, ClientError> {
        self.post(&format!("/v1/calls/{id}/extend"), form).await
    }

    /// Confirms that the outcome has arrived.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn ack(&self, id: CallId) -> Result<Received<CallReply>, ClientError> {
        self.post(&format!("/v1/calls/{id}/ack"), &EmptyForm {}).await
    }

    /// Erases a settled call, as an admin.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn erase(&self, id: CallId) -> Result<(), ClientError> {
        self.exchange(Method::DELETE, &format!("/v1/calls/{id}"), Sent::default()).await.map(drop)
    }
}

/// A server that stops ends its waits at once: asking again in the same moment would only spin.
async fn pause_if_quick(since: Instant, mut pauses: Pauses) -> Pauses {
    if since.elapsed() >= HELD_MIN {
        return Pauses::default();
    }
    tokio::time::sleep(pauses.next(None)).await;
    pauses
}
