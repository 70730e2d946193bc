//! The log: every change once, in order, numbered without a gap for each space.

use askhub::domain::{CallId, Command};
use futures_util::future::join_all;

use super::fixture::*;

on_every_store!(
    a_new_log_is_empty_and_has_an_epoch,
    a_log_is_read_in_parts,
    each_space_has_its_own_log,
    fifty_writers_leave_no_gap_and_repeat_nothing,
    a_reader_never_sees_a_number_before_the_ones_below_it,
);

async fn a_new_log_is_empty_and_has_an_epoch(store: Fixture) {
    let bounds = store.calls.log_bounds("default").await.unwrap();
    assert_eq!((bounds.before_first, bounds.last), (0, 0));
    assert!(!bounds.epoch.is_empty() && !bounds.epoch.contains('-'), "{}", bounds.epoch);
    assert_eq!(store.calls.log_ends().await.unwrap(), [("default".to_owned(), 0)]);
    let unknown = store.calls.log_bounds("nowhere").await.unwrap();
    assert_eq!((unknown.epoch, unknown.before_first, unknown.last), (bounds.epoch, 0, 0));
}

async fn a_log_is_read_in_parts(store: Fixture) {
    join_all((0..5).map(|_| store.ask(new_call()))).await;
    let part = store.calls.events_after("default", 1, 2).await.unwrap();
    assert_eq!(part.iter().map(|event| event.seq).collect::<Vec<_>>(), [2, 3]);
    assert!(store.calls.events_after("default", 5, 10).await.unwrap().is_empty());
    assert!(store.calls.events_after("default", u64::MAX, 10).await.unwrap().is_empty());
    assert_eq!(store.calls.log_bounds("default").await.unwrap().last, 5);
}

async fn each_space_has_its_own_log(store: Fixture) {
    let asks = (0..20).map(|number| {
        let mut new = new_call();
        new.space = ["default", "b", "a"][number % 3].to_owned();
        store.ask(new)
    });
    join_all(asks).await;
    assert_eq!(store.event_kinds("a").await.len(), 6);
    assert_eq!(store.event_kinds("b").await.len(), 7);
    let ends = [("a", 6), ("b", 7), ("default", 7)].map(|(space, last)| (space.to_owned(), last));
    assert_eq!(store.calls.log_ends().await.unwrap(), ends);
}

async fn fifty_writers_leave_no_gap_and_repeat_nothing(store: Fixture) {
    let writers = (0..50).map(|number| {
        let calls = store.calls.clone();
        tokio::spawn(async move {
            for step in 0..4 {
                let mut new = new_call();
                new.space = if step == 3 { "team".to_owned() } else { new.space };
                let id = new.id;
                calls.write(Command::Ask(Box::new(new))).await.unwrap();
                calls.write(answer(id, &format!("p{number}"), "go")).await.unwrap();
            }
        })
    });
    for writer in join_all(writers).await {
        writer.unwrap();
    }
    for (space, count) in [("default", 300), ("team", 100)] {
        assert_eq!(store.event_kinds(space).await.len(), count, "one event for each change");
        let events = store.calls.events_after(space, 0, 1000).await.unwrap();
        let mut asked: Vec<CallId> = Vec::new();
        for event in events {
            match event.kind.name() {
                "call.asked" => asked.push(event.call_id),
                _ => assert!(asked.contains(&event.call_id), "a call is settled after it was asked"),
            }
        }
    }
}

async fn a_reader_never_sees_a_number_before_the_ones_below_it(store: Fixture) {
    let calls = store.calls.clone();
    let writer = tokio::spawn(async move {
        for _ in 0..10 {
            join_all((0..10).map(|_| calls.write(Command::Ask(Box::new(new_call()))))).await;
        }
    });
    let mut seen = 0;
    while seen < 100 {
        for event in store.calls.events_after("default", seen, 7).await.unwrap() {
            assert_eq!(event.seq, seen + 1);
            seen = event.seq;
        }
        tokio::task::yield_now().await;
    }
    writer.await.unwrap();
}
