//! Receipts: delivered and acknowledged, once each, without a new revision.

use askhub::domain::{Command, Loss};

use super::fixture::*;

on_every_store!(
    an_outcome_is_delivered_once,
    an_acknowledgement_implies_delivery_and_may_be_repeated,
    nothing_is_received_of_a_pending_call,
);

async fn an_outcome_is_delivered_once(store: Fixture) {
    let call = store.ask(new_call()).await;
    let settled = done(store.write(answer(call.id, "ann", "go")).await);
    let delivered = done(store.write(Command::Deliver { call: call.id }).await);
    assert!(delivered.delivered_at.is_some());
    assert_eq!(delivered.rev, settled.rev);
    store.clock.advance(60);
    let again = existing(store.write(Command::Deliver { call: call.id }).await);
    assert_eq!(whole(&again), whole(&delivered));
    assert_eq!(whole(&store.get(call.id).await), whole(&delivered));
    let kinds = store.event_kinds("default").await;
    assert_eq!(kinds, ["call.asked", "call.settled", "call.delivered"]);
}

async fn an_acknowledgement_implies_delivery_and_may_be_repeated(store: Fixture) {
    let call = store.ask(new_call()).await;
    store.write(answer(call.id, "ann", "go")).await;
    let acknowledge = || Command::Acknowledge { call: call.id, by: agent() };
    let acked = done(store.write(acknowledge()).await);
    assert!(acked.acked_at.is_some());
    assert_eq!(acked.delivered_at, acked.acked_at);
    store.clock.advance(60);
    assert_eq!(whole(&done(store.write(acknowledge()).await)), whole(&acked));
    let kinds = store.event_kinds("default").await;
    assert_eq!(kinds, ["call.asked", "call.settled", "call.delivered", "call.acked"]);
}

async fn nothing_is_received_of_a_pending_call(store: Fixture) {
    let call = store.ask(new_call()).await;
    for command in [Command::Deliver { call: call.id }, Command::Acknowledge { call: call.id, by: agent() }] {
        assert_eq!(lost(store.write(command).await).1, Loss::NotSettled);
    }
}
