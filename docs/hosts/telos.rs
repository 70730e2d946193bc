//! A host of telos-agent whose agent is answered on askhub: its tool `AskUserQuestion` completes at once, and the answer
//! is the next message of the user. Needs reqwest, serde_json and tokio.

use std::pin::pin;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

/// What this host needs of telos-agent's `AgentSession`: one turn, and the tool results of that turn.
pub trait Session {
    /// Why a turn failed.
    type Error;

    /// Runs a turn with this message of the user.
    async fn run_turn(&mut self, text: &str) -> Result<Vec<ToolResult>, Self::Error>;
}

/// telos-agent's own has more.
pub struct ToolResult {
    /// Repeats from session to session.
    pub tool_call_id: String,
    /// What the tool said.
    pub content: Value,
}

/// Where to ask, with the token of an agent.
pub struct Hub {
    /// Of askhub, without a slash at its end.
    pub url: String,
    /// An agent's.
    pub token: String,
    /// The id of telos-agent's session.
    pub session: String,
    /// How long people have; without it they have for ever.
    pub time_limit: Option<Duration>,
    /// Sends the requests.
    pub client: reqwest::Client,
}

/// Why it ended before the agent had nothing to ask any more.
#[derive(Debug)]
pub enum Ended<E> {
    /// A turn failed.
    Turn(E),
    /// The host was stopped while people were asked.
    Stopped,
    /// askhub cannot be asked: a sentence for the user.
    Hub(String),
}

const WAIT_SECONDS: u64 = 25;
/// How long asking and withdrawing may take, and how long a hub that was there may be away.
const SHORT: Duration = Duration::from_secs(5);
const AWAY: Duration = Duration::from_secs(120);
const PAUSE: Duration = Duration::from_millis(500);

/// Runs turns until the agent asks nothing any more. Whoever ends `stop` withdraws what people are asked.
pub async fn converse<S: Session>(
    session: &mut S,
    hub: &Hub,
    text: &str,
    stop: impl Future<Output = ()>,
) -> Result<(), Ended<S::Error>> {
    let mut stop = pin!(stop);
    let mut next = Some(text.to_owned());
    while let Some(text) = next {
        let results = session.run_turn(&text).await.map_err(Ended::Turn)?;
        let asking = results.iter().filter(|result| result.content["status"] == "questions_ready");
        // All of them are asked before the first is waited for, and before `stop` is looked at: whether a question was
        // taken must be known, to withdraw it.
        let (asked, failure) = hub.ask_all(asking).await;
        let answered = match failure {
            Some(why) => Err(Ended::Hub(why)),
            None => tokio::select! {
                messages = hub.messages(&asked) => messages.map_err(Ended::Hub),
                () = &mut stop => Err(Ended::Stopped),
            },
        };
        if answered.is_err() {
            for id in &asked {
                hub.withdraw(id).await;
            }
        }
        let messages = answered?;
        next = (!messages.is_empty()).then(|| messages.join("\n\n"));
    }
    Ok(())
}

/// What came of a request: what repeating may mend, and what it would not.
enum Failure {
    Passing(String),
    Final(String),
}

impl Hub {
    /// The ids of the calls, and why not all of them could be asked.
    async fn ask_all(&self, results: impl Iterator<Item = &ToolResult>) -> (Vec<String>, Option<String>) {
        let mut asked = Vec::new();
        for result in results {
            match self.ask(result).await {
                Ok(id) => asked.push(id),
                Err(why) => return (asked, Some(why)),
            }
        }
        (asked, None)
    }

    /// What the user says in the end, for each call that was not withdrawn.
    async fn messages(&self, ids: &[String]) -> Result<Vec<String>, String> {
        let mut messages = Vec::new();
        for id in ids {
            messages.extend(self.message(id).await?);
        }
        Ok(messages)
    }

    /// Asks what the tool was asked, and gives the id of the call.
    async fn ask(&self, result: &ToolResult) -> Result<String, String> {
        let mut ask = json!({
            "key": result.tool_call_id,
            "arguments": {"questions": result.content["questions"]},
            "agent": {"name": "telos", "session": self.session},
        });
        if let Some(limit) = self.time_limit {
            ask["timeout_seconds"] = limit.as_secs().into();
        }
        let reply = self.repeat(SHORT, || self.send("/v1/dialects/telos/calls", Some(&ask), SHORT)).await?;
        match reply["call"]["id"].as_str() {
            Some(id) => Ok(id.to_owned()),
            None => Err(self.foreign()),
        }
    }

    /// The user's next message, once the call is settled; none if it was withdrawn.
    async fn message(&self, id: &str) -> Result<Option<String>, String> {
        let path = format!("/v1/dialects/telos/calls/{id}?wait={WAIT_SECONDS}");
        let limit = Duration::from_secs(WAIT_SECONDS + 10);
        loop {
            let reply = self.repeat(AWAY, || self.send(&path, None, limit)).await?;
            match reply["call"]["status"].as_str() {
                Some("pending") => {}
                Some(_) => return Ok(reply["user_message"].as_str().map(str::to_owned)),
                None => return Err(self.foreign()),
            }
        }
    }

    /// What is settled stays as it is; if the hub is away, the question stays until its deadline.
    async fn withdraw(&self, id: &str) {
        let (path, reason) = (format!("/v1/calls/{id}/cancel"), json!({"reason": "the run was stopped"}));
        // There is nobody left to tell.
        let _ = self.repeat(SHORT, || self.send(&path, Some(&reason), SHORT)).await;
    }

    /// Every request may be sent twice: the key finds the same question.
    async fn repeat<F>(&self, patience: Duration, mut attempt: impl FnMut() -> F) -> Result<Value, String>
    where
        F: Future<Output = Result<Value, Failure>>,
    {
        let since = Instant::now();
        loop {
            let is_last = since.elapsed() > patience;
            match attempt().await {
                Ok(reply) => return Ok(reply),
                Err(Failure::Passing(_)) if !is_last => tokio::time::sleep(PAUSE).await,
                Err(Failure::Passing(why) | Failure::Final(why)) => {
                    return Err(format!("askhub at {}: {why}", self.url));
                }
            }
        }
    }

    fn foreign(&self) -> String {
        format!("askhub at {}: it answers unlike askhub", self.url)
    }

    /// One request: a POST if it has a body.
    async fn send(&self, path: &str, body: Option<&Value>, limit: Duration) -> Result<Value, Failure> {
        let url = format!("{}{path}", self.url);
        let request = match body {
            Some(body) => self.client.post(url).header("Content-Type", "application/json").body(body.to_string()),
            None => self.client.get(url),
        };
        let passing = |error: reqwest::Error| Failure::Passing(format!("it cannot be reached: {}", cause(&error)));
        let sent = request.bearer_auth(&self.token).timeout(limit).send().await;
        let response = sent.map_err(passing)?;
        let status = response.status();
        let text = response.text().await.map_err(passing)?;
        if status.as_u16() == 429 || status.is_server_error() {
            return Err(Failure::Passing(format!("it answered {status}")));
        }
        let reply: Value = serde_json::from_str(&text).unwrap_or_default();
        match status.is_success() {
            true => Ok(reply),
            false => Err(Failure::Final(format!("it says no ({status}): {}", reply["detail"]))),
        }
    }
}

/// The innermost cause: the outer ones only say that something failed.
fn cause(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), cause)
}
