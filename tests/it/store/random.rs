//! The stores against each other: the same random commands get the same replies and leave the same log.

use askhub::domain::{Applied, Call, CallId, Command, Digest, Settlement, Terms};
use proptest::prelude::*;
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use uuid::Uuid;

use super::fixture::*;

/// One step of a run; calls, keys and acts are few, so that steps meet.
#[derive(Debug, Clone)]
enum Step {
    Ask { call: u8, key: Option<u8>, body: u8, timeout: Option<u8>, declares: bool, unattended: bool },
    Answer { call: u8, who: u8, act: Option<u8>, terms: (Option<u8>, Option<u8>, u8), text: String },
    Undo { call: u8, who: u8, act: u8 },
    Claim { call: u8, who: u8 },
    Release { call: u8, who: u8 },
    Typing { call: u8, who: u8 },
    Decline { call: u8, who: u8, act: Option<u8> },
    Cancel { call: u8, act: Option<u8> },
    Extend { call: u8, seconds: u8, act: Option<u8> },
    Deliver { call: u8 },
    Acknowledge { call: u8 },
    Expire { call: u8 },
    Erase { call: u8 },
    Wait { seconds: u8 },
}

fn step() -> impl Strategy<Value = Step> {
    let call = 0..4_u8;
    let act = || proptest::option::of(0..2_u8);
    let text = prop_oneof!["[a-z]{0,3}", any::<String>()];
    let hold = prop_oneof![2 => Just(0_u8), 1 => 1..30_u8];
    let terms = (proptest::option::of(1..4_u8), proptest::option::weighted(0.2, 0..3_u8), hold);
    prop_oneof![
        4 => (call.clone(), act(), 0..2_u8, proptest::option::of(1..5_u8), any::<bool>(), proptest::bool::weighted(0.1))
            .prop_map(|(call, key, body, timeout, declares, unattended)| Step::Ask { call, key, body, timeout, declares, unattended }),
        4 => (call.clone(), 0..2_u8, act(), terms, text)
            .prop_map(|(call, who, act, terms, text)| Step::Answer { call, who, act, terms, text }),
        2 => (call.clone(), 0..2_u8, 0..2_u8).prop_map(|(call, who, act)| Step::Undo { call, who, act }),
        1 => (call.clone(), 0..2_u8).prop_map(|(call, who)| Step::Claim { call, who }),
        1 => (call.clone(), 0..2_u8).prop_map(|(call, who)| Step::Release { call, who }),
        1 => (call.clone(), 0..2_u8).prop_map(|(call, who)| Step::Typing { call, who }),
        1 => (call.clone(), 0..2_u8, act()).prop_map(|(call, who, act)| Step::Decline { call, who, act }),
        1 => (call.clone(), act()).prop_map(|(call, act)| Step::Cancel { call, act }),
        2 => (call.clone(), 1..9_u8, act()).prop_map(|(call, seconds, act)| Step::Extend { call, seconds, act }),
        1 => call.clone().prop_map(|call| Step::Deliver { call }),
        1 => call.clone().prop_map(|call| Step::Acknowledge { call }),
        1 => call.clone().prop_map(|call| Step::Expire { call }),
        1 => call.prop_map(|call| Step::Erase { call }),
        2 => (1..6_u8).prop_map(|seconds| Step::Wait { seconds }),
    ]
}

fn id(call: u8) -> CallId {
    CallId(Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0000 + u128::from(call)))
}

fn attempt(act: Option<u8>, body: &str) -> askhub::domain::Attempt {
    act.map_or_else(
        || askhub::domain::Attempt { id: "made here".to_owned(), ..unnamed() },
        |act| named(&act.to_string(), body),
    )
}

impl Step {
    /// `place` is the step's own: no two extensions may end at one instant, or the milliseconds that a run takes decide
    /// which is the later one.
    fn command(&self, place: u64) -> Option<Command> {
        let who = |who: u8| person(&who.to_string());
        Some(match self.clone() {
            Self::Wait { .. } => return None,
            Self::Ask { call, key, body, timeout, declares, unattended } => {
                let mut new = new_call();
                new.id = id(call);
                new.ask.key = key.map(|key| key.to_string());
                new.ask.timeout_seconds = timeout.map(|timeout| u64::from(timeout) * 1000);
                new.same_ask = Digest::of(&[body]);
                new.unattended = unattended;
                if declares && timeout.is_some() {
                    declare(&mut new, "declared");
                }
                Command::Ask(Box::new(new))
            }
            Self::Undo { call, who, act } => undo(id(call), &who.to_string(), &act.to_string()),
            Self::Claim { call, who: person } => Command::Claim { call: id(call), by: who(person), seconds: 60 },
            Self::Release { call, who: person } => Command::Release { call: id(call), by: who(person) },
            Self::Typing { call, who: person } => Command::Typing { call: id(call), by: who(person) },
            Self::Answer { call, who: person, act, terms: (rev, claim, hold), text } => Command::Settle {
                call: id(call),
                by: who(person),
                attempt: attempt(act, &text),
                settlement: words(&text),
                terms: Terms { rev: rev.map(u64::from), claim: claim.map(u64::from), hold_seconds: u64::from(hold) },
            },
            Self::Decline { call, who: person, act } => Command::Settle {
                call: id(call),
                by: who(person),
                attempt: attempt(act, "decline"),
                settlement: Settlement::Decline { reason: None, clarify: true, reply: None, answers: Vec::new() },
                terms: Terms::default(),
            },
            Self::Cancel { call, act } => {
                Command::Cancel { call: id(call), by: agent(), reason: None, attempt: attempt(act, "cancel") }
            }
            Self::Extend { call, seconds, act } => Command::Extend {
                call: id(call),
                by: agent(),
                seconds: u64::from(seconds) * 1000 + 10 * (place + 1),
                attempt: attempt(act, "extend"),
            },
            Self::Deliver { call } => Command::Deliver { call: id(call) },
            Self::Acknowledge { call } => Command::Acknowledge { call: id(call), by: agent() },
            Self::Expire { call } => Command::Expire { call: id(call) },
            Self::Erase { call } => erase(id(call)),
        })
    }
}

/// Instants differ between two runs by the time that the runs take; the whole thousands of seconds that a run moves
/// its clock by do not.
fn coarse(value: &mut Value, start: i64) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| coarse(item, start)),
        Value::Object(members) => {
            for (name, member) in members {
                match (name.ends_with("_at"), member.as_i64()) {
                    (true, Some(at)) => *member = json!((at - start) / 1_000_000),
                    _ => coarse(member, start),
                }
            }
        }
        _ => {}
    }
}

fn outcome_without_instant(call: &Call) -> Value {
    let Some(outcome) = call.read_outcome() else { return Value::Null };
    json!({ "status": outcome.status, "provenance": outcome.provenance, "reason": outcome.reason, "reply": outcome.reply,
        "clarify": outcome.clarify, "by": outcome.by, "answers": outcome.answers, "text": outcome.text })
}

fn comparable(applied: &Applied, start: i64) -> Value {
    let mut reply = whole_reply(applied);
    if let (Applied::Done(call) | Applied::Held(call) | Applied::Existing(call) | Applied::Lost(call, _), Some(shown)) =
        (applied, reply.get_mut(1))
    {
        shown["outcome"] = outcome_without_instant(call);
    }
    coarse(&mut reply, start);
    reply
}

/// Runs all steps: each part between two waits at once, so that a database commits it in few batches.
async fn replies(store: &Fixture, steps: &[Step]) -> Vec<Value> {
    let start = store.calls.now().await.unwrap().as_millis();
    let mut replies = Vec::new();
    let mut places = 0..;
    for part in steps.split_inclusive(|step| matches!(step, Step::Wait { .. })) {
        let commands = part.iter().zip(places.by_ref()).filter_map(|(step, place)| step.command(place));
        let commands = commands.map(|command| store.write(command));
        let applied = futures_util::future::join_all(commands.collect::<Vec<_>>()).await;
        replies.extend(applied.iter().map(|applied| comparable(applied, start)));
        if let Some(Step::Wait { seconds }) = part.last() {
            store.clock.advance(i64::from(*seconds) * 1000);
        }
    }
    for call in 0..4 {
        let late = store.calls.late_answers(id(call), 100).await.unwrap();
        replies.push(json!(late.iter().map(|late| (&late.by, &late.outcome.text)).collect::<Vec<_>>()));
        let fetched = store.calls.get_many(&[id(call)]).await.unwrap();
        replies.extend(fetched.calls.into_iter().map(|call| comparable(&Applied::Done(Box::new(call)), start)));
    }
    let events = store.calls.events_after("default", 0, 1000).await.unwrap();
    let log = events.iter().map(|event| {
        json!([event.seq, event.kind.name(), event.call_id, event.rev, event.status, event.by, event.asker])
    });
    replies.extend(log);
    replies
}

fn run(cases: u32, open: impl Fn(&Runtime) -> Option<Fixture>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) };
    proptest!(config, |(steps in proptest::collection::vec(step(), 1..30))| {
        let Some(store) = open(&runtime) else { return Ok(()) };
        let expected = runtime.block_on(async { replies(&Fixture::memory().await, &steps).await });
        let found = runtime.block_on(replies(&store, &steps));
        prop_assert_eq!(found, expected);
    });
}

#[test]
fn sqlite_replies_as_memory_does() {
    run(60, |runtime| Some(runtime.block_on(Fixture::sqlite())));
}

#[test]
fn postgres_replies_as_memory_does() {
    run(25, |runtime| runtime.block_on(Fixture::postgres()));
}
