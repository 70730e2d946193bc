//! Through a real reverse proxy, under a path: whether the proxy takes the path off or not.

use serde_json::json;

use crate::support::app::{Setting, TestApp, eventually, id};
use crate::support::nginx::{Nginx, free_port};
use crate::support::socket::Socket;
use crate::support::sse::Sse;

/// A service whose public URL is that of a proxy, and the proxy.
async fn behind(strips: bool) -> Option<(TestApp, Nginx)> {
    let port = free_port();
    let setting = Setting { public_url: Some(format!("http://127.0.0.1:{port}/ask")), ..Setting::default() };
    let app = TestApp::with(setting).await;
    let nginx = Nginx::start(port, app.address, strips).await?;
    Some((app, nginx))
}

#[tokio::test]
async fn a_question_is_asked_and_answered_through_a_proxy() {
    for strips in [false, true] {
        let Some((app, nginx)) = behind(strips).await else { return };
        let (agent, owner) = (app.agent().through(nginx.address), app.owner().through(nginx.address));
        let mut feed = Sse::open_at(&owner, "/ask/v1/events", None).await;
        assert_eq!(feed.next().await.unwrap().name, "ready", "the stream is not held back");
        let body = json!({ "questions": [{ "question": "Which?", "options": [{ "label": "A" }] }] });
        let call = agent.post("/ask/v1/calls", &body).await.expect(201);
        assert!(call["url"].as_str().unwrap().starts_with(&format!("http://{}/ask/a/", nginx.address)));
        assert_eq!(feed.next().await.unwrap().data["call_id"], call["id"]);
        let path = format!("/ask/v1/calls/{}", id(&call));
        let wait = {
            let (agent, path) = (agent.clone(), format!("{path}?wait=50"));
            tokio::spawn(async move { agent.get(&path).await.expect(200) })
        };
        eventually(async || app.owner().read(id(&call)).await, |call| call["waiters"] == 1).await;
        let answer = json!({ "answers": [{ "id": "q1", "selected": ["A"] }] });
        owner.post(&format!("{path}/answer"), &answer).await.expect(200);
        assert_eq!(wait.await.unwrap()["status"], "answered");
    }
}

#[tokio::test]
async fn a_socket_is_opened_through_a_proxy() {
    for strips in [false, true] {
        let Some((app, nginx)) = behind(strips).await else { return };
        let bearer = ("authorization", format!("Bearer {}", app.agent_token()));
        let mut socket = Socket::open(&format!("ws://{}/ask/v1/ws", nginx.address), &[bearer]).await;
        let params = json!({ "questions": [{ "question": "Why?" }] });
        assert!(socket.call("ask", params).await["result"]["id"].is_string());
    }
}

#[tokio::test]
async fn a_browser_signs_in_through_a_proxy_and_stays_under_its_path() {
    for strips in [false, true] {
        let Some((app, nginx)) = behind(strips).await else { return };
        let link = app.owner().post("/v1/sign-in-links", &json!({})).await.expect(201);
        let url = link["url"].as_str().unwrap();
        let code = url.rsplit_once("code=").unwrap().1;
        assert!(url.starts_with(&format!("http://{}/ask/sign-in", nginx.address)), "{url}");
        let page = app.nobody().through(nginx.address).header("origin", format!("http://{}", nginx.address));
        assert_eq!(page.get(&format!("/ask/sign-in?code={code}")).await.status, 200);
        let signed_in = page.send_form("/ask/sign-in", &[("code", code)]).await;
        assert_eq!(signed_in.status, 303, "{}", signed_in.text);
        assert_eq!(signed_in.headers["location"], "/ask/");
        let cookie = signed_in.headers["set-cookie"].to_str().unwrap().to_owned();
        assert!(cookie.contains("Path=/ask"), "{cookie}");
        let browser = page.header("cookie", cookie.split(';').next().unwrap().to_owned());
        browser.get("/ask/v1/me").await.expect(200);
    }
}
