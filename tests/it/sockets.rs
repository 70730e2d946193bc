//! The WebSocket: the same rules as over HTTP, many calls at once, and a clean end.

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::protocol::Message;

use crate::support::app::{TestApp, eventually, id};
use crate::support::socket::Socket;

fn url(app: &TestApp) -> String {
    format!("ws://{}/v1/ws", app.address)
}

fn which() -> Value {
    json!({ "questions": [{ "question": "Which?", "options": [{ "label": "A" }, { "label": "B" }] }] })
}

fn with(mut body: Value, more: Value) -> Value {
    crate::support::app::merge(&mut body, more);
    body
}

#[tokio::test]
async fn an_ask_on_a_socket_is_answered_on_it() {
    let app = TestApp::start().await;
    let mut socket = Socket::of(&app, app.agent_token()).await;
    socket
        .send(&json!({ "jsonrpc": "2.0", "id": 1, "method": "ask", "params": with(which(), json!({ "wait": true })) }))
        .await;
    let list =
        eventually(async || app.owner().get("/v1/calls").await.json(), |list| list["calls"][0].is_object()).await;
    let call = id(&list["calls"][0]).to_owned();
    let mut person = Socket::of(&app, app.owner_token()).await;
    let answer = json!({ "id": call, "answers": [{ "id": "q1", "selected": ["B"] }] });
    let won = person.call("answer", answer).await;
    assert_eq!(won["result"]["outcome"]["by"]["via"], "ws");
    let got = socket.until(|frame| frame["id"] == 1).await;
    assert_eq!(got["result"]["outcome"], won["result"]["outcome"]);
    let acked = socket.call("ack", json!({ "id": call })).await;
    assert!(acked["result"]["acked_at"].is_string(), "{acked}");
}

#[tokio::test]
async fn replies_come_in_any_order_and_each_to_its_request() {
    let app = TestApp::start().await;
    let mut socket = Socket::of(&app, app.agent_token()).await;
    let mut calls = Vec::new();
    for number in 0..20 {
        let call = app.agent().ask(json!({ "title": format!("{number}") })).await;
        socket.send(&json!({ "jsonrpc": "2.0", "id": number, "method": "wait", "params": { "id": id(&call) } })).await;
        calls.push(call);
    }
    eventually(async || app.running().broker.load().0, |waiters| *waiters == 20).await;
    for call in calls.iter().rev() {
        app.owner().answer(id(call), "A").await.expect(200);
    }
    for _ in 0..20 {
        let frame = socket.next().await.unwrap();
        let number = usize::try_from(frame["id"].as_u64().unwrap()).unwrap();
        assert_eq!(frame["result"]["id"], calls[number]["id"]);
    }
}

#[tokio::test]
async fn the_first_frame_may_bring_the_credential() {
    let app = TestApp::start().await;
    let mut socket = Socket::open(&url(&app), &[]).await;
    let welcome = socket.call("auth", json!({ "token": app.agent_token() })).await;
    assert_eq!(welcome["result"]["name"], "agent");
    assert!(socket.call("ask", which()).await["result"]["id"].is_string());
    for first in [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "auth", "params": { "token": "x" } }),
        json!({ "jsonrpc": "2.0", "id": 1, "method": "ask", "params": which() }),
    ] {
        let mut socket = Socket::open(&url(&app), &[]).await;
        socket.send(&first).await;
        assert_eq!(socket.next().await, Err(1008));
    }
}

#[tokio::test]
async fn a_subscription_tells_what_happens_and_goes_on_from_a_cursor() {
    let app = TestApp::start().await;
    let mut socket = Socket::of(&app, app.owner_token()).await;
    let start = socket.call("subscribe", json!({})).await["result"].clone();
    assert_eq!(start["reset"], false);
    let call = app.agent().ask(json!({})).await;
    let event = socket.until(|frame| frame["method"] == "event").await;
    assert_eq!((event["params"]["type"].as_str(), &event["params"]["call_id"]), (Some("call.asked"), &call["id"]));
    drop(socket);
    app.owner().answer(id(&call), "A").await.expect(200);
    let mut again = Socket::of(&app, app.owner_token()).await;
    let went_on = again.call("subscribe", json!({ "after": event["params"]["cursor"] })).await;
    assert_eq!(went_on["result"]["reset"], false);
    let event = again.until(|frame| frame["method"] == "event").await;
    assert_eq!(event["params"]["type"], "call.settled");
    let reset = again.call("subscribe", json!({ "after": "x-1" })).await;
    assert_eq!(reset["result"]["reset"], true);
}

#[tokio::test]
async fn a_call_asked_with_notify_is_told_when_it_is_settled() {
    let app = TestApp::start().await;
    let mut socket = Socket::of(&app, app.agent_token()).await;
    let call = socket.call("ask", with(which(), json!({ "notify": true }))).await["result"].clone();
    app.owner().answer(id(&call), "A").await.expect(200);
    let told = socket.until(|frame| frame["method"] == "settled").await;
    assert_eq!((&told["params"]["id"], told["params"]["status"].as_str()), (&call["id"], Some("answered")));
}

#[tokio::test]
async fn refusals_carry_the_problem_that_the_route_would_reply() {
    let app = TestApp::start().await;
    let call = app.agent().ask(json!({ "key": "k" })).await;
    let mut socket = Socket::of(&app, app.agent_token()).await;
    let answer = json!({ "id": id(&call), "answers": [{ "id": "q1", "selected": ["A"] }] });
    let refused = socket.call("answer", answer).await["error"].clone();
    assert_eq!((refused["code"].as_i64(), refused["data"]["code"].as_str()), (Some(-32000), Some("forbidden")));
    let faulty = socket.call("ask", json!({ "questions": [] })).await["error"].clone();
    assert_eq!(
        (faulty["code"].as_i64(), faulty["data"]["errors"][0]["pointer"].as_str()),
        (Some(-32602), Some("/questions"))
    );
    let reused =
        socket.call("ask", json!({ "key": "k", "questions": [{ "question": "Else?" }] })).await["error"].clone();
    assert_eq!((reused["data"]["code"].as_str(), &reused["data"]["call"]["id"]), (Some("key_reused"), &call["id"]));
    assert_eq!(socket.call("hold", json!({})).await["error"]["code"], -32601);
    assert_eq!(socket.call("wait", json!({ "id": "../x" })).await["error"]["data"]["code"], "not_found");
    socket.send(&json!([])).await;
    assert_eq!(socket.next().await.unwrap()["error"]["code"], -32600);
}

#[tokio::test]
async fn the_same_ask_over_http_and_over_a_socket_is_one_call() {
    let app = TestApp::start().await;
    let body = with(which(), json!({ "key": "k" }));
    let call = app.agent().post("/v1/calls", &body).await.expect(201);
    let mut socket = Socket::of(&app, app.agent_token()).await;
    let again = socket.call("ask", with(body, json!({ "wait": false, "notify": false }))).await;
    assert_eq!(again["result"]["id"], call["id"]);
}

#[tokio::test]
async fn too_long_a_message_closes_with_1009_and_binary_with_1003() {
    let app = TestApp::start().await;
    let mut socket = Socket::of(&app, app.agent_token()).await;
    socket.send_raw(Message::text("x".repeat((1 << 20) + 1))).await;
    assert_eq!(socket.next().await, Err(1009));
    let mut socket = Socket::of(&app, app.agent_token()).await;
    socket.send_raw(Message::binary(vec![1])).await;
    assert_eq!(socket.next().await, Err(1003));
}

#[tokio::test]
async fn stopping_closes_sockets_with_1012_and_waits_have_no_false_reply() {
    let app = TestApp::start().await;
    let call = app.agent().ask(json!({})).await;
    let mut socket = Socket::of(&app, app.agent_token()).await;
    socket.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": "wait", "params": { "id": id(&call) } })).await;
    eventually(async || app.running().broker.load().0, |waiters| *waiters == 1).await;
    let (end, ()) = tokio::join!(socket.next(), app.stop());
    assert_eq!(end, Err(1012));
}

#[tokio::test]
async fn a_socket_that_goes_away_leaves_no_waiter_behind() {
    let app = TestApp::start().await;
    let call = app.agent().ask(json!({})).await;
    for _ in 0..20 {
        let mut socket = Socket::of(&app, app.agent_token()).await;
        socket.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": "wait", "params": { "id": id(&call) } })).await;
        socket.send(&json!({ "jsonrpc": "2.0", "id": 2, "method": "subscribe", "params": {} })).await;
    }
    eventually(async || app.running().broker.load(), |load| *load == (0, 0)).await;
    assert_eq!(app.agent().read(id(&call)).await["status"], "pending");
}

#[tokio::test]
async fn a_revoked_token_closes_its_socket() {
    let app = TestApp::start().await;
    let made = app.owner().post("/v1/tokens", &json!({ "name": "short" })).await.expect(201);
    let mut socket = Socket::of(&app, made["token"].as_str().unwrap()).await;
    socket.call("ask", which()).await;
    app.owner().delete(&format!("/v1/tokens/{}", made["id"].as_str().unwrap())).await;
    assert_eq!(socket.next().await, Err(1008));
}
