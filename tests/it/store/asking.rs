//! Asking: new, again, too much, and with nobody there.

use askhub::domain::limits::PENDING_PER_ASKER_MAX;
use askhub::domain::{Applied, ByKind, Command, Digest, Loss, Provenance, Status};
use futures_util::future::join_all;

use super::fixture::*;

on_every_store!(
    a_new_call_is_read_back_as_it_was_asked,
    a_call_that_is_not_there_is_left_out_of_a_read,
    a_repeated_ask_gets_the_same_call,
    the_same_key_with_another_ask_is_refused,
    a_key_names_its_call_until_a_day_after_settling,
    a_key_belongs_to_its_space_asker_and_session,
    an_ask_without_a_key_is_always_new,
    a_call_handed_in_twice_by_its_id_is_stored_once,
    of_many_asks_with_one_key_at_once_one_is_stored,
    an_unattended_ask_expires_at_once,
    an_unattended_ask_gets_its_declared_answers,
    an_asker_has_at_most_so_many_pending_calls,
);

async fn a_new_call_is_read_back_as_it_was_asked(store: Fixture) {
    let mut new = keyed("toolu_01");
    new.ask.agent.session = Some("run 7".to_owned());
    new.ask.timeout_seconds = Some(60);
    let before = store.calls.now().await.unwrap();
    let call = store.ask(new.clone()).await;
    assert_eq!(call.status, Status::Pending);
    assert_eq!(call.rev, 1);
    assert!(call.asked_at >= before);
    assert_eq!(call.expires_at, Some(call.asked_at.plus_seconds(60)));
    let fetched = store.calls.get_many(&[call.id]).await.unwrap();
    assert!(fetched.now >= call.asked_at);
    assert_eq!(whole(&fetched.calls[0]), whole(&call));
    assert_eq!(fetched.calls[0].ask.metadata.get(), "{\"n\":18446744073709551617}");
    assert_eq!(store.event_kinds("default").await, ["call.asked"]);
}

async fn a_call_that_is_not_there_is_left_out_of_a_read(store: Fixture) {
    let (first, second) = (store.ask(new_call()).await, store.ask(new_call()).await);
    let absent = new_call().id;
    let fetched = store.calls.get_many(&[second.id, absent, first.id, second.id]).await.unwrap();
    let mut ids: Vec<_> = fetched.calls.iter().map(|call| call.id).collect();
    ids.sort();
    assert_eq!(ids, [first.id, second.id]);
    assert!(store.calls.get_many(&[absent]).await.unwrap().calls.is_empty());
    assert!(store.calls.get_many(&[]).await.unwrap().calls.is_empty());
}

async fn a_repeated_ask_gets_the_same_call(store: Fixture) {
    let call = store.ask(keyed("k")).await;
    let again = existing(store.write(Command::Ask(Box::new(keyed("k")))).await);
    assert_eq!(whole(&again), whole(&call));
    store.write(answer(call.id, "ann", "go")).await;
    let settled = existing(store.write(Command::Ask(Box::new(keyed("k")))).await);
    assert_eq!(settled.id, call.id);
    assert_eq!(said(&settled).as_deref(), Some("go"));
    assert_eq!(store.event_kinds("default").await, ["call.asked", "call.settled"]);
}

async fn the_same_key_with_another_ask_is_refused(store: Fixture) {
    let call = store.ask(keyed("k")).await;
    let mut other = keyed("k");
    other.same_ask = Digest::of(b"another ask");
    let (winner, loss) = lost(store.write(Command::Ask(Box::new(other))).await);
    assert_eq!((winner.id, loss), (call.id, Loss::KeyReused));
    assert_eq!(store.event_kinds("default").await, ["call.asked"]);
}

async fn a_key_names_its_call_until_a_day_after_settling(store: Fixture) {
    let call = store.ask(keyed("k")).await;
    store.write(answer(call.id, "ann", "go")).await;
    store.clock.advance(24 * 60 * 60 - 60);
    existing(store.write(Command::Ask(Box::new(keyed("k")))).await);
    store.clock.advance(60);
    let (_, loss) = lost(store.write(Command::Ask(Box::new(keyed("k")))).await);
    assert_eq!(loss, Loss::KeyReused);
}

async fn a_key_belongs_to_its_space_asker_and_session(store: Fixture) {
    let mut other_session = keyed("k");
    other_session.ask.agent.session = Some("s".to_owned());
    let mut no_session = keyed("k");
    no_session.ask.agent.session = Some(String::new());
    let mut other_asker = keyed("k");
    other_asker.asker.id = "agent-2".to_owned();
    let mut other_space = keyed("k");
    other_space.space = "team".to_owned();
    let call = store.ask(keyed("k")).await;
    for new in [other_session, other_asker, other_space] {
        assert_ne!(store.ask(new).await.id, call.id);
    }
    let same = existing(store.write(Command::Ask(Box::new(no_session))).await);
    assert_eq!(same.id, call.id, "no session is the empty session");
    assert_eq!(store.event_kinds("team").await, ["call.asked"]);
}

async fn an_ask_without_a_key_is_always_new(store: Fixture) {
    assert_ne!(store.ask(new_call()).await.id, store.ask(new_call()).await.id);
}

async fn a_call_handed_in_twice_by_its_id_is_stored_once(store: Fixture) {
    let new = new_call();
    let call = store.ask(new.clone()).await;
    let again = existing(store.write(Command::Ask(Box::new(new))).await);
    assert_eq!(whole(&again), whole(&call));
    assert_eq!(store.event_kinds("default").await, ["call.asked"]);
}

async fn of_many_asks_with_one_key_at_once_one_is_stored(store: Fixture) {
    let replies = join_all((0..20).map(|_| store.write(Command::Ask(Box::new(keyed("k")))))).await;
    let ids: std::collections::HashSet<_> = replies
        .iter()
        .map(|reply| match reply {
            Applied::Done(call) | Applied::Existing(call) => call.id,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(ids.len(), 1);
    assert_eq!(replies.iter().filter(|reply| matches!(reply, Applied::Done(_))).count(), 1);
    assert_eq!(store.event_kinds("default").await, ["call.asked"]);
}

async fn an_unattended_ask_expires_at_once(store: Fixture) {
    let mut new = keyed("k");
    new.unattended = true;
    let call = store.ask(new).await;
    let outcome = call.read_outcome().unwrap();
    assert_eq!((outcome.status, outcome.provenance), (Status::Expired, Provenance::Clock));
    assert_eq!(outcome.reason.as_deref(), Some("unattended"));
    assert_eq!(whole(&store.get(call.id).await), whole(&call));
    assert_eq!(store.event_kinds("default").await, ["call.asked", "call.settled"]);
}

async fn an_unattended_ask_gets_its_declared_answers(store: Fixture) {
    let mut new = with_timeout(60);
    new.unattended = true;
    declare(&mut new, "stop");
    let call = store.ask(new).await;
    assert_eq!(call.read_outcome().unwrap().provenance, Provenance::Default);
    assert_eq!(said(&call).as_deref(), Some("stop"));
}

async fn an_asker_has_at_most_so_many_pending_calls(store: Fixture) {
    let calls = join_all((1..PENDING_PER_ASKER_MAX).map(|_| store.ask(new_call()))).await;
    let mut brief = keyed("last");
    brief.ask.timeout_seconds = Some(60);
    store.ask(brief.clone()).await;
    let too_many = store.write(Command::Ask(Box::new(new_call()))).await;
    assert!(matches!(too_many, Applied::TooManyPending), "{too_many:?}");
    existing(store.write(Command::Ask(Box::new(brief))).await);
    let mut other = new_call();
    other.asker.id = "agent-2".to_owned();
    store.ask(other).await;
    let mut unattended = new_call();
    unattended.unattended = true;
    store.ask(unattended).await;

    store.write(answer(calls[0].id, "ann", "go")).await;
    store.ask(new_call()).await;
    let too_many = store.write(Command::Ask(Box::new(new_call()))).await;
    assert!(matches!(too_many, Applied::TooManyPending), "{too_many:?}");
    // A call past its deadline is not pending, even if nobody has met it yet.
    store.clock.advance(61);
    let two = join_all([0, 1].map(|_| store.write(Command::Ask(Box::new(new_call()))))).await;
    assert!(matches!(two[..], [Applied::Done(_), Applied::TooManyPending]), "{two:?}");
    assert_eq!(store.get(calls[1].id).await.asker.kind, ByKind::Agent);
}
