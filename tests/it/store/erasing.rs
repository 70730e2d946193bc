//! Erasing: the content goes from everywhere, that there was a call stays.

use askhub::domain::{Command, DialectUse, Loss, Status};
use askhub::store::ListQuery;

use super::fixture::*;

on_every_store!(
    erasing_removes_content_and_late_answers_and_keeps_events,
    a_pending_call_is_not_erased,
    an_answer_to_an_erased_call_is_not_kept,
    an_erased_call_keeps_its_key,
    a_late_answer_and_an_erasure_in_one_batch_leave_no_content,
);

async fn erasing_removes_content_and_late_answers_and_keeps_events(store: Fixture) {
    let mut new = keyed("k");
    new.ask.title = Some("a secret title".to_owned());
    let [name, variant, raw, context] = ["zero", "1", "{\"secret\":1}", "{}"].map(str::to_owned);
    new.dialect = Some(DialectUse { name, variant, raw, context });
    let call = store.ask(new).await;
    store.write(answer(call.id, "ann", "a secret answer")).await;
    store.write(answer(call.id, "bob", "a secret late answer")).await;
    let erased = done(store.write(erase(call.id)).await);
    assert!(erased.erased_at.is_some());
    let stored = store.get(call.id).await;
    assert_eq!(whole(&stored), whole(&erased));
    assert!(!whole(&stored).to_string().contains("secret"));
    assert_eq!((stored.status, stored.late_answers_total), (Status::Answered, 0));
    assert!(store.calls.late_answers(call.id, 10).await.unwrap().is_empty());
    for (text, agent) in [(Some("secret"), None), (None, Some("billing-bot"))] {
        let query = ListQuery { text: text.map(str::to_owned), agent: agent.map(str::to_owned), ..everything() };
        assert!(store.calls.list(&query).await.unwrap().calls.is_empty());
    }
    let anything = ListQuery { text: Some(String::new()), ..everything() };
    assert_eq!(store.calls.list(&anything).await.unwrap().calls.len(), 1);
    assert_eq!(whole(&existing(store.write(erase(call.id)).await)), whole(&erased));
    let kinds = store.event_kinds("default").await;
    assert_eq!(kinds, ["call.asked", "call.settled", "call.answered_late", "call.erased"]);
}

async fn a_pending_call_is_not_erased(store: Fixture) {
    let call = store.ask(new_call()).await;
    assert_eq!(lost(store.write(erase(call.id)).await).1, Loss::NotSettled);
    assert_eq!(whole(&store.get(call.id).await), whole(&call));
}

async fn an_answer_to_an_erased_call_is_not_kept(store: Fixture) {
    let call = store.ask(new_call()).await;
    store.write(cancel(call.id)).await;
    store.write(erase(call.id)).await;
    assert_eq!(lost(store.write(answer(call.id, "ann", "go")).await).1, Loss::AlreadySettled);
    assert!(store.calls.late_answers(call.id, 10).await.unwrap().is_empty());
}

async fn an_erased_call_keeps_its_key(store: Fixture) {
    let call = store.ask(keyed("k")).await;
    store.write(cancel(call.id)).await;
    store.write(erase(call.id)).await;
    let (winner, loss) = lost(store.write(Command::Ask(Box::new(keyed("k")))).await);
    assert_eq!((winner.id, loss), (call.id, Loss::KeyReused));
}

async fn a_late_answer_and_an_erasure_in_one_batch_leave_no_content(store: Fixture) {
    let call = store.ask(new_call()).await;
    store.write(cancel(call.id)).await;
    tokio::join!(store.write(answer(call.id, "ann", "secret")), store.write(erase(call.id)));
    assert!(store.calls.late_answers(call.id, 10).await.unwrap().is_empty());
    assert_eq!(store.get(call.id).await.late_answers_total, 0);
    let kinds = store.event_kinds("default").await;
    assert_eq!(kinds, ["call.asked", "call.settled", "call.answered_late", "call.erased"]);
}
