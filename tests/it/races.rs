//! Things that happen at the same moment: a wait and its answer, many answers, an answer and the deadline, many asks.
//!
//! In one process over the broker, so that the moments can be chosen; the clients' side of it is `kill`.

mod asking;
mod settling;
mod wake_ups;

use std::sync::Arc;

use askhub::broker::{AnswerSubmission, AskRequest, Asked, Broker, BrokerError, Budget, View};
use askhub::clock::TestClock;
use askhub::domain::json::Json;
use askhub::domain::{CallId, Digest, EventKind, GivenAnswer, Principal, PrincipalKind, Terms, Via};
use askhub::registry::Registry;
use askhub::wire;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A broker with everything around it that a race needs to reach into. Cheap to clone.
#[derive(Clone)]
struct Hub {
    broker: Broker,
    registry: Registry,
    clock: TestClock,
    _directory: Option<Arc<TempDir>>,
}

impl Hub {
    async fn memory() -> Self {
        Self::open("memory:", None).await
    }

    async fn sqlite() -> Self {
        let directory = TempDir::new().expect("the temporary directory is writable");
        let url = format!("sqlite:{}", directory.path().join("askhub.db").display());
        Self::open(&url, Some(Arc::new(directory))).await
    }

    async fn open(url: &str, directory: Option<Arc<TempDir>>) -> Self {
        let (clock, registry) = (TestClock::default(), Registry::default());
        let (calls, _) = askhub::store::open(url, Arc::new(clock.clone())).await.expect("the store opens");
        let broker = Broker::new(calls, registry.clone(), Arc::new(clock.clone()));
        Self { broker, registry, clock, _directory: directory }
    }

    /// Asks one question for words, with further members of the ask.
    async fn ask_with(&self, members: &Value, budget: Budget) -> Result<Asked, BrokerError> {
        let mut body = json!({ "questions": [{ "id": "q", "question": "What now?" }] });
        for (name, value) in members.as_object().expect("members of an object") {
            body[name] = value.clone();
        }
        let body = Json::parse(&body.to_string(), 64).expect("what serde_json writes is JSON");
        let ask = wire::read_ask(&body).expect("the ask is valid");
        let request = AskRequest { ask, same_ask: wire::same_ask(&body), dialect: None, via: Via::Api };
        self.broker.ask(&agent(), request, budget).await
    }

    /// Asks without waiting.
    async fn ask(&self) -> CallId {
        let asked = self.ask_with(&json!({}), Budget::seconds(0)).await.expect("an ask is taken");
        asked.view.call.id
    }

    async fn answer(&self, who: &str, id: CallId, words: &str) -> Result<View, BrokerError> {
        let answer = GivenAnswer { id: "q".to_owned(), custom: Some(words.to_owned()), ..GivenAnswer::default() };
        let given = AnswerSubmission { answers: vec![answer], reply: None, answer_id: None, terms: Terms::default() };
        self.broker
            .answer(&person(who), Via::Api, id, given, Digest::of(words.as_bytes()))
            .await
            .map(|given| given.view)
    }

    /// The words of the outcome that the asker reads, or the status of a call without.
    async fn read(&self, id: CallId) -> String {
        ending(&self.broker.get(&agent(), id).await.expect("the call is there"))
    }

    /// How many events of this kind the log holds, for each call that it names.
    async fn count_events(&self, id: CallId, kind: EventKind) -> usize {
        let mut count = 0;
        let mut after: Option<String> = None;
        loop {
            let page = self.broker.sync(&person("reader"), after.as_deref()).await.expect("the log can be read");
            if page.events.is_empty() {
                return count;
            }
            count += page.events.iter().filter(|event| event.call_id == id && event.kind == kind).count();
            after = Some(page.next);
        }
    }
}

fn agent() -> Principal {
    principal(PrincipalKind::Agent, "agent")
}

fn person(name: &str) -> Principal {
    principal(PrincipalKind::Responder, name)
}

fn principal(kind: PrincipalKind, name: &str) -> Principal {
    Principal { kind, id: name.to_owned(), name: name.to_owned(), space: "default".to_owned() }
}

/// The words that were answered; else the status.
fn ending(view: &View) -> String {
    let words = view.call.read_outcome().and_then(|outcome| outcome.answers.first()?.custom.clone());
    words.unwrap_or_else(|| view.call.status.name().to_owned())
}
