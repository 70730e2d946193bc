//! Ending a call: once, by the first, with the same words for everybody who asks again.

use askhub::domain::{Applied, ByKind, Call, CallId, Command, Loss, Provenance, Settlement, Status, Terms};
use futures_util::future::join_all;

use super::fixture::*;

on_every_store!(
    an_answer_settles_a_call,
    a_decline_settles_a_call,
    a_cancel_settles_a_call,
    an_admin_may_cancel_too,
    the_first_of_two_settles_in_one_batch_wins,
    of_many_settles_at_once_one_wins,
    a_call_asked_and_settled_in_one_batch_is_stored_settled,
    a_repeated_answer_gets_its_first_result,
    a_repeated_loser_gets_its_loss_and_leaves_one_late_answer,
    an_answer_id_with_another_body_is_refused,
    an_answer_id_belongs_to_its_principal_and_call,
    a_repeated_cancel_and_extend_get_their_first_result,
    late_answers_are_kept_in_order,
    a_stale_revision_loses_against_a_pending_call,
    a_deadline_moves_later_and_never_earlier,
    a_command_about_no_call_says_so,
    every_command_meets_every_state,
);

async fn an_answer_settles_a_call(store: Fixture) {
    let call = store.ask(new_call()).await;
    let settled = done(store.write(answer(call.id, "ann", "go")).await);
    let outcome = settled.read_outcome().unwrap();
    assert_eq!((settled.status, settled.rev), (Status::Answered, 2));
    assert_eq!((outcome.status, outcome.provenance), (Status::Answered, Provenance::Human));
    assert_eq!(outcome.by, Some(person("ann")));
    assert_eq!(settled.settled_at, Some(outcome.at));
    assert_eq!(whole(&store.get(call.id).await), whole(&settled));
    let events = store.calls.events_after("default", 1, 10).await.unwrap();
    assert_eq!((events[0].kind.name(), events[0].call_id, events[0].rev), ("call.settled", call.id, 2));
    assert_eq!((events[0].status, events[0].by.clone()), (Status::Answered, Some(person("ann"))));
    assert_eq!((events[0].at, events[0].asker.as_str()), (outcome.at, "agent-1"));
}

async fn a_decline_settles_a_call(store: Fixture) {
    let call = store.ask(new_call()).await;
    let settlement = Settlement::Decline {
        reason: Some("unclear".to_owned()),
        clarify: true,
        reply: Some("which one?".to_owned()),
        answers: Vec::new(),
    };
    let command = Command::Settle {
        call: call.id,
        by: person("ann"),
        settlement,
        terms: Terms { rev: Some(1), ..Terms::default() },
        attempt: unnamed(),
    };
    let outcome = done(store.write(command).await).read_outcome().unwrap();
    assert_eq!((outcome.status, outcome.clarify), (Status::Declined, true));
    assert_eq!(outcome.reason.as_deref(), Some("unclear"));
    assert_eq!(store.get(call.id).await.read_outcome(), Some(outcome));
}

async fn a_cancel_settles_a_call(store: Fixture) {
    let call = store.ask(new_call()).await;
    let outcome = done(store.write(cancel(call.id)).await).read_outcome().unwrap();
    assert_eq!((outcome.status, outcome.provenance), (Status::Cancelled, Provenance::Agent));
    assert_eq!(outcome.reason.as_deref(), Some("not needed"));
}

async fn an_admin_may_cancel_too(store: Fixture) {
    let call = store.ask(new_call()).await;
    let command = Command::Cancel { call: call.id, by: person("owner"), reason: None, attempt: unnamed() };
    let outcome = done(store.write(command).await).read_outcome().unwrap();
    assert_eq!(outcome.provenance, Provenance::Human);
    assert_eq!(outcome.by.map(|by| by.kind), Some(ByKind::Person));
}

async fn the_first_of_two_settles_in_one_batch_wins(store: Fixture) {
    let call = store.ask(new_call()).await;
    let first = store.write(answer(call.id, "ann", "first"));
    let second = store.write(answer(call.id, "bob", "second"));
    let (first, second) = tokio::join!(first, second);
    assert_eq!(said(&done(first)).as_deref(), Some("first"));
    let (winner, loss) = lost(second);
    assert_eq!((said(&winner).as_deref(), loss), (Some("first"), Loss::AlreadySettled));
    assert_eq!(store.calls.late_answers(call.id, 10).await.unwrap()[0].by, person("bob"));
    let kinds = store.event_kinds("default").await;
    assert_eq!(kinds, ["call.asked", "call.settled", "call.answered_late"]);
}

async fn of_many_settles_at_once_one_wins(store: Fixture) {
    let calls = join_all((0..10).map(|_| store.ask(new_call()))).await;
    let acts = calls.iter().flat_map(|call| (0..10).map(move |number| (call.id, number)));
    let acts = acts.map(|(id, number)| match number {
        9 => cancel(id),
        number => answer(id, &format!("p{number}"), &number.to_string()),
    });
    let replies = join_all(acts.map(|command| store.write(command))).await;
    for call in &calls {
        let winners = replies.iter().filter(|reply| matches!(reply, Applied::Done(done) if done.id == call.id));
        assert_eq!(winners.count(), 1);
        let settled = store.get(call.id).await;
        for reply in &replies {
            if let Applied::Done(seen) | Applied::Lost(seen, _) = reply
                && seen.id == call.id
            {
                let bytes = |call: &Call| call.outcome.as_ref().map(|outcome| outcome.get().to_owned());
                assert_eq!(bytes(seen), bytes(&settled), "everybody is told the same outcome");
            }
        }
    }
}

async fn a_call_asked_and_settled_in_one_batch_is_stored_settled(store: Fixture) {
    let new = new_call();
    let id = new.id;
    let (asked, settled) = tokio::join!(store.ask(new), store.write(answer(id, "ann", "go")));
    assert_eq!(asked.status, Status::Pending);
    assert_eq!(whole(&store.get(id).await), whole(&done(settled)));
    assert_eq!(store.event_kinds("default").await, ["call.asked", "call.settled"]);
}

async fn a_repeated_answer_gets_its_first_result(store: Fixture) {
    let call = store.ask(new_call()).await;
    let first = done(store.write(answer_as(call.id, "ann", "go", "act")).await);
    let again = done(store.write(answer_as(call.id, "ann", "go", "act")).await);
    assert_eq!(whole(&first), whole(&again));
    // In one batch too.
    let other = store.ask(new_call()).await;
    let act = || store.write(answer_as(other.id, "ann", "go", "act"));
    let (first, again) = tokio::join!(act(), act());
    assert_eq!(whole(&done(first)), whole(&done(again)));
    let kinds = store.event_kinds("default").await;
    assert_eq!(kinds, ["call.asked", "call.settled", "call.asked", "call.settled"]);
}

async fn a_repeated_loser_gets_its_loss_and_leaves_one_late_answer(store: Fixture) {
    let call = store.ask(new_call()).await;
    store.write(answer(call.id, "ann", "go")).await;
    for _ in 0..2 {
        let (winner, loss) = lost(store.write(answer_as(call.id, "bob", "stop", "act")).await);
        assert_eq!((said(&winner).as_deref(), loss), (Some("go"), Loss::AlreadySettled));
        assert_eq!(winner.late_answers_total, 1);
    }
    assert_eq!(store.calls.late_answers(call.id, 10).await.unwrap().len(), 1);
}

async fn an_answer_id_with_another_body_is_refused(store: Fixture) {
    let call = store.ask(new_call()).await;
    store.write(answer_as(call.id, "ann", "go", "act")).await;
    let (_, loss) = lost(store.write(answer_as(call.id, "ann", "stop", "act")).await);
    assert_eq!(loss, Loss::AnswerIdReused);
    assert_eq!(store.calls.late_answers(call.id, 10).await.unwrap().len(), 0);
}

async fn an_answer_id_belongs_to_its_principal_and_call(store: Fixture) {
    let (first, second) = (store.ask(new_call()).await, store.ask(new_call()).await);
    done(store.write(answer_as(first.id, "ann", "go", "act")).await);
    let (_, loss) = lost(store.write(answer_as(first.id, "bob", "stop", "act")).await);
    assert_eq!(loss, Loss::AlreadySettled);
    done(store.write(answer_as(second.id, "ann", "stop", "act")).await);
}

async fn a_repeated_cancel_and_extend_get_their_first_result(store: Fixture) {
    let call = store.ask(with_timeout(60)).await;
    let extend = |id: CallId| Command::Extend { call: id, by: agent(), seconds: 600, attempt: named("e", "extend") };
    let cancel = |id| Command::Cancel { call: id, by: agent(), reason: None, attempt: named("c", "cancel") };
    let extended = done(store.write(extend(call.id)).await);
    store.clock.advance(10);
    let again = done(store.write(extend(call.id)).await);
    assert_eq!(again.expires_at, extended.expires_at, "repeating an extension moves nothing");
    done(store.write(cancel(call.id)).await);
    done(store.write(cancel(call.id)).await);
    done(store.write(extend(call.id)).await);
    let kinds = store.event_kinds("default").await;
    assert_eq!(kinds, ["call.asked", "call.extended", "call.settled"]);
}

async fn late_answers_are_kept_in_order(store: Fixture) {
    let call = store.ask(new_call()).await;
    store.write(cancel(call.id)).await;
    for number in 0..3 {
        store.write(answer(call.id, "ann", &number.to_string())).await;
    }
    let batch = (3..6).map(|number| store.write(answer(call.id, "bob", &number.to_string())));
    join_all(batch.collect::<Vec<_>>()).await;
    let late = store.calls.late_answers(call.id, 5).await.unwrap();
    let texts: Vec<_> = late.iter().filter_map(|late| late.outcome.answers[0].custom.clone()).collect();
    assert_eq!(texts, ["0", "1", "2", "3", "4"]);
    assert_eq!(late[0].outcome.status, Status::Answered);
    assert_eq!(store.get(call.id).await.late_answers_total, 6);
}

async fn a_stale_revision_loses_against_a_pending_call(store: Fixture) {
    let call = store.ask(with_timeout(60)).await;
    let extended = done(store.write(extend(call.id, 600)).await);
    let at_rev = |rev| Command::Settle {
        call: call.id,
        by: person("ann"),
        settlement: words("go"),
        terms: Terms { rev: Some(rev), ..Terms::default() },
        attempt: unnamed(),
    };
    let (pending, loss) = lost(store.write(at_rev(1)).await);
    assert_eq!((pending.status, loss), (Status::Pending, Loss::RevMismatch));
    done(store.write(at_rev(extended.rev)).await);
}

async fn a_deadline_moves_later_and_never_earlier(store: Fixture) {
    let call = store.ask(with_timeout(600)).await;
    let later = done(store.write(extend(call.id, 1200)).await);
    assert!(later.expires_at > call.expires_at);
    assert_eq!(later.rev, 2);
    let same = done(store.write(extend(call.id, 5)).await);
    assert_eq!((same.expires_at, same.rev), (later.expires_at, 2));
    assert_eq!(whole(&store.get(call.id).await), whole(&same));
    let endless = store.ask(new_call()).await;
    assert_eq!(lost(store.write(extend(endless.id, 5)).await).1, Loss::NoDeadline);
    let mut hard = with_timeout(600);
    hard.ask.hard_deadline = true;
    let hard = store.ask(hard).await;
    assert_eq!(lost(store.write(extend(hard.id, 1200)).await).1, Loss::HardDeadline);
}

fn every_command(call: CallId) -> Vec<Command> {
    vec![
        answer(call, "ann", "go"),
        cancel(call),
        extend(call, 1200),
        Command::Deliver { call },
        Command::Acknowledge { call, by: agent() },
        Command::Expire { call },
        erase(call),
    ]
}

async fn a_command_about_no_call_says_so(store: Fixture) {
    for command in every_command(new_call().id) {
        let applied = store.write(command).await;
        assert!(matches!(applied, Applied::Absent), "{applied:?}");
    }
    assert!(store.event_kinds("default").await.is_empty());
}

async fn every_command_meets_every_state(store: Fixture) {
    let states = ["pending", "answered", "declined", "expired", "cancelled", "erased"];
    let mut found = Vec::new();
    for state in states {
        for command in 0..7 {
            let call = store.ask(with_timeout(600)).await.id;
            let decline = Settlement::Decline { reason: None, clarify: false, reply: None, answers: Vec::new() };
            let decline = Command::Settle {
                call,
                by: person("ann"),
                settlement: decline,
                terms: Terms::default(),
                attempt: unnamed(),
            };
            match state {
                "answered" | "erased" => drop(done(store.write(answer(call, "ann", "go")).await)),
                "declined" => drop(done(store.write(decline).await)),
                "cancelled" => drop(done(store.write(cancel(call)).await)),
                "expired" => store.clock.advance(601),
                _ => {}
            }
            if state == "erased" {
                done(store.write(erase(call)).await);
            }
            let applied = store.write(every_command(call).swap_remove(command)).await;
            let (kind, call) = match applied {
                Applied::Done(call) => ("done".to_owned(), call),
                Applied::Existing(call) => ("existing".to_owned(), call),
                Applied::Lost(call, loss) => (format!("{loss:?}"), call),
                other => panic!("{other:?}"),
            };
            assert_eq!(whole(&store.get(call.id).await), whole(&call), "{state} {command}: what is said is stored");
            found.push(format!("{state}: {kind} {}", call.status.name()));
        }
    }
    let settled = |state: &str| {
        ["AlreadySettled", "AlreadySettled", "AlreadySettled", "done", "done", "existing", "done"]
            .map(|kind| format!("{state}: {kind} {state}"))
    };
    // The order is that of `swap_remove` on seven commands: answer, cancel, extend, deliver, acknowledge, expire, erase.
    let pending = ["done answered", "done cancelled", "done pending", "NotSettled pending", "NotSettled pending"];
    let pending = pending.into_iter().chain(["existing pending", "NotSettled pending"]);
    let mut expected: Vec<_> = pending.map(|kind| format!("pending: {kind}")).collect();
    for state in ["answered", "declined", "expired", "cancelled"] {
        expected.extend(settled(state));
    }
    let erased = ["AlreadySettled", "AlreadySettled", "AlreadySettled", "done", "done", "existing", "existing"];
    expected.extend(erased.map(|kind| format!("erased: {kind} answered")));
    assert_eq!(found, expected);
}
