//! Answers inside their undo window, claims, and typing.

use askhub::domain::{Applied, Call, Command, Loss, Status, Terms};

use super::fixture::*;

on_every_store!(
    a_held_answer_settles_its_call_at_the_end_of_the_window,
    a_held_answer_can_be_taken_back_by_who_gave_it,
    whoever_meets_a_call_after_the_window_settles_it_with_the_same_bytes,
    while_an_answer_is_held_others_lose_and_are_told,
    a_withdrawal_wins_over_a_held_answer_which_is_kept,
    an_answer_near_the_deadline_is_not_held,
    a_held_answer_sent_again_is_the_same_answer,
    a_claim_passes_on_and_its_epoch_rises,
    an_answer_under_a_superseded_claim_is_refused,
    typing_claims_what_nobody_has_and_keeps_the_deadline_off,
    a_held_call_is_found_by_when_its_window_ends,
);

fn held(applied: Applied) -> Call {
    match applied {
        Applied::Held(call) => *call,
        other => panic!("it is not held: {other:?}"),
    }
}

async fn a_held_answer_settles_its_call_at_the_end_of_the_window(store: Fixture) {
    let asked = store.ask(with_timeout(600)).await;
    let call = held(store.write(hold(asked.id, "ann", "go", "a1", 5)).await);
    let until = call.held.as_ref().unwrap().until;
    assert_eq!((call.status, call.rev, call.outcome.is_none()), (Status::Pending, asked.rev + 1, true));
    store.clock.advance(4);
    assert!(matches!(store.write(Command::Expire { call: asked.id }).await, Applied::Existing(_)));
    assert_eq!(store.get(asked.id).await.status, Status::Pending);
    store.clock.advance(60);
    store.write(Command::Expire { call: asked.id }).await;
    let settled = store.get(asked.id).await;
    let outcome = settled.read_outcome().unwrap();
    assert_eq!((outcome.status, outcome.at, said(&settled).as_deref()), (Status::Answered, until, Some("go")));
    assert_eq!((settled.settled_at, settled.held), (Some(until), None));
    assert_eq!(outcome.by.unwrap().name, "ann");
    assert_eq!(store.event_kinds("default").await, ["call.asked", "call.held", "call.settled"]);
}

async fn a_held_answer_can_be_taken_back_by_who_gave_it(store: Fixture) {
    let call = store.ask(new_call()).await.id;
    held(store.write(hold(call, "ann", "go", "a1", 5)).await);
    assert_eq!(lost(store.write(undo(call, "bob", "a1")).await).1, Loss::Held);
    assert_eq!(lost(store.write(undo(call, "ann", "a2")).await).1, Loss::Held);
    let pending = done(store.write(undo(call, "ann", "a1")).await);
    assert_eq!((pending.status, &pending.held, pending.due_at()), (Status::Pending, &None, None));
    assert!(matches!(store.write(undo(call, "ann", "a1")).await, Applied::Existing(_)), "once more changes nothing");
    store.clock.advance(60);
    store.write(Command::Expire { call }).await;
    assert_eq!(store.get(call).await.status, Status::Pending, "nothing of it is left");
    done(store.write(answer(call, "ann", "better")).await);
    assert_eq!(lost(store.write(undo(call, "ann", "a1")).await).1, Loss::AlreadySettled);
    assert_eq!(said(&store.get(call).await).as_deref(), Some("better"));
}

async fn whoever_meets_a_call_after_the_window_settles_it_with_the_same_bytes(store: Fixture) {
    let mut texts = Vec::new();
    for meet in [
        |call| answer(call, "bob", "too late"),
        cancel,
        |call| extend(call, 600),
        |call| Command::Deliver { call },
        |call| undo(call, "ann", "a1"),
        |call| Command::Typing { call, by: person("bob") },
        |call| Command::Expire { call },
    ] {
        let call = store.ask(with_timeout(600)).await.id;
        let until = held(store.write(hold(call, "ann", "go", "a1", 5)).await).held.unwrap().until;
        store.clock.advance(5);
        store.write(meet(call)).await;
        let settled = store.get(call).await;
        assert_eq!((settled.status, settled.settled_at), (Status::Answered, Some(until)));
        texts.push(settled.outcome.unwrap().get().replace(&until.to_string(), ""));
    }
    texts.dedup();
    assert_eq!(texts.len(), 1, "{texts:?}");
}

async fn while_an_answer_is_held_others_lose_and_are_told(store: Fixture) {
    let call = store.ask(new_call()).await.id;
    held(store.write(hold(call, "ann", "go", "a1", 5)).await);
    let (pending, loss) = lost(store.write(answer_as(call, "bob", "stop", "b1")).await);
    assert_eq!((loss, pending.held.unwrap().by.name.as_str()), (Loss::Held, "ann"));
    assert_eq!(lost(store.write(hold(call, "ann", "other", "a2", 5)).await).1, Loss::Held);
    assert_eq!(store.get(call).await.late_answers_total, 0, "the call is pending: nobody is late");
    done(store.write(undo(call, "ann", "a1")).await);
    done(store.write(answer_as(call, "bob", "stop", "b1")).await);
    assert_eq!(said(&store.get(call).await).as_deref(), Some("stop"));
}

async fn a_withdrawal_wins_over_a_held_answer_which_is_kept(store: Fixture) {
    let call = store.ask(new_call()).await.id;
    held(store.write(hold(call, "ann", "go", "a1", 5)).await);
    let cancelled = done(store.write(cancel(call)).await);
    assert_eq!((cancelled.status, &cancelled.held, cancelled.late_answers_total), (Status::Cancelled, &None, 1));
    let late = store.calls.late_answers(call, 5).await.unwrap();
    assert_eq!((late[0].answer_id.as_str(), late[0].by.name.as_str()), ("a1", "ann"));
    assert_eq!(late[0].outcome.answers[0].custom.as_deref(), Some("go"));
    store.clock.advance(60);
    store.write(Command::Expire { call }).await;
    assert_eq!(store.get(call).await.status, Status::Cancelled);
}

async fn an_answer_near_the_deadline_is_not_held(store: Fixture) {
    let call = store.ask(with_timeout(15)).await.id;
    let settled = done(store.write(hold(call, "ann", "go", "a1", 30)).await);
    assert_eq!(settled.status, Status::Answered);
    let call = store.ask(with_timeout(60)).await.id;
    held(store.write(hold(call, "ann", "go", "a1", 30)).await);
}

async fn a_held_answer_sent_again_is_the_same_answer(store: Fixture) {
    let call = store.ask(new_call()).await.id;
    let send = |text| store.write(hold(call, "ann", text, "a1", 5));
    let first = held(send("go").await);
    assert_eq!(held(send("go").await).held, first.held, "the window does not begin anew");
    assert_eq!(lost(send("stop").await).1, Loss::AnswerIdReused);
    done(store.write(undo(call, "ann", "a1")).await);
    assert_eq!(held(send("go").await).held, None, "what was taken back does not come back by a late repetition");
    held(store.write(hold(call, "ann", "go", "a2", 5)).await);
    store.clock.advance(5);
    let settled = held(store.write(hold(call, "ann", "go", "a2", 5)).await);
    assert_eq!(settled.status, Status::Answered, "the first code again, with the call as it is");
    assert_eq!(settled.late_answers_total, 0);
}

async fn a_claim_passes_on_and_its_epoch_rises(store: Fixture) {
    let call = store.ask(new_call()).await.id;
    let claim = |who| store.write(Command::Claim { call, by: person(who), seconds: 60 });
    let mine = done(claim("ann").await).claim.unwrap();
    assert_eq!((mine.epoch, mine.by.name.as_str()), (1, "ann"));
    store.clock.advance(30);
    let renewed = done(claim("ann").await).claim.unwrap();
    assert_eq!(renewed.epoch, 1);
    assert!(renewed.until > mine.until);
    assert_eq!(store.get(call).await.claim, Some(renewed), "a renewal is stored, although it is no event");
    let theirs = done(claim("bob").await).claim.unwrap();
    assert_eq!((theirs.epoch, theirs.by.name.as_str()), (2, "bob"));
    let release = |who| store.write(Command::Release { call, by: person(who) });
    assert!(matches!(release("ann").await, Applied::Existing(_)));
    assert_eq!(done(release("bob").await).claim, None);
    let after = done(claim("ann").await);
    assert_eq!((after.claim.unwrap().epoch, after.rev), (3, 1));
    store.clock.advance(60);
    let now = store.calls.now().await.unwrap();
    assert_eq!(store.get(call).await.claim_at(now), None, "a lease ends by itself");
    assert_eq!(done(store.write(answer(call, "bob", "go")).await).claim, None);
    assert_eq!(lost(claim("ann").await).1, Loss::AlreadySettled);
    let kinds = store.event_kinds("default").await;
    let wanted = ["call.asked", "call.claimed", "call.claimed", "call.released", "call.claimed", "call.settled"];
    assert_eq!(kinds, wanted);
}

async fn an_answer_under_a_superseded_claim_is_refused(store: Fixture) {
    let call = store.ask(new_call()).await.id;
    let under = |epoch| {
        let terms = Terms { claim: Some(epoch), ..Terms::default() };
        store.write(Command::Settle { call, by: person("ann"), settlement: words("go"), terms, attempt: unnamed() })
    };
    let claim = |who| store.write(Command::Claim { call, by: person(who), seconds: 60 });
    done(claim("ann").await);
    done(claim("bob").await);
    let (pending, loss) = lost(under(1).await);
    assert_eq!((loss, pending.claim.unwrap().by.name.as_str()), (Loss::ClaimLost, "bob"));
    done(under(2).await);
}

async fn typing_claims_what_nobody_has_and_keeps_the_deadline_off(store: Fixture) {
    let asked = store.ask(with_timeout(600)).await;
    let call = asked.id;
    let typing = |who| store.write(Command::Typing { call, by: person(who) });
    let far = done(typing("ann").await);
    assert_eq!((far.expires_at, far.claim.unwrap().by.name.as_str()), (asked.expires_at, "ann"));
    let still = done(typing("bob").await);
    assert_eq!(still.claim.unwrap().by.name, "ann", "typing takes nothing away");
    store.clock.advance(590);
    let near = done(typing("ann").await);
    assert!(near.expires_at > asked.expires_at && near.rev == asked.rev + 1);
    assert!((50..=52).contains(&near.typing_seconds), "{}", near.typing_seconds);
    for _ in 0..60 {
        store.clock.advance(40);
        store.write(Command::Typing { call, by: person("ann") }).await;
    }
    let expired = store.get(call).await;
    assert_eq!((expired.status, expired.typing_seconds), (Status::Expired, 1800), "half an hour is all");
    assert_eq!(expired.expires_at, asked.expires_at.map(|at| at.plus_seconds(1800)));
    let mut hard = with_timeout(60);
    hard.ask.hard_deadline = true;
    let hard = store.ask(hard).await;
    store.clock.advance(50);
    let held_off = done(store.write(Command::Typing { call: hard.id, by: person("ann") }).await);
    assert_eq!((held_off.expires_at, held_off.typing_seconds), (hard.expires_at, 0));
}

async fn a_held_call_is_found_by_when_its_window_ends(store: Fixture) {
    let call = store.ask(with_timeout(600)).await;
    let until = held(store.write(hold(call.id, "ann", "go", "a1", 5)).await).held.unwrap().until;
    assert_eq!(store.calls.next_deadline().await.unwrap(), Some(until));
    assert!(store.calls.due(10).await.unwrap().is_empty());
    store.clock.advance(5);
    assert_eq!(store.calls.due(10).await.unwrap(), [call.id]);
    let list = store.calls.list(&everything()).await.unwrap();
    assert_eq!(list.calls[0].expires_at, call.expires_at, "its place among the others is by its deadline");
    done(store.write(Command::Acknowledge { call: call.id, by: agent() }).await);
    assert_eq!(store.calls.next_deadline().await.unwrap(), None);
}
