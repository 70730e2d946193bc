//! Two nodes over one Postgres: whatever both want at once, one gets, and both are told.

use askhub::domain::{Applied, Command, Loss};
use sqlx::{Connection as _, PgConnection};

use super::fixture::*;
use crate::support::postgres::Cluster;

const ROUNDS: usize = 200;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_nodes_that_ask_one_key_at_once_get_one_call() {
    let Some(first) = Fixture::postgres().await else { return };
    let second = first.second_node().await;
    for round in 0..ROUNDS {
        let ask = || Command::Ask(Box::new(keyed(&format!("k{round}"))));
        let replies = tokio::join!(first.write(ask()), second.write(ask()));
        let (new, known) = match replies {
            (Applied::Done(new), Applied::Existing(known)) | (Applied::Existing(known), Applied::Done(new)) => {
                (new, known)
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(whole(&new), whole(&known));
    }
    assert_eq!(first.event_kinds("default").await.len(), ROUNDS);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_nodes_that_settle_one_call_at_once_have_one_winner() {
    let Some(first) = Fixture::postgres().await else { return };
    let second = first.second_node().await;
    for _ in 0..ROUNDS {
        let call = first.ask(new_call()).await.id;
        let replies = tokio::join!(first.write(answer(call, "ann", "a")), second.write(answer(call, "bob", "b")));
        let (winner, loser) = match replies {
            (Applied::Done(winner), Applied::Lost(loser, Loss::AlreadySettled))
            | (Applied::Lost(loser, Loss::AlreadySettled), Applied::Done(winner)) => (winner, loser),
            other => panic!("{other:?}"),
        };
        assert_eq!(winner.outcome.unwrap().get(), loser.outcome.unwrap().get());
        assert_eq!(second.calls.late_answers(call, 10).await.unwrap().len(), 1);
    }
    assert_eq!(second.event_kinds("default").await.len(), 3 * ROUNDS);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_batches_of_two_nodes_neither_block_nor_lose_anything() {
    let Some(first) = Fixture::postgres().await else { return };
    let second = first.second_node().await;
    let keys: Vec<_> = (0..40).map(|number| format!("k{number}")).collect();
    let ask = |store: &Fixture, keys: Vec<String>| {
        let calls = store.calls.clone();
        tokio::spawn(async move {
            let asks = keys.into_iter().map(|key| calls.write(Command::Ask(Box::new(keyed(&key)))));
            futures_util::future::join_all(asks.collect::<Vec<_>>()).await
        })
    };
    let (forward, backward) = (keys.clone(), keys.into_iter().rev().collect());
    let (one, two) = tokio::join!(ask(&first, forward), ask(&second, backward));
    for reply in one.unwrap().into_iter().chain(two.unwrap()) {
        assert!(matches!(reply, Ok(Applied::Done(_) | Applied::Existing(_))), "{reply:?}");
    }
    assert_eq!(first.event_kinds("default").await.len(), 40);
}

#[tokio::test]
async fn a_node_outlives_a_restart_of_its_database_and_misses_nothing_acknowledged() {
    let Some(cluster) = Cluster::start().await else { return };
    let store = Fixture::postgres_at(cluster.database().await).await;
    let call = store.ask(keyed("k")).await;
    store.write(answer(call.id, "ann", "go")).await;
    let settled = store.get(call.id).await;
    cluster.restart_immediate().await;
    // Every pooled connection is dead, and nobody has noticed yet.
    assert_eq!(whole(&store.get(call.id).await), whole(&settled));
    assert_eq!(existing(store.write(Command::Ask(Box::new(keyed("k")))).await).id, call.id);
    store.calls.be_present("default", "page").await.ok();
    store.calls.be_present("default", "page").await.unwrap();
    assert_eq!(store.event_kinds("default").await, ["call.asked", "call.settled"]);
}

/// The control: the same race without the lock and the condition has two winners, so the tests above look at a race
/// that exists.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_lock_two_nodes_can_both_win() {
    let Some(store) = Fixture::postgres().await else { return };
    let mut rounds_with_two_winners = 0;
    for _ in 0..ROUNDS {
        let call = store.ask(new_call()).await.id.to_string();
        let settle = || {
            let (url, call) = (store.url.clone(), call.clone());
            tokio::spawn(async move { settle_wrongly(&url, &call).await })
        };
        let (one, two) = tokio::join!(settle(), settle());
        rounds_with_two_winners += usize::from(one.unwrap() && two.unwrap());
        if rounds_with_two_winners > 0 {
            return;
        }
    }
    panic!("in {ROUNDS} rounds nobody won twice");
}

async fn settle_wrongly(url: &str, call: &str) -> bool {
    let mut connection = PgConnection::connect(url).await.unwrap();
    let mut transaction = connection.begin().await.unwrap();
    let select = sqlx::query_scalar("SELECT status FROM calls WHERE id = $1").bind(call);
    let status: String = select.fetch_one(&mut *transaction).await.unwrap();
    let won = status == "pending";
    if won {
        let update = sqlx::query("UPDATE calls SET status = 'answered' WHERE id = $1").bind(call);
        update.execute(&mut *transaction).await.unwrap();
    }
    transaction.commit().await.unwrap();
    won
}
