//! A store with a clock that the test moves, and the shortest ways to ask and answer.

use std::sync::Arc;

use askhub::clock::TestClock;
use askhub::domain::{
    AgentInfo, Answer, Answered, Applied, Ask, Asker, Attempt, By, ByKind, Call, CallId, Command, Digest, GivenAnswer,
    JsonText, Loss, NewCall, OnTimeout, OnUnattended, Question, QuestionKind, Settlement, Terms, Via,
};
use askhub::store::{AuthStore, CallStore, ListQuery, Sort, StoreError};
use serde_json::{Value, json};
use tempfile::TempDir;
use uuid::Uuid;

use crate::support::postgres;

/// A store of its own for one test.
pub struct Fixture {
    pub clock: TestClock,
    pub calls: Arc<dyn CallStore>,
    pub auth: Arc<dyn AuthStore>,
    pub url: String,
    directory: Option<TempDir>,
}

impl Fixture {
    pub async fn memory() -> Self {
        Self::open("memory:".to_owned(), None).await
    }

    pub async fn sqlite() -> Self {
        let directory = TempDir::new().expect("the temporary directory is writable");
        let url = format!("sqlite:{}", directory.path().join("new/askhub.db").display());
        Self::open(url, Some(directory)).await
    }

    pub async fn postgres() -> Option<Self> {
        Some(Self::postgres_at(postgres::database().await?).await)
    }

    pub async fn postgres_at(url: String) -> Self {
        Self::open(url, None).await
    }

    /// The stores that are databases.
    pub async fn databases() -> Vec<Self> {
        [Some(Self::sqlite().await), Self::postgres().await].into_iter().flatten().collect()
    }

    async fn open(url: String, directory: Option<TempDir>) -> Self {
        let clock = TestClock::default();
        let (calls, auth) = askhub::store::open(&url, Arc::new(clock.clone())).await.expect("the store opens");
        Self { clock, calls, auth, url, directory }
    }

    /// The same database after a restart.
    pub async fn reopen(self) -> Self {
        self.calls.close().await;
        let (calls, auth) = askhub::store::open(&self.url, Arc::new(self.clock.clone())).await.expect("it opens again");
        Self { calls, auth, ..self }
    }

    /// A second node over the same database, with the same clock.
    pub async fn second_node(&self) -> Self {
        let (calls, auth) = askhub::store::open(&self.url, Arc::new(self.clock.clone())).await.expect("it opens twice");
        Self { clock: self.clock.clone(), calls, auth, url: self.url.clone(), directory: None }
    }

    pub fn is_sqlite(&self) -> bool {
        self.directory.is_some()
    }

    pub async fn write(&self, command: Command) -> Applied {
        self.calls.write(command).await.expect("the store takes the command")
    }

    pub async fn try_write(&self, command: Command) -> Result<Applied, StoreError> {
        self.calls.write(command).await
    }

    pub async fn ask(&self, new: NewCall) -> Call {
        match self.write(Command::Ask(Box::new(new))).await {
            Applied::Done(call) => *call,
            other => panic!("the call is not new: {other:?}"),
        }
    }

    pub async fn get(&self, id: CallId) -> Call {
        let mut fetched = self.calls.get_many(&[id]).await.expect("reads work");
        fetched.calls.pop().expect("the call is there")
    }

    /// The kinds of all events of the space, after checking that they are numbered from 1 without a gap.
    pub async fn event_kinds(&self, space: &str) -> Vec<&'static str> {
        let events = self.calls.events_after(space, 0, 1_000_000).await.expect("reads work");
        for (number, event) in (1..).zip(&events) {
            assert_eq!(event.seq, number, "events are numbered without a gap");
            assert_eq!(event.space, space);
        }
        events.iter().map(|event| event.kind.name()).collect()
    }
}

/// A call by the agent `agent-1` in the default space, with one text question and no deadline.
pub fn new_call() -> NewCall {
    let asker = Asker { kind: ByKind::Agent, id: "agent-1".to_owned(), name: "ci".to_owned() };
    let by = By { kind: ByKind::Agent, id: asker.id.clone(), name: asker.name.clone(), via: Via::Api };
    NewCall {
        id: CallId(Uuid::now_v7()),
        space: "default".to_owned(),
        asker,
        ask: text_ask(),
        same_ask: Digest::of(b"the ask"),
        dialect: None,
        unattended: false,
        by,
    }
}

/// The same with a key.
pub fn keyed(key: &str) -> NewCall {
    let mut new = new_call();
    new.ask.key = Some(key.to_owned());
    new
}

/// The same with a deadline.
pub fn with_timeout(seconds: u64) -> NewCall {
    let mut new = new_call();
    new.ask.timeout_seconds = Some(seconds);
    new
}

/// Declares what the deadline answers.
pub fn declare(new: &mut NewCall, text: &str) {
    let answer = GivenAnswer { id: "q1".to_owned(), custom: Some(text.to_owned()), ..GivenAnswer::default() };
    new.ask.on_timeout = Some(OnTimeout { answers: vec![answer] });
}

fn text_ask() -> Ask {
    let question = Question::new("q1".to_owned(), QuestionKind::Text, "How should I go on?".to_owned());
    Ask {
        key: None,
        title: Some("Refund path".to_owned()),
        questions: vec![question],
        context: None,
        agent: AgentInfo { name: Some("billing-bot".to_owned()), ..AgentInfo::default() },
        priority: 50,
        tags: Vec::new(),
        follows: None,
        timeout_seconds: None,
        hard_deadline: false,
        on_timeout: None,
        on_unattended: OnUnattended::Wait,
        callback_url: None,
        metadata: JsonText::read("{\"n\":18446744073709551617}").expect("it is JSON"),
    }
}

pub fn person(name: &str) -> By {
    By { kind: ByKind::Person, id: format!("person-{name}"), name: name.to_owned(), via: Via::Page }
}

pub fn agent() -> By {
    new_call().by
}

/// An act without a name of its own.
pub fn unnamed() -> Attempt {
    Attempt { id: Uuid::new_v4().to_string(), body: Digest::of(b"act") }
}

/// An act that names itself.
pub fn named(id: &str, body: &str) -> Attempt {
    Attempt { id: id.to_owned(), body: Digest::of(body.as_bytes()) }
}

pub fn words(text: &str) -> Settlement {
    let answer = Answer {
        id: "q1".to_owned(),
        status: Answered::Answered,
        selected: Vec::new(),
        custom: Some(text.to_owned()),
        notes: None,
        value: None,
    };
    Settlement::Answer { answers: vec![answer], reply: None }
}

pub fn answer(call: CallId, who: &str, text: &str) -> Command {
    Command::Settle { call, by: person(who), settlement: words(text), terms: Terms::default(), attempt: unnamed() }
}

/// An answer that names itself.
pub fn answer_as(call: CallId, who: &str, text: &str, attempt: &str) -> Command {
    Command::Settle {
        call,
        by: person(who),
        settlement: words(text),
        terms: Terms::default(),
        attempt: named(attempt, text),
    }
}

/// An answer that names itself and may be taken back for so long.
pub fn hold(call: CallId, who: &str, text: &str, attempt: &str, hold_seconds: u64) -> Command {
    let terms = Terms { hold_seconds, ..Terms::default() };
    Command::Settle { call, by: person(who), settlement: words(text), terms, attempt: named(attempt, text) }
}

pub fn undo(call: CallId, who: &str, attempt: &str) -> Command {
    Command::Undo { call, by: person(who), answer_id: attempt.to_owned() }
}

pub fn cancel(call: CallId) -> Command {
    Command::Cancel { call, by: agent(), reason: Some("not needed".to_owned()), attempt: unnamed() }
}

pub fn extend(call: CallId, seconds: u64) -> Command {
    Command::Extend { call, by: agent(), seconds, attempt: unnamed() }
}

pub fn erase(call: CallId) -> Command {
    Command::Erase { call, by: person("owner") }
}

/// The call of a reply that won.
pub fn done(applied: Applied) -> Call {
    match applied {
        Applied::Done(call) => *call,
        other => panic!("it was not done: {other:?}"),
    }
}

pub fn existing(applied: Applied) -> Call {
    match applied {
        Applied::Existing(call) => *call,
        other => panic!("it did not exist: {other:?}"),
    }
}

pub fn lost(applied: Applied) -> (Call, Loss) {
    match applied {
        Applied::Lost(call, loss) => (*call, loss),
        other => panic!("it did not lose: {other:?}"),
    }
}

/// What the first question's answer says.
pub fn said(call: &Call) -> Option<String> {
    call.read_outcome()?.answers.first()?.custom.clone()
}

/// All of a call, to be compared.
pub fn whole(call: &Call) -> Value {
    json!({
        "id": call.id, "space": call.space, "asker": call.asker, "ask": call.ask, "same_ask": call.same_ask.to_hex(),
        "dialect": call.dialect, "status": call.status, "rev": call.rev, "asked_at": call.asked_at.as_millis(),
        "expires_at": call.expires_at.map(|at| at.as_millis()), "settled_at": call.settled_at.map(|at| at.as_millis()),
        "outcome": call.outcome.as_ref().map(|outcome| outcome.get()), "late_answers_total": call.late_answers_total,
        "delivered_at": call.delivered_at.map(|at| at.as_millis()), "acked_at": call.acked_at.map(|at| at.as_millis()),
        "erased_at": call.erased_at.map(|at| at.as_millis()), "due_at": call.due_at().map(|at| at.as_millis()),
        "held": call.held.as_ref().map(|held| json!({ "answer_id": held.answer_id, "by": held.by,
            "until_at": held.until.as_millis(), "status": held.outcome.status, "text": held.outcome.text })),
        "claim": call.claim.as_ref().map(|claim| json!({ "epoch": claim.epoch, "by": claim.by,
            "until_at": claim.until.as_millis() })),
        "claim_epoch": call.claim_epoch, "typing_seconds": call.typing_seconds,
    })
}

/// The reply's kind and its call, to be compared.
pub fn whole_reply(applied: &Applied) -> Value {
    match applied {
        Applied::Done(call) => json!(["done", whole(call)]),
        Applied::Held(call) => json!(["held", whole(call)]),
        Applied::Existing(call) => json!(["existing", whole(call)]),
        Applied::Lost(call, loss) => json!([format!("{loss:?}"), whole(call)]),
        Applied::Absent => json!("absent"),
        Applied::TooManyPending => json!("too many"),
    }
}

/// Everything in the default space, newest first.
pub fn everything() -> ListQuery {
    ListQuery {
        space: "default".to_owned(),
        asker: None,
        status: None,
        key: None,
        agent: None,
        text: None,
        sort: Sort::Newest,
        after: None,
        limit: 1000,
    }
}
