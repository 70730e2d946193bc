//! Deadlines: whoever meets a due call expires it first, and nobody can tell who it was.

use askhub::domain::{Applied, Command, Loss, Provenance, Status};
use futures_util::future::join_all;

use super::fixture::*;

on_every_store!(
    a_due_call_expires_before_it_is_answered,
    a_due_call_expires_for_every_command_alike,
    a_due_call_gets_its_declared_answers,
    an_early_expiry_changes_nothing,
    due_calls_are_found_first_deadline_first,
    the_next_deadline_is_that_of_a_pending_call,
    a_repeated_ask_expires_a_due_call,
    time_is_that_of_the_moved_clock,
);

async fn a_due_call_expires_before_it_is_answered(store: Fixture) {
    let call = store.ask(with_timeout(60)).await;
    store.clock.advance(3600);
    let (expired, loss) = lost(store.write(answer(call.id, "ann", "go")).await);
    let outcome = expired.read_outcome().unwrap();
    assert_eq!(loss, Loss::AlreadySettled);
    assert_eq!((outcome.status, outcome.provenance), (Status::Expired, Provenance::Clock));
    assert_eq!(Some(outcome.at), call.expires_at, "it ended at its deadline");
    assert_eq!((outcome.by, expired.settled_at), (None, call.expires_at));
    assert_eq!(store.calls.late_answers(call.id, 10).await.unwrap().len(), 1, "the answer is kept");
    let events = store.calls.events_after("default", 1, 10).await.unwrap();
    let kinds: Vec<_> = events.iter().map(|event| event.kind.name()).collect();
    assert_eq!(kinds, ["call.settled", "call.answered_late"]);
    assert_eq!(Some(events[0].at), call.expires_at);
}

async fn a_due_call_expires_for_every_command_alike(store: Fixture) {
    let mut texts = Vec::new();
    for command in [
        |call| answer(call, "ann", "go"),
        cancel,
        |call| extend(call, 600),
        |call| Command::Deliver { call },
        |call| Command::Expire { call },
        erase,
    ] {
        let call = store.ask(with_timeout(60)).await;
        store.clock.advance(61);
        store.write(command(call.id)).await;
        let call = store.get(call.id).await;
        assert_eq!((call.status, call.settled_at), (Status::Expired, call.expires_at));
        let at = call.expires_at.unwrap().to_string();
        texts.extend(call.outcome.map(|outcome| outcome.get().replace(&at, "")));
    }
    texts.dedup();
    assert_eq!(texts.len(), 1, "{texts:?}");
}

async fn a_due_call_gets_its_declared_answers(store: Fixture) {
    let mut new = with_timeout(60);
    declare(&mut new, "stop");
    let call = store.ask(new).await;
    store.clock.advance(61);
    let expired = existing(store.write(Command::Expire { call: call.id }).await);
    let outcome = expired.read_outcome().unwrap();
    assert_eq!((outcome.status, outcome.provenance), (Status::Expired, Provenance::Default));
    assert_eq!(said(&expired).as_deref(), Some("stop"));
}

async fn an_early_expiry_changes_nothing(store: Fixture) {
    let call = store.ask(with_timeout(60)).await;
    store.clock.advance(50);
    let pending = existing(store.write(Command::Expire { call: call.id }).await);
    assert_eq!(whole(&pending), whole(&call));
    store.clock.advance(-3600);
    let pending = existing(store.write(Command::Expire { call: call.id }).await);
    assert_eq!(pending.status, Status::Pending);
    assert_eq!(store.event_kinds("default").await, ["call.asked"]);
}

async fn due_calls_are_found_first_deadline_first(store: Fixture) {
    let third = store.ask(with_timeout(300)).await.id;
    let first = store.ask(with_timeout(100)).await.id;
    let second = store.ask(with_timeout(200)).await.id;
    store.ask(with_timeout(4000)).await;
    store.ask(new_call()).await;
    assert!(store.calls.due(10).await.unwrap().is_empty());
    store.clock.advance(1000);
    assert_eq!(store.calls.due(10).await.unwrap(), [first, second, third]);
    assert_eq!(store.calls.due(2).await.unwrap(), [first, second]);
    join_all([first, second].map(|call| store.write(Command::Expire { call }))).await;
    assert_eq!(store.calls.due(10).await.unwrap(), [third]);
}

async fn the_next_deadline_is_that_of_a_pending_call(store: Fixture) {
    assert_eq!(store.calls.next_deadline().await.unwrap(), None);
    store.ask(new_call()).await;
    assert_eq!(store.calls.next_deadline().await.unwrap(), None);
    let later = store.ask(with_timeout(600)).await;
    let sooner = store.ask(with_timeout(60)).await;
    assert_eq!(store.calls.next_deadline().await.unwrap(), sooner.expires_at);
    store.write(cancel(sooner.id)).await;
    assert_eq!(store.calls.next_deadline().await.unwrap(), later.expires_at);
    let later = done(store.write(extend(later.id, 6000)).await);
    assert_eq!(store.calls.next_deadline().await.unwrap(), later.expires_at);
}

async fn a_repeated_ask_expires_a_due_call(store: Fixture) {
    let mut new = keyed("k");
    new.ask.timeout_seconds = Some(60);
    store.ask(new.clone()).await;
    store.clock.advance(61);
    let applied = store.write(Command::Ask(Box::new(new))).await;
    assert!(matches!(applied, Applied::Existing(call) if call.status == Status::Expired));
}

async fn time_is_that_of_the_moved_clock(store: Fixture) {
    let before = store.calls.now().await.unwrap();
    store.clock.advance(1000);
    let after = store.calls.now().await.unwrap();
    let moved = before.until(after).as_secs();
    assert!((1000..1060).contains(&moved), "{moved}");
    let call = store.ask(new_call()).await;
    let fetched = store.calls.get_many(&[call.id]).await.unwrap();
    let page = store.calls.list(&everything()).await.unwrap();
    for now in [call.asked_at, fetched.now, page.now] {
        assert!(now >= after && after.until(now).as_secs() < 60);
    }
}
