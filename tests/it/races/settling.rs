//! Several who want to end one call at once: one does, and everybody is told who.

use std::time::Duration;

use askhub::broker::{BrokerError, Budget, View};
use askhub::domain::{CallId, Digest, EventKind, Loss, Via};
use rand::RngExt as _;
use rand::seq::SliceRandom as _;
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::{Hub, agent, ending};
use crate::support::seed;

const PEOPLE: usize = 50;

async fn many_answers(hub: Hub) {
    let id = hub.ask().await;
    let mut tasks = JoinSet::new();
    for number in 0..PEOPLE {
        let hub = hub.clone();
        tasks.spawn(async move {
            let name = format!("person {number}");
            let result = hub.answer(&name, id, &name).await;
            (name, result)
        });
    }
    let (won, lost): (Vec<_>, Vec<_>) = tasks.join_all().await.into_iter().partition(|(_, result)| result.is_ok());
    assert_eq!(won.len(), 1, "one answer wins");
    let (winner, _) = &won[0];
    for (loser, result) in lost {
        let Err(BrokerError::Lost(view, Loss::AlreadySettled)) = result else { panic!("{loser} got {result:?}") };
        assert_eq!(&ending(&view), winner, "{loser} is told who won");
        let outcome = view.call.read_outcome().expect("the call is settled");
        assert_eq!(outcome.by.map(|by| by.name).as_ref(), Some(winner), "{loser} is told who won");
    }
    let view = hub.broker.get(&agent(), id).await.expect("the call is there");
    assert_eq!(&ending(&view), winner);
    assert_eq!(view.call.late_answers_total, 49, "no answer that lost is dropped");
    assert_eq!(hub.count_events(id, EventKind::Settled).await, 1);
    assert_eq!(hub.count_events(id, EventKind::AnsweredLate).await, PEOPLE - 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_fifty_answers_at_once_one_wins_and_the_others_are_told_and_kept() {
    for _ in 0..20 {
        many_answers(Hub::memory().await).await;
    }
    let hub = Hub::sqlite().await;
    for _ in 0..10 {
        many_answers(hub.clone()).await;
    }
}

/// The deadline comes at once or so much later at most: the others' way to a database takes time, to memory none.
const WAY: Duration = Duration::from_millis(3);

/// Who wants to end the call.
#[derive(Debug, Clone, Copy)]
enum Ender {
    Person,
    Asker,
    Clock,
}

impl Ender {
    async fn act(self, hub: &Hub, id: CallId, way: Duration) -> Option<Result<View, BrokerError>> {
        match self {
            Self::Person => Some(hub.answer("ada", id, "answered in time").await),
            Self::Asker => {
                let body = Digest::of(b"cancel");
                Some(hub.broker.cancel(&agent(), Via::Api, id, None, None, body).await)
            }
            Self::Clock => {
                if !way.is_zero() {
                    // real time: the race is about moments that are close to each other
                    sleep(way).await;
                }
                hub.clock.advance(60);
                hub.broker.expire_due().await.expect("the store is there");
                None
            }
        }
    }
}

/// An answer, a cancel and the deadline at once, with two who wait: how the call ended.
async fn three_ends(hub: &Hub, order: [Ender; 3], way: Duration) -> String {
    let asked = hub.ask_with(&json!({ "timeout_seconds": 60 }), Budget::seconds(0)).await.expect("an ask is taken");
    let id = asked.view.call.id;
    let mut waits = JoinSet::new();
    for _ in 0..2 {
        let hub = hub.clone();
        waits.spawn(async move { hub.broker.wait(&agent(), id, Budget::Unlimited).await.expect("the call is there") });
    }
    let mut enders = JoinSet::new();
    for ender in order {
        let hub = hub.clone();
        enders.spawn(async move { ender.act(&hub, id, way).await });
    }
    let results: Vec<_> = enders.join_all().await.into_iter().flatten().collect();
    let outcome = |view: &View| view.call.outcome.as_ref().map(|text| text.get().to_owned());
    let last = hub.broker.get(&agent(), id).await.expect("the call is there");
    assert!(last.call.is_settled(), "the deadline has passed at the latest");
    for view in waits.join_all().await {
        assert_eq!(outcome(&view), outcome(&last), "whoever waits gets the one outcome");
    }
    let mut wins = 0;
    for result in results {
        let view = match result {
            Ok(view) => {
                wins += 1;
                view
            }
            Err(BrokerError::Lost(view, Loss::AlreadySettled)) => *view,
            Err(other) => panic!("{other:?}"),
        };
        assert_eq!(outcome(&view), outcome(&last), "whoever loses is told the one outcome");
    }
    let status = last.call.status.name();
    assert_eq!(wins, usize::from(status != "expired"), "one wins, or the clock: {status}");
    assert_eq!(hub.count_events(id, EventKind::Settled).await, 1, "a call is settled once");
    status.to_owned()
}

async fn many_ends(hub: Hub, rounds: usize, test: &str) {
    let mut random = seed::random(test);
    let mut ends = std::collections::BTreeMap::new();
    for _ in 0..rounds {
        let mut order = [Ender::Person, Ender::Asker, Ender::Clock];
        order.shuffle(&mut random);
        let way = if random.random() { Duration::ZERO } else { random.random_range(Duration::ZERO..WAY) };
        *ends.entry(three_ends(&hub, order, way).await).or_insert(0) += 1;
    }
    println!("{test}: {ends:?}");
    assert_eq!(ends.len(), 3, "each of the three wins at times, else this is no race: {ends:?}");
    assert_eq!(hub.broker.load().0, 0, "nobody waits any more");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_answer_a_cancel_and_the_deadline_at_once_make_one_outcome() {
    many_ends(Hub::memory().await, 200, "ends in memory").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_answer_a_cancel_and_the_deadline_at_once_make_one_outcome_in_a_database() {
    many_ends(Hub::sqlite().await, 100, "ends in SQLite").await;
}
