//! Asking, waiting, answering and what else can happen to a call, over HTTP.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::app::{TestApp, eventually, id};

#[tokio::test]
async fn an_agent_that_waits_gets_what_a_person_answers() {
    let app = TestApp::start().await;
    let call = app.agent().ask(json!({ "title": "Path" })).await;
    assert_eq!((call["status"].as_str(), call["rev"].as_u64()), (Some("pending"), Some(1)));
    let path = format!("/v1/calls/{}?wait=25", id(&call));
    let agent = app.agent();
    let wait = tokio::spawn(async move { agent.get(&path).await.expect(200) });
    eventually(async || app.owner().read(id(&call)).await, |call| call["waiters"] == 1).await;
    let won = app.owner().answer(id(&call), "B").await.expect(200);
    let got = wait.await.unwrap();
    assert_eq!(got["status"], "answered");
    assert_eq!(got["outcome"], won["outcome"]);
    assert_eq!(got["outcome"]["answers"][0]["selected"], json!([{ "id": "o2", "label": "B" }]));
    assert_eq!(got["outcome"]["provenance"], "human");
    assert_eq!(got["outcome"]["by"]["name"], "owner");
    assert_eq!(got["outcome"]["by"]["via"], "api");
    let read = eventually(async || app.owner().read(id(&call)).await, |call| call["waiters"] == 0).await;
    assert!(read["delivered_at"].is_string(), "{read}");
}

#[tokio::test]
async fn an_ask_that_waits_is_answered_in_the_same_request() {
    let app = TestApp::start().await;
    let agent = app.agent();
    let ask = tokio::spawn(async move {
        agent.post("/v1/calls?wait=25", &json!({ "key": "k", "questions": [{ "question": "Why?" }] })).await
    });
    let list =
        eventually(async || app.owner().get("/v1/calls?key=k").await.json(), |list| list["calls"][0].is_object());
    let call = list.await["calls"][0].clone();
    let answer = json!({ "answers": [{ "id": "q1", "custom": "Because.\n" }] });
    app.owner().post(&format!("/v1/calls/{}/answer", id(&call)), &answer).await.expect(200);
    let got = ask.await.unwrap().expect(201);
    assert_eq!(got["outcome"]["answers"][0]["custom"], "Because.\n");
}

#[tokio::test]
async fn a_wait_ends_with_pending_when_its_time_is_over() {
    let app = TestApp::start().await;
    let call = app.agent().ask(json!({})).await;
    let read = app.agent().get(&format!("/v1/calls/{}?wait=1", id(&call))).await.expect(200);
    assert_eq!(read["status"], "pending");
    assert_eq!(app.running().broker.load(), (0, 0));
}

#[tokio::test]
async fn the_same_key_with_the_same_ask_is_the_same_call_in_every_state() {
    let app = TestApp::start().await;
    let ask = |host: &str| json!({ "key": "toolu_1", "agent": { "session": "s", "host": host }, "title": "T" });
    let first = app.agent().ask(ask("a")).await;
    let again = app.agent().ask(ask("another host")).await;
    assert_eq!(id(&first), id(&again));
    app.owner().answer(id(&first), "A").await.expect(200);
    let settled = app.agent().ask(ask("a")).await;
    assert_eq!((id(&settled), settled["status"].as_str()), (id(&first), Some("answered")));
    let other = json!({ "key": "toolu_1", "agent": { "session": "s" }, "questions": [{ "question": "Else?" }] });
    let refused = app.agent().post("/v1/calls", &other).await.expect_problem(409, "key_reused");
    assert_eq!(refused["call"]["id"], first["id"]);
    let list = app.owner().get("/v1/calls").await.expect(200);
    assert_eq!(list["calls"].as_array().map(Vec::len), Some(1), "asking again notifies nobody");
}

#[tokio::test]
async fn keys_of_another_session_or_agent_are_other_keys() {
    let app = TestApp::start().await;
    let other = app.another_agent("other").await;
    let calls = [
        app.agent().ask(json!({ "key": "call_0", "agent": { "session": "a" } })).await,
        app.agent().ask(json!({ "key": "call_0", "agent": { "session": "b" } })).await,
        app.agent().ask(json!({ "key": "call_0" })).await,
        other.ask(json!({ "key": "call_0" })).await,
    ];
    let mut ids: Vec<_> = calls.iter().map(id).collect();
    ids.dedup();
    assert_eq!(ids.len(), 4);
}

#[tokio::test]
async fn a_key_names_nothing_more_a_day_after_its_call_was_settled() {
    let app = TestApp::start().await;
    let call = app.agent().ask(json!({ "key": "k" })).await;
    app.clock.advance(100 * 3600);
    assert_eq!(id(&app.agent().ask(json!({ "key": "k" })).await), id(&call), "pending calls keep their key");
    app.owner().answer(id(&call), "A").await.expect(200);
    app.clock.advance(24 * 3600 - 1);
    assert_eq!(id(&app.agent().ask(json!({ "key": "k" })).await), id(&call));
    app.clock.advance(2);
    let ask =
        json!({ "key": "k", "questions": [{ "question": "Which?", "options": [{ "label": "A" }, { "label": "B" }] }] });
    app.agent().post("/v1/calls", &ask).await.expect_problem(409, "key_reused");
}

#[tokio::test]
async fn the_first_answer_wins_and_the_second_is_kept_as_late() {
    let app = TestApp::start().await;
    let ana = app.responder("ana").await;
    let call = app.agent().ask(json!({})).await;
    app.owner().answer(id(&call), "A").await.expect(200);
    let lost = ana.answer(id(&call), "B").await.expect_problem(409, "already_settled");
    assert_eq!(lost["call"]["outcome"]["answers"][0]["selected"][0]["label"], "A");
    let read = app.agent().read(id(&call)).await;
    assert_eq!(read["late_answers_total"], 1);
    assert_eq!(read["late_answers"][0]["by"]["name"], "ana");
    assert_eq!(read["late_answers"][0]["outcome"]["answers"][0]["selected"][0]["label"], "B");
    assert_eq!(read["outcome"]["by"]["name"], "owner");
}

#[tokio::test]
async fn an_answer_with_the_same_id_and_body_is_the_same_answer() {
    let app = TestApp::start().await;
    let call = app.agent().ask(json!({})).await;
    let path = format!("/v1/calls/{}/answer", id(&call));
    let body = |label: &str, answer_id: &str| json!({ "answers": [{ "id": "q1", "selected": [label] }], "answer_id": answer_id });
    let first = app.owner().post(&path, &body("A", "x")).await.expect(200);
    let again = app.owner().post(&path, &body("A", "x")).await.expect(200);
    assert_eq!(first["outcome"], again["outcome"]);
    app.owner().post(&path, &body("B", "x")).await.expect_problem(409, "answer_id_reused");
    let ana = app.responder("ana").await;
    ana.post(&path, &body("B", "x")).await.expect_problem(409, "already_settled");
    ana.post(&path, &body("B", "x")).await.expect_problem(409, "already_settled");
    let read = app.agent().read(id(&call)).await;
    assert_eq!(read["late_answers_total"], 1, "a late answer that is repeated is one late answer");
}

#[tokio::test]
async fn answering_declining_expiring_and_cancelling_are_four_different_ends() {
    let app = TestApp::start().await;
    let mut calls = Vec::new();
    for _ in 0..4 {
        calls.push(app.agent().ask(json!({ "timeout_seconds": 60, "agent": { "session": "one" } })).await);
    }
    app.owner().post(&format!("/v1/calls/{}/answer", id(&calls[0])), &json!({ "answers": [] })).await.expect(200);
    app.owner().post(&format!("/v1/calls/{}/decline", id(&calls[1])), &json!({ "reason": "no" })).await.expect(200);
    app.agent().post(&format!("/v1/calls/{}/cancel", id(&calls[2])), &json!({ "reason": "done" })).await.expect(200);
    app.clock.advance(61);
    let mut ends = Vec::new();
    for call in &calls {
        let outcome = app.agent().read(id(call)).await["outcome"].clone();
        ends.push(format!("{} {} {}", outcome["status"], outcome["provenance"], outcome["text"]));
    }
    assert_eq!(
        ends,
        [
            "\"answered\" \"human\" \"owner answered.\\n\\nQuestion: Which?\\nAnswer: (skipped)\"",
            "\"declined\" \"human\" \"owner declined to answer.\\nReason: no\"",
            "\"cancelled\" \"agent\" \"The question was withdrawn.\\nReason: done\"",
            "\"expired\" \"clock\" \"Nobody answered in time. There is no answer.\"",
        ]
    );
}

#[tokio::test]
async fn nobody_reads_pending_or_answers_after_the_deadline() {
    let app = TestApp::start().await;
    let call = app.agent().ask(json!({ "timeout_seconds": 10 })).await;
    app.clock.advance(10);
    app.owner().answer(id(&call), "A").await.expect_problem(409, "already_settled");
    let read = app.agent().read(id(&call)).await;
    assert_eq!(read["status"], "expired");
    assert_eq!(read["outcome"]["at"], read["expires_at"], "whoever finds it, the time is the deadline");
    assert_eq!(read["late_answers_total"], 1);
}

#[tokio::test]
async fn a_wait_ends_at_the_deadline_without_anybody_looking() {
    let app = TestApp::start().await;
    let call = app.agent().ask(json!({ "timeout_seconds": 3600 })).await;
    let path = format!("/v1/calls/{}?wait=50", id(&call));
    let agent = app.agent();
    let wait = tokio::spawn(async move { agent.get(&path).await.expect(200) });
    eventually(async || app.owner().read(id(&call)).await, |call| call["waiters"] == 1).await;
    app.clock.advance(3601);
    assert_eq!(wait.await.unwrap()["status"], "expired");
}

#[tokio::test]
async fn a_declared_default_comes_with_the_expiry_and_says_that_it_is_one() {
    let app = TestApp::start().await;
    let default = json!({ "timeout_seconds": 5, "on_timeout": { "answers": [{ "id": "q1", "selected": ["B"] }] } });
    let call = app.agent().ask(default).await;
    app.clock.advance(6);
    app.sweep().await;
    let outcome = app.agent().read(id(&call)).await["outcome"].clone();
    assert_eq!((outcome["status"].as_str(), outcome["provenance"].as_str()), (Some("expired"), Some("default")));
    assert_eq!(outcome["answers"][0]["selected"][0]["label"], "B");
    assert!(outcome["by"].is_null());
    assert!(outcome["text"].as_str().unwrap().contains("no person gave them"), "{outcome}");
}

#[tokio::test]
async fn an_ask_that_wants_somebody_there_comes_back_when_nobody_is() {
    let app = TestApp::start().await;
    let call = app.agent().ask(json!({ "on_unattended": "return" })).await;
    assert_eq!((call["status"].as_str(), call["outcome"]["reason"].as_str()), (Some("expired"), Some("unattended")));
    let page = app.page().await;
    let feed = page.request(reqwest::Method::GET, "/v1/events", None, "").await;
    assert_eq!(feed.status(), 200);
    let call = app.agent().ask(json!({ "on_unattended": "return" })).await;
    assert_eq!(call["status"], "pending", "an open page can be reached");
    drop(feed);
    eventually(
        async || app.agent().ask(json!({ "on_unattended": "return" })).await,
        |call| call["outcome"]["reason"] == "unattended",
    )
    .await;
}

#[tokio::test]
async fn extending_moves_the_deadline_later_and_never_earlier() {
    let app = TestApp::start().await;
    let call = app.agent().ask(json!({ "timeout_seconds": 100 })).await;
    let path = format!("/v1/calls/{}/extend", id(&call));
    let later = app.owner().post(&path, &json!({ "seconds": 200 })).await.expect(200);
    assert!(later["expires_at"].as_str() > call["expires_at"].as_str());
    assert_eq!(later["rev"], 2);
    let same = app.owner().post(&path, &json!({ "seconds": 1 })).await.expect(200);
    assert_eq!((&same["expires_at"], &same["rev"]), (&later["expires_at"], &json!(2)));
    let hard = app.agent().ask(json!({ "timeout_seconds": 100, "hard_deadline": true })).await;
    let path = format!("/v1/calls/{}/extend", id(&hard));
    app.owner().post(&path, &json!({ "seconds": 200 })).await.expect_problem(409, "hard_deadline");
    let endless = app.agent().ask(json!({})).await;
    let path = format!("/v1/calls/{}/extend", id(&endless));
    let refused = app.owner().post(&path, &json!({ "seconds": 200 })).await.expect_problem(422, "no_deadline");
    assert_eq!(refused["errors"][0]["pointer"], "/seconds");
}

#[tokio::test]
async fn a_stale_revision_is_refused_with_the_call_as_it_is() {
    let app = TestApp::start().await;
    let call = app.agent().ask(json!({ "timeout_seconds": 100 })).await;
    app.owner().post(&format!("/v1/calls/{}/extend", id(&call)), &json!({ "seconds": 200 })).await.expect(200);
    let stale = json!({ "answers": [{ "id": "q1", "selected": ["A"] }], "rev": 1 });
    let path = format!("/v1/calls/{}/answer", id(&call));
    let refused = app.owner().post(&path, &stale).await.expect_problem(409, "rev_mismatch");
    assert_eq!((&refused["call"]["rev"], &refused["call"]["status"]), (&json!(2), &json!("pending")));
    let fresh = json!({ "answers": [{ "id": "q1", "selected": ["A"] }], "rev": 2 });
    app.owner().post(&path, &fresh).await.expect(200);
}

#[tokio::test]
async fn an_acknowledgement_is_the_askers_and_may_be_repeated() {
    let app = TestApp::start().await;
    let call = app.agent().ask(json!({})).await;
    let path = format!("/v1/calls/{}/ack", id(&call));
    app.agent().post(&path, &json!({})).await.expect_problem(409, "not_settled");
    app.owner().answer(id(&call), "A").await.expect(200);
    app.owner().post(&path, &json!({})).await.expect_problem(403, "forbidden");
    let acked = app.agent().post(&path, &json!({})).await.expect(200);
    assert!(acked["acked_at"].is_string() && acked["delivered_at"].is_string());
    app.clock.advance(5);
    let again = app.agent().post(&path, &json!({})).await.expect(200);
    assert_eq!(again["acked_at"], acked["acked_at"]);
}

#[tokio::test]
async fn waiting_for_several_calls_returns_at_the_first_that_is_settled() {
    let app = TestApp::start().await;
    let other = app.another_agent("other").await;
    let foreign = other.ask(json!({})).await;
    let calls = [app.agent().ask(json!({})).await, app.agent().ask(json!({})).await];
    let ids = json!([id(&calls[0]), id(&calls[1]), id(&foreign), "../x"]);
    let agent = app.agent();
    let wait =
        tokio::spawn(async move { agent.post("/v1/wait", &json!({ "ids": ids, "wait": 25 })).await.expect(200) });
    eventually(async || app.owner().read(id(&calls[1])).await, |call| call["waiters"] == 1).await;
    app.owner().answer(id(&calls[1]), "A").await.expect(200);
    let got = wait.await.unwrap();
    assert_eq!(got["settled"][0]["id"], calls[1]["id"]);
    assert_eq!(got["pending"], json!([calls[0]["id"]]));
    let mut unknown: Vec<_> = got["unknown"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    unknown.sort_unstable();
    assert_eq!(unknown, ["../x", id(&foreign)]);
    eventually(async || app.running().broker.load().0, |waiters| *waiters == 0).await;
}

#[tokio::test]
async fn erasing_takes_the_content_and_leaves_the_trail() {
    let app = TestApp::start().await;
    let call = app.agent().ask(json!({ "key": "k" })).await;
    let path = format!("/v1/calls/{}", id(&call));
    app.owner().delete(&path).await.expect_problem(409, "not_settled");
    app.owner().answer(id(&call), "A").await.expect(200);
    app.agent().delete(&path).await.expect_problem(403, "forbidden");
    assert_eq!(app.owner().delete(&path).await.status, 204);
    app.owner().get(&path).await.expect_problem(404, "not_found");
    app.agent().get(&path).await.expect_problem(404, "not_found");
    let sync = app.owner().get("/v1/sync").await.expect(200);
    let kinds: Vec<_> = sync["events"].as_array().unwrap().iter().filter_map(|event| event["type"].as_str()).collect();
    assert_eq!(kinds, ["call.asked", "call.settled", "call.erased"]);
}

#[tokio::test]
async fn plain_text_is_the_model_facing_text_alone() {
    let app = TestApp::start().await;
    let call = app.agent().ask(json!({})).await;
    let shell = app.agent().header("accept", "text/plain".to_owned());
    let path = format!("/v1/calls/{}", id(&call));
    let pending = shell.get(&path).await;
    assert_eq!(
        (pending.text.as_str(), &pending.headers["askhub-status"]),
        ("Nobody has answered yet.", &"pending".parse().unwrap())
    );
    app.owner().answer(id(&call), "A").await.expect(200);
    let answered = shell.get(&path).await;
    assert_eq!(answered.text, "owner answered.\n\nQuestion: Which?\nAnswer: A");
    assert_eq!(answered.headers["askhub-status"], "answered");
}

#[tokio::test]
async fn the_outcome_has_the_same_bytes_by_every_way() {
    let app = TestApp::start().await;
    let call = app.agent().ask(json!({ "key": "k" })).await;
    app.owner().answer(id(&call), "A").await.expect(200);
    let outcome = |text: &str| {
        let start = text.find("\"outcome\":{").expect("there is an outcome");
        text[start..text.find(",\"late_answers\"").expect("late answers follow")].to_owned()
    };
    let read = outcome(&app.agent().get(&format!("/v1/calls/{}", id(&call))).await.text);
    let waited = outcome(&app.agent().post("/v1/wait", &json!({ "ids": [id(&call)], "wait": 0 })).await.text);
    let listed = outcome(&app.owner().get("/v1/calls").await.text);
    assert_eq!((&read, &read), (&waited, &listed));
}

#[tokio::test]
async fn a_client_that_goes_away_cancels_nothing() {
    let app = TestApp::start().await;
    let call = app.agent().ask(json!({})).await;
    let agent = app.agent();
    let path = format!("/v1/calls/{}?wait=50", id(&call));
    let wait = tokio::spawn(async move { agent.get(&path).await });
    eventually(async || app.owner().read(id(&call)).await, |call| call["waiters"] == 1).await;
    wait.abort();
    eventually(async || app.owner().read(id(&call)).await, |call| call["waiters"] == 0).await;
    assert_eq!(app.agent().read(id(&call)).await["status"], "pending");
}

#[tokio::test]
async fn stopping_ends_waits_with_pending_and_settles_nothing() {
    let app = TestApp::start().await;
    let call = app.agent().ask(json!({})).await;
    let agent = app.agent();
    let path = format!("/v1/calls/{}?wait=50", id(&call));
    let wait = tokio::spawn(async move { agent.get(&path).await.expect(200) });
    eventually(async || app.owner().read(id(&call)).await, |call| call["waiters"] == 1).await;
    tokio::time::timeout(Duration::from_secs(10), app.stop()).await.expect("a stop takes at most ten seconds");
    assert_eq!(wait.await.unwrap()["status"], "pending");
}

#[tokio::test]
async fn a_stop_takes_at_most_ten_seconds_with_any_number_of_waiters() {
    let app = TestApp::start().await;
    let mut waits = Vec::new();
    for _ in 0..20 {
        let call = app.agent().ask(json!({})).await;
        for _ in 0..50 {
            let (agent, path) = (app.agent(), format!("/v1/calls/{}?wait=50", id(&call)));
            waits.push(tokio::spawn(async move { agent.get(&path).await.expect(200)["status"].clone() }));
        }
    }
    let mut feeds = Vec::new();
    for _ in 0..20 {
        feeds.push(crate::support::sse::Sse::open(&app.owner(), None).await);
    }
    eventually(async || app.running().broker.load(), |load| *load == (1000, 20)).await;
    tokio::time::timeout(Duration::from_secs(10), app.stop()).await.expect("a stop takes at most ten seconds");
    for wait in waits {
        assert_eq!(wait.await.unwrap(), "pending", "each wait has a well-formed end");
    }
    for mut feed in feeds {
        while feed.next().await.is_some() {}
    }
}
