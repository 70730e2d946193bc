//! A wait and its answer within a few milliseconds of each other: no wake-up may be lost.

use std::time::Duration;

use askhub::broker::Budget;
use rand::RngExt as _;
use tokio::task::{JoinSet, yield_now};
use tokio::time::{Instant, sleep_until, timeout};

use super::{Hub, agent, ending};
use crate::support::seed;

const PAIRS: usize = 10_000;
/// So many race at a time: their timers end in the same few milliseconds.
const AT_ONCE: usize = 200;
const SPREAD: Duration = Duration::from_millis(5);
/// Nothing else than the answer ends these waits: whoever is here for so long was not woken.
const LOST: Duration = Duration::from_secs(20);

/// When the two of a pair begin, and how many turns of the scheduler later: timers alone are too coarse.
#[derive(Clone, Copy)]
struct Moments {
    wait: Instant,
    answer: Instant,
    turns: usize,
}

impl Moments {
    fn random(random: &mut impl rand::Rng, base: Instant) -> Self {
        let offset = random.random_range(Duration::ZERO..=SPREAD * 2);
        Self { wait: base + SPREAD, answer: base + offset, turns: random.random_range(0..8) }
    }
}

async fn begin_at(moment: Instant, turns: usize) {
    // real time: the race is about moments that are close to each other
    sleep_until(moment).await;
    for _ in 0..turns {
        yield_now().await;
    }
}

/// Answers each of so many calls while somebody waits for it, or just before or after.
async fn race_pairs(hub: Hub, pairs: usize, test: &str) {
    let mut random = seed::random(test);
    for round in 0..pairs / AT_ONCE {
        let mut calls = Vec::new();
        for _ in 0..AT_ONCE {
            calls.push(hub.ask().await);
        }
        let base = Instant::now() + Duration::from_millis(2);
        let mut tasks = JoinSet::new();
        for (number, id) in calls.into_iter().enumerate() {
            let moments = Moments::random(&mut random, base);
            let words = format!("{round}/{number}");
            let (answering, answer) = (hub.clone(), words.clone());
            tasks.spawn(async move {
                begin_at(moments.answer, moments.turns).await;
                answering.answer("ada", id, &answer).await.expect("the only answer wins");
            });
            let waiting = hub.clone();
            tasks.spawn(async move {
                begin_at(moments.wait, 0).await;
                let agent = agent();
                let wait = waiting.broker.wait(&agent, id, Budget::Unlimited);
                let view = timeout(LOST, wait).await.expect("an answer wakes the one who waits for it");
                assert_eq!(ending(&view.expect("the call is there")), words, "everybody gets the own answer");
            });
        }
        tasks.join_all().await;
    }
    assert_eq!(hub.broker.load().0, 0, "nobody waits any more");
}

#[tokio::test]
async fn no_wake_up_is_lost_on_one_thread() {
    race_pairs(Hub::memory().await, PAIRS, "memory, one thread").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_wake_up_is_lost_on_many_threads() {
    race_pairs(Hub::memory().await, PAIRS, "memory, many threads").await;
}

#[tokio::test]
async fn no_wake_up_is_lost_on_one_thread_over_a_database() {
    race_pairs(Hub::sqlite().await, PAIRS / 10, "SQLite, one thread").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_wake_up_is_lost_on_many_threads_over_a_database() {
    race_pairs(Hub::sqlite().await, PAIRS / 10, "SQLite, many threads").await;
}

/// Reads and only then subscribes: the mistake that the order in the broker rules out. Whether the wake-up was lost.
async fn wait_wrongly(hub: &Hub, id: askhub::domain::CallId) -> bool {
    let view = hub.broker.get(&agent(), id).await.expect("the call is there");
    if view.call.is_settled() {
        return false;
    }
    // What lies between the two where the store is further away than memory.
    for _ in 0..4 {
        yield_now().await;
    }
    let mut waiter = hub.registry.wait_for(id).expect("few wait");
    timeout(Duration::from_millis(300), waiter.hinted()).await.is_err()
}

/// The control: the same pairs, waited for in the wrong order. Were this to lose nothing, the tests above were blind.
async fn count_lost(hub: Hub, test: &str) -> usize {
    let mut random = seed::random(test);
    let mut lost = 0;
    for _ in 0..10 {
        let mut tasks = JoinSet::new();
        let base = Instant::now() + Duration::from_millis(20);
        for _ in 0..AT_ONCE {
            let (hub, id) = (hub.clone(), hub.ask().await);
            let moments = Moments::random(&mut random, base);
            let answering = hub.clone();
            tasks.spawn(async move {
                begin_at(moments.answer, moments.turns).await;
                answering.answer("ada", id, "done").await.expect("the only answer wins");
                false
            });
            tasks.spawn(async move {
                begin_at(moments.wait, 0).await;
                wait_wrongly(&hub, id).await
            });
        }
        lost += tasks.join_all().await.into_iter().filter(|is_lost| *is_lost).count();
    }
    println!("{test}: {lost} of {} wake-ups lost", 10 * AT_ONCE);
    lost
}

#[tokio::test]
async fn a_waiter_that_reads_before_it_subscribes_loses_wake_ups_on_one_thread() {
    assert!(count_lost(Hub::memory().await, "control, one thread").await > 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_waiter_that_reads_before_it_subscribes_loses_wake_ups_on_many_threads() {
    assert!(count_lost(Hub::memory().await, "control, many threads").await > 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wait_that_is_given_up_leaves_nothing_behind() {
    let hub = Hub::memory().await;
    let id = hub.ask().await;
    let mut waits = JoinSet::new();
    for _ in 0..50 {
        let hub = hub.clone();
        waits.spawn(async move { hub.broker.wait(&agent(), id, Budget::Unlimited).await });
    }
    while hub.broker.load().0 < 50 {
        yield_now().await;
    }
    waits.shutdown().await;
    assert_eq!(hub.broker.load().0, 0, "the gauge returns to where it was");
    assert_eq!(hub.registry.waiters(id), 0);
}
