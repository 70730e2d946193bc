//! What is asked and answered under load, and the check that everybody got the own answer.

use anyhow::{Context as _, ensure};
use serde::Deserialize;
use serde_json::json;

use super::http::Reply;

/// A call as far as it is looked at.
#[derive(Debug, Deserialize)]
pub struct Call {
    pub id: String,
    pub status: String,
    title: Option<String>,
    outcome: Option<Outcome>,
}

#[derive(Debug, Deserialize)]
struct Outcome {
    answers: Vec<Answer>,
}

#[derive(Debug, Deserialize)]
struct Answer {
    custom: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Event {
    call_id: String,
}

/// An ask as an agent sends it: a few hundred bytes, one question with three options. `title` tells it from others.
pub fn ask(title: &str) -> serde_json::Value {
    json!({
        "key": title,
        "title": title,
        "context": "The payment provider reports **3** duplicate charges for one order since this morning.",
        "questions": [{
            "id": "path", "header": "Refunds", "question": "How should I make the customers whole?",
            "options": [
                { "id": "source", "label": "Refund to source", "description": "3 to 5 days" },
                { "id": "credit", "label": "Store credit", "description": "at once" },
                { "id": "nothing", "label": "Nothing yet" },
            ],
        }],
        "agent": { "name": "billing-bot" },
    })
}

/// The answer to a call: own words that name it, so that nobody can take it for another call's.
pub fn answer(call: &str) -> String {
    json!({ "answers": [{ "id": "path", "custom": call }] }).to_string()
}

/// The call that an event is about.
pub fn call_of_event(data: &str) -> anyhow::Result<String> {
    let event: Event = serde_json::from_str(data).with_context(|| format!("an event is {data:?}"))?;
    Ok(event.call_id)
}

impl Call {
    /// Reads a reply that must be a call.
    pub fn of_reply(reply: &Reply) -> anyhow::Result<Self> {
        let text = || String::from_utf8_lossy(&reply.body).into_owned();
        ensure!(matches!(reply.status, 200 | 201), "a call was refused with {}: {}", reply.status, text());
        serde_json::from_slice(&reply.body).with_context(|| format!("a reply is no call: {}", text()))
    }

    pub fn is_pending(&self) -> bool {
        self.status == "pending"
    }

    /// Fails unless this is the call asked with that title and carries the answer that was given to it.
    pub fn expect_own_answer(&self, title: &str) -> anyhow::Result<()> {
        let words = self.outcome.as_ref().and_then(|outcome| outcome.answers.first()?.custom.as_deref());
        let is_own = self.title.as_deref() == Some(title) && words == Some(self.id.as_str());
        ensure!(is_own, "the asker of {title:?} did not get its own answer: {self:?}");
        Ok(())
    }
}
