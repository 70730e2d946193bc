//! Random use against a model of thirty lines: whatever is done in whatever order, a call ends once, by its rules, and
//! everybody is told the same, also after a restart.

use std::collections::HashMap;
use std::sync::Arc;

use askhub::broker::{AnswerSubmission, AskRequest, Broker, Budget, DeclineSubmission};
use askhub::clock::{Clock, TestClock};
use askhub::domain::json::Json;
use askhub::domain::{CallId, Digest, EventKind, GivenAnswer, Loss, Principal, PrincipalKind, Status, Terms, Via};
use askhub::registry::Registry;
use askhub::store::{self, MemoryStore};
use askhub::wire;
use proptest::prelude::*;

/// One thing that somebody does.
#[derive(Debug, Clone)]
enum Act {
    Ask { key: u8, body: u8 },
    Answer { key: u8, choice: bool, act: u8 },
    Decline { key: u8 },
    Cancel { key: u8 },
    Extend { key: u8, seconds: u8 },
    Read { key: u8 },
    Step { seconds: u16 },
    Sweep,
    Restart,
}

fn act() -> impl Strategy<Value = Act> {
    let key = 0..4u8;
    prop_oneof![
        4 => (key.clone(), 0..3u8).prop_map(|(key, body)| Act::Ask { key, body }),
        4 => (key.clone(), any::<bool>(), 0..3u8).prop_map(|(key, choice, act)| Act::Answer { key, choice, act }),
        1 => key.clone().prop_map(|key| Act::Decline { key }),
        1 => key.clone().prop_map(|key| Act::Cancel { key }),
        2 => (key.clone(), 1..100u8).prop_map(|(key, seconds)| Act::Extend { key, seconds }),
        3 => key.prop_map(|key| Act::Read { key }),
        2 => (0..90u16).prop_map(|seconds| Act::Step { seconds }),
        1 => Just(Act::Sweep),
        1 => Just(Act::Restart),
    ]
}

/// What a call must be like.
struct Model {
    id: CallId,
    body: u8,
    deadline: Option<i64>,
    status: Status,
    outcome: Option<String>,
    acts: HashMap<u8, bool>,
    late: u64,
}

struct World {
    clock: TestClock,
    database: Option<String>,
    broker: Broker,
    calls: HashMap<u8, Model>,
}

/// Asks of body 0 wait for ever, the others so many seconds.
const TIMEOUTS: [Option<i64>; 3] = [None, Some(30), Some(60)];

impl World {
    async fn new(database: Option<String>) -> Self {
        let clock = TestClock::default();
        let broker = open(database.as_deref(), &clock).await;
        Self { clock, database, broker, calls: HashMap::new() }
    }

    async fn run(&mut self, act: Act) {
        match act {
            Act::Ask { key, body } => self.ask(key, body).await,
            Act::Answer { key, choice, act } => self.answer(key, choice, act).await,
            Act::Decline { key } => self.decline(key).await,
            Act::Cancel { key } => self.cancel(key).await,
            Act::Extend { key, seconds } => self.extend(key, seconds.into()).await,
            Act::Read { key } => self.look(key).await,
            Act::Step { seconds } => self.clock.advance(seconds.into()),
            Act::Sweep => {
                askhub::sweeper::sweep(&self.broker).await;
            }
            Act::Restart => {
                if self.database.is_some() {
                    self.broker.close().await;
                    self.broker = open(self.database.as_deref(), &self.clock).await;
                }
            }
        }
    }

    /// The model's own clockwork: whoever comes after the deadline finds the call expired.
    fn now_in(&mut self, key: u8) -> Option<&mut Model> {
        let now = self.clock.now().as_millis();
        let model = self.calls.get_mut(&key)?;
        if model.status == Status::Pending && model.deadline.is_some_and(|deadline| deadline <= now) {
            model.status = Status::Expired;
        }
        Some(model)
    }

    async fn ask(&mut self, key: u8, body: u8) {
        let timeout = TIMEOUTS[usize::from(body)];
        let timeout_text = timeout.map_or_else(|| "null".to_owned(), |seconds| seconds.to_string());
        let text = format!(
            r#"{{"key":"k{key}","timeout_seconds":{timeout_text},"questions":[{{"question":"Q","options":[{{"label":"A"}},{{"label":"B"}}]}}]}}"#
        );
        let json = Json::parse(&text, 64).unwrap();
        let request = AskRequest {
            ask: wire::read_ask(&json).unwrap(),
            same_ask: wire::same_ask(&json),
            dialect: None,
            via: Via::Api,
        };
        let asked = self.broker.ask(&agent(), request, Budget::seconds(0)).await;
        match self.now_in(key) {
            None => {
                let call = asked.unwrap().view.call;
                let deadline = call.expires_at.map(askhub::domain::Timestamp::as_millis);
                assert_eq!(deadline, timeout.map(|seconds| call.asked_at.as_millis() + seconds * 1000));
                let fresh = Model {
                    id: call.id,
                    body,
                    deadline,
                    status: Status::Pending,
                    outcome: None,
                    acts: HashMap::new(),
                    late: 0,
                };
                self.calls.insert(key, fresh);
            }
            Some(model) if model.body == body => {
                let asked = asked.unwrap();
                assert_eq!((asked.view.call.id, asked.is_new), (model.id, false));
                self.look(key).await;
            }
            Some(_) => assert!(asked.unwrap_err().is_loss(Loss::KeyReused)),
        }
    }

    async fn answer(&mut self, key: u8, choice: bool, act: u8) {
        let broker = self.broker.clone();
        let Some(model) = self.now_in(key) else { return };
        let label = if choice { "A" } else { "B" };
        let given = AnswerSubmission {
            answers: vec![GivenAnswer {
                id: "q1".to_owned(),
                selected: Some(vec![label.to_owned()]),
                ..GivenAnswer::default()
            }],
            reply: None,
            answer_id: Some(format!("act{act}")),
            terms: Terms::default(),
        };
        let done = broker.answer(&person(), Via::Api, model.id, given, Digest::of(label.as_bytes())).await;
        match model.acts.get(&act) {
            Some(earlier) if *earlier != choice => assert!(done.unwrap_err().is_loss(Loss::AnswerIdReused)),
            Some(_) => assert!(done.is_ok() || done.unwrap_err().is_loss(Loss::AlreadySettled)),
            None => {
                model.acts.insert(act, choice);
                if model.status == Status::Pending {
                    assert_eq!(done.unwrap().view.call.status, Status::Answered);
                    model.status = Status::Answered;
                } else {
                    assert!(done.unwrap_err().is_loss(Loss::AlreadySettled));
                    model.late += 1;
                }
            }
        }
        self.look(key).await;
    }

    async fn decline(&mut self, key: u8) {
        let broker = self.broker.clone();
        let Some(model) = self.now_in(key) else { return };
        let given = DeclineSubmission {
            reason: None,
            clarify: false,
            reply: None,
            answers: Vec::new(),
            answer_id: None,
            terms: Terms::default(),
        };
        let done = broker.decline(&person(), Via::Api, model.id, given, Digest::of(b"")).await;
        if model.status == Status::Pending {
            assert_eq!(done.unwrap().view.call.status, Status::Declined);
            model.status = Status::Declined;
        } else {
            assert!(done.unwrap_err().is_loss(Loss::AlreadySettled));
            model.late += 1;
        }
        self.look(key).await;
    }

    async fn cancel(&mut self, key: u8) {
        let broker = self.broker.clone();
        let Some(model) = self.now_in(key) else { return };
        let done = broker.cancel(&agent(), Via::Api, model.id, None, None, Digest::of(b"")).await;
        if model.status == Status::Pending {
            assert_eq!(done.unwrap().call.status, Status::Cancelled);
            model.status = Status::Cancelled;
        } else {
            assert!(done.unwrap_err().is_loss(Loss::AlreadySettled));
        }
        self.look(key).await;
    }

    async fn extend(&mut self, key: u8, seconds: u64) {
        let broker = self.broker.clone();
        let Some(model) = self.now_in(key) else { return };
        let done = broker.extend(&agent(), Via::Api, model.id, seconds, None, Digest::of(b"")).await;
        match (model.status, model.deadline) {
            (Status::Pending, None) => assert!(done.unwrap_err().is_loss(Loss::NoDeadline)),
            (Status::Pending, Some(deadline)) => {
                let moved = done.unwrap().call.expires_at.unwrap().as_millis();
                assert!(moved >= deadline, "a deadline moves only later");
                model.deadline = Some(moved);
            }
            _ => assert!(done.unwrap_err().is_loss(Loss::AlreadySettled)),
        }
    }

    /// The call is as the model says, and its outcome's bytes never change.
    async fn look(&mut self, key: u8) {
        let broker = self.broker.clone();
        let Some(model) = self.now_in(key) else { return };
        let view = broker.wait(&agent(), model.id, Budget::seconds(0)).await.unwrap();
        assert_eq!((view.call.status, view.call.late_answers_total), (model.status, model.late));
        assert_eq!(view.late.len() as u64, model.late);
        let outcome = view.call.outcome.as_ref().map(|outcome| outcome.get().to_owned());
        assert_eq!(outcome.is_some(), model.status != Status::Pending);
        if model.outcome.is_some() {
            assert_eq!(outcome, model.outcome);
        }
        model.outcome = outcome;
    }

    /// The log has no gap, each call was asked once and settled at most once, and nobody waits any more.
    async fn check_log(&mut self) {
        let mut events = Vec::new();
        let mut after = None;
        loop {
            let page = self.broker.sync(&person(), after.as_deref()).await.unwrap();
            if page.events.is_empty() {
                break;
            }
            events.extend(page.events);
            after = Some(page.next);
        }
        for (index, event) in events.iter().enumerate() {
            assert_eq!(event.seq, index as u64 + 1);
        }
        let keys: Vec<u8> = self.calls.keys().copied().collect();
        for key in keys {
            self.look(key).await;
            let model = &self.calls[&key];
            let count = |kind| events.iter().filter(|event| event.call_id == model.id && event.kind == kind).count();
            assert_eq!(count(EventKind::Asked), 1);
            assert!(count(EventKind::Settled) <= 1);
            assert_eq!(count(EventKind::AnsweredLate) as u64, model.late);
        }
        assert_eq!(self.broker.load(), (0, 0));
    }
}

async fn open(database: Option<&str>, clock: &TestClock) -> Broker {
    let shared: Arc<dyn Clock> = Arc::new(clock.clone());
    let calls = match database {
        Some(url) => store::open(url, Arc::clone(&shared)).await.unwrap().0,
        None => Arc::new(MemoryStore::new(Arc::clone(&shared))),
    };
    Broker::new(calls, Registry::default(), shared)
}

fn agent() -> Principal {
    Principal {
        kind: PrincipalKind::Agent,
        id: "agent_1".to_owned(),
        name: "agent".to_owned(),
        space: "default".to_owned(),
    }
}

fn person() -> Principal {
    Principal {
        kind: PrincipalKind::Responder,
        id: "person_1".to_owned(),
        name: "ana".to_owned(),
        space: "default".to_owned(),
    }
}

fn play(acts: Vec<Act>, on_disk: bool) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let directory = tempfile::tempdir().unwrap();
        let database = on_disk.then(|| format!("sqlite:{}", directory.path().join("askhub.db").display()));
        let mut world = World::new(database).await;
        for act in acts {
            world.run(act).await;
        }
        world.check_log().await;
        world.broker.close().await;
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_use_of_memory_follows_the_model(acts in proptest::collection::vec(act(), 1..60)) {
        play(acts, false);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn any_use_of_sqlite_follows_the_model_through_restarts(acts in proptest::collection::vec(act(), 1..60)) {
        play(acts, true);
    }
}

#[test]
fn a_model_that_forgets_a_late_answer_is_found_out() {
    // The control: were the comparison blind, this would pass.
    let found = std::panic::catch_unwind(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut world = World::new(None).await;
            world.run(Act::Ask { key: 0, body: 0 }).await;
            world.run(Act::Cancel { key: 0 }).await;
            world.run(Act::Answer { key: 0, choice: true, act: 0 }).await;
            world.calls.get_mut(&0).unwrap().late = 0;
            world.look(0).await;
        });
    });
    assert!(found.is_err());
}
