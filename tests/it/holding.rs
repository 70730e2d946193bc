//! Taking an answer back, and telling colleagues who is answering, over HTTP.

use serde_json::{Value, json};

use crate::plain::Form;
use crate::support::app::{TestApp, eventually, http_client, id};
use crate::support::program::{self, Program};

fn answer(selected: &str, answer_id: &str, hold_seconds: u64) -> Value {
    json!({
        "answers": [{ "id": "q1", "selected": [selected] }], "answer_id": answer_id, "hold_seconds": hold_seconds,
    })
}

fn path(call: &Value, verb: &str) -> String {
    format!("/v1/calls/{}/{verb}", id(call))
}

#[tokio::test]
async fn a_held_answer_reaches_the_waiting_agent_when_its_window_ends() {
    let app = TestApp::start().await;
    let call = app.agent().ask(json!({})).await;
    let wait = {
        let (agent, path) = (app.agent(), format!("/v1/calls/{}?wait=25", id(&call)));
        tokio::spawn(async move { agent.get(&path).await.expect(200) })
    };
    eventually(async || app.owner().read(id(&call)).await, |call| call["waiters"] == 1).await;
    let held = app.owner().post(&path(&call, "answer"), &answer("A", "a1", 5)).await.expect(202);
    assert_eq!((&held["status"], &held["held"]["answer_id"]), (&json!("pending"), &json!("a1")));
    assert_eq!(held["held"]["by"]["name"], "owner");
    let seen = app.agent().read(id(&call)).await;
    assert_eq!((&seen["outcome"], &seen["held"]["until"]), (&Value::Null, &held["held"]["until"]));
    assert!(!seen["held"].to_string().contains("\"A\""), "what it says is not told: {seen}");
    app.clock.advance(5);
    app.sweep().await;
    let got = wait.await.unwrap();
    assert_eq!((&got["status"], &got["outcome"]["at"]), (&json!("answered"), &held["held"]["until"]));
    assert_eq!(got["outcome"]["answers"][0]["selected"][0]["label"], "A");
}

#[tokio::test]
async fn what_is_taken_back_never_reaches_the_agent() {
    let app = TestApp::start().await;
    let call = app.agent().ask(json!({})).await;
    app.owner().post(&path(&call, "answer"), &answer("A", "a1", 30)).await.expect(202);
    let ana = app.responder("ana").await;
    let lost = ana.post(&path(&call, "answer"), &answer("B", "b1", 0)).await.expect_problem(409, "held");
    assert_eq!(lost["call"]["held"]["by"]["name"], "owner");
    ana.post(&path(&call, "undo"), &json!({ "answer_id": "a1" })).await.expect_problem(409, "held");
    let undone = app.owner().post(&path(&call, "undo"), &json!({ "answer_id": "a1" })).await.expect(200);
    assert_eq!((&undone["held"], &undone["status"]), (&Value::Null, &json!("pending")));
    app.clock.advance(60);
    app.sweep().await;
    assert_eq!(app.agent().read(id(&call)).await["status"], "pending");
    ana.post(&path(&call, "answer"), &answer("B", "b1", 0)).await.expect(200);
    let late = app.owner().post(&path(&call, "undo"), &json!({ "answer_id": "a1" })).await;
    late.expect_problem(409, "already_settled");
}

#[tokio::test]
async fn a_decline_may_be_held_and_taken_back_too() {
    let app = TestApp::start().await;
    let call = app.agent().ask(json!({})).await;
    let decline = json!({ "reason": "no", "clarify": true, "answer_id": "d1", "hold_seconds": 5 });
    app.owner().post(&path(&call, "decline"), &decline).await.expect(202);
    app.owner().post(&path(&call, "undo"), &json!({ "answer_id": "d1" })).await.expect(200);
    app.owner().post(&path(&call, "decline"), &json!({ "hold_seconds": 1, "answer_id": "d2" })).await.expect(202);
    app.clock.advance(1);
    assert_eq!(app.agent().read(id(&call)).await["status"], "declined", "a read settles it, without a sweep");
}

#[tokio::test]
async fn windows_and_claims_have_bounds() {
    let app = TestApp::start().await;
    let call = app.agent().ask(json!({})).await;
    for (verb, body, pointer) in [
        ("answer", answer("A", "a1", 31), "/hold_seconds"),
        ("answer", json!({ "answers": [], "hold_seconds": -1 }), "/hold_seconds"),
        ("answer", json!({ "answers": [], "claim": "1" }), "/claim"),
        ("undo", json!({}), "/answer_id"),
        ("undo", json!({ "answer_id": "" }), "/answer_id"),
        ("claim", json!({ "seconds": 0 }), "/seconds"),
        ("claim", json!({ "seconds": 601 }), "/seconds"),
        ("release", json!({ "x": 1 }), "/x"),
        ("typing", json!({ "seconds": 1 }), "/seconds"),
    ] {
        let refused = app.owner().post(&path(&call, verb), &body).await.expect_problem(422, "invalid");
        assert_eq!(refused["errors"][0]["pointer"], pointer, "{verb} {body}");
    }
    for verb in ["undo", "claim", "release", "typing"] {
        let body = if verb == "undo" { json!({ "answer_id": "a" }) } else { json!({}) };
        app.agent().post(&path(&call, verb), &body).await.expect_problem(403, "forbidden");
        app.another_agent("x").await.post(&path(&call, verb), &body).await.expect_problem(404, "not_found");
    }
    let limits = app.agent().get("/v1/limits").await.expect(200).to_string();
    assert!(limits.contains("hold_seconds_max") && limits.contains("typing_hold_seconds_max"), "{limits}");
}

#[tokio::test]
async fn a_claim_is_shown_to_colleagues_until_its_time_is_over() {
    let app = TestApp::start().await;
    let call = app.agent().ask(json!({})).await;
    let ana = app.responder("ana").await;
    let claim = ana.post(&path(&call, "claim"), &json!({})).await.expect(200)["claim"].clone();
    assert_eq!((&claim["epoch"], &claim["by"]["name"]), (&json!(1), &json!("ana")));
    assert_eq!(app.owner().read(id(&call)).await["claim"], claim);
    let typing = app.owner().post(&path(&call, "typing"), &json!({})).await.expect(200);
    assert_eq!(typing["claim"], claim, "typing takes nothing away");
    let taken = app.owner().post(&path(&call, "claim"), &json!({ "seconds": 30 })).await.expect(200);
    assert_eq!((&taken["claim"]["epoch"], &taken["claim"]["by"]["name"]), (&json!(2), &json!("owner")));
    let mut under = answer("A", "a1", 0);
    under["claim"] = json!(1);
    ana.post(&path(&call, "answer"), &under).await.expect_problem(409, "claim_lost");
    app.clock.advance(30);
    assert_eq!(app.owner().read(id(&call)).await["claim"], Value::Null);
    ana.post(&path(&call, "answer"), &answer("A", "a2", 0)).await.expect(200);
}

#[tokio::test]
async fn the_plain_page_tells_who_is_at_it() {
    let app = TestApp::start().await;
    let call = app.agent().ask(json!({})).await;
    let page = app.page().await;
    let shown = async || page.get(&format!("/plain/a/{}", id(&call))).await.text;
    let ana = app.responder("ana").await;
    ana.post(&path(&call, "claim"), &json!({})).await.expect(200);
    assert!(shown().await.contains("<bdi>ana</bdi> is answering this."));
    app.owner().post(&path(&call, "claim"), &json!({})).await.expect(200);
    assert!(!shown().await.contains("is answering this."), "nobody is told of themselves");
    ana.post(&path(&call, "answer"), &answer("A", "a1", 30)).await.expect(202);
    assert!(shown().await.contains("The answer of <bdi>ana</bdi> is about to be sent"));
    let sent = Form::open(&page, id(&call)).await.check("q.0.selected", "1").press(&page, "answer").await;
    assert_eq!(sent.status, 409, "{}", sent.text);
    assert!(sent.text.contains("Another answer is about to be sent to the agent."), "{}", sent.text);
    assert_eq!(Form::on(&sent, format!("/plain/a/{}", id(&call))).value("q.0.selected"), "1", "what was chosen stays");
}

#[tokio::test]
async fn a_held_answer_outlives_the_hub() {
    let mut program = Program::start().await;
    let asked = program.run(&["ask", "Which?", "--option", "A", "--option", "B", "--no-wait"]).await;
    let call = asked.stdout.trim().to_owned();
    let body = json!({ "answers": [{ "id": "q1", "selected": ["A"] }], "answer_id": "a1", "hold_seconds": 2 });
    let sent =
        http_client().post(format!("{}/v1/calls/{call}/answer", program.url)).bearer_auth(program.file("owner.token"));
    let held = sent.header("Content-Type", "application/json").body(body.to_string()).send().await.unwrap();
    assert_eq!(held.status(), 202);
    program.kill().await;
    program.start_again().await;
    let settled = program::eventually("the window ends", async || {
        let call = program.call(&call).await;
        (call["status"] == "answered").then_some(call)
    })
    .await;
    assert_eq!(settled["outcome"]["answers"][0]["selected"][0]["label"], "A");
    assert_eq!(settled["outcome"]["by"]["name"], "owner");
}
