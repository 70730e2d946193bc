//! The golden vectors through the routes: what an agent would see that speaks the tool over HTTP.

use askhub::domain::GivenAnswer;
use serde_json::{Value, json};

use super::cases::{Case, Ending, cases, over_http};
use crate::support::app::{Client, TestApp};

#[tokio::test]
async fn claude_code_over_http_says_what_the_original_says() {
    let app = TestApp::start().await;
    let all = cases("claude-code");
    let mut failures = Vec::new();
    let mut run = 0;
    for case in all.iter().filter(|case| over_http(case)) {
        run += 1;
        let seen = through(&app, case).await;
        let wanted = (case.result(), case.result_is_error());
        if seen != wanted {
            failures.push(format!("{}: {seen:?} instead of {wanted:?}", case.name));
        }
    }
    println!("claude-code: {run} of {} cases over HTTP", all.len());
    assert!(failures.is_empty(), "{} of {run} cases fail:\n{}", failures.len(), failures.join("\n"));
    assert!(run > 90, "{run} cases go over HTTP");
}

/// Asks, answers or declines as the case says, and reads the tool's result.
async fn through(app: &TestApp, case: &Case) -> (Option<String>, bool) {
    let context: Value = serde_json::from_str(&case.context().to_text()).expect("a context is JSON");
    let body = json!({ "raw_arguments": case.arguments(), "context": context });
    let asked = app.agent().post("/v1/dialects/claude-code/calls", &body).await;
    if case.is_rejected() {
        return result(&asked.expect_problem(422, "tool_refused")["tool_result"]);
    }
    let asked = asked.expect(201);
    assert_eq!(asked["tool_result"], Value::Null, "{}: the tool still waits", case.name);
    let id = asked["call"]["id"].as_str().expect("a call has an id");
    end(&app.owner(), id, case).await;
    let told = app.agent().get(&format!("/v1/dialects/claude-code/calls/{id}?wait=5")).await.expect(200);
    result(&told["tool_result"])
}

async fn end(person: &Client, id: &str, case: &Case) {
    let answers = |given: &[GivenAnswer]| serde_json::to_value(given).expect("answers are JSON");
    let (verb, body) = match case.ending() {
        Some(Ending::Answers(given)) => ("answer", json!({ "answers": answers(&given) })),
        Some(Ending::Declined { clarify, answers: given }) => {
            ("decline", json!({ "clarify": clarify, "answers": answers(&given) }))
        }
        _ => panic!("{} cannot go over HTTP", case.name),
    };
    let ended = person.post(&format!("/v1/calls/{id}/{verb}"), &body).await;
    assert_eq!(ended.status, 200, "{}: {}", case.name, ended.text);
}

fn result(result: &Value) -> (Option<String>, bool) {
    (result["text"].as_str().map(str::to_owned), result["is_error"].as_bool().unwrap_or(false))
}

#[tokio::test]
async fn the_same_tool_call_asked_again_is_the_same_call() {
    let app = TestApp::start().await;
    let arguments = r#"{"questions":[{"question":"Q?","header":"H","options":[{"label":"A","description":"a"},{"label":"B","description":"b"}]}]}"#;
    let path = "/v1/dialects/claude-code/calls";
    let ask =
        |raw: &str, session: &str| json!({ "raw_arguments": raw, "key": "toolu_1", "agent": { "session": session } });
    let first = app.agent().post(path, &ask(arguments, "s")).await.expect(201);
    let again = app.agent().post(path, &ask(arguments, "s")).await.expect(200);
    assert_eq!(first["call"]["id"], again["call"]["id"]);
    assert_eq!(first["call"]["dialect"]["raw"], arguments, "the arguments are kept byte for byte");
    app.agent().post(path, &ask(&format!("{arguments} "), "s")).await.expect_problem(409, "key_reused");
    let other = app.agent().post(path, &ask(arguments, "t")).await.expect(201);
    assert_ne!(first["call"]["id"], other["call"]["id"]);
    let native = app.agent().ask(json!({})).await;
    let id = native["id"].as_str().expect("a call has an id");
    app.agent().get(&format!("{path}/{id}")).await.expect_problem(404, "not_found");
}

#[tokio::test]
async fn a_dialects_requests_are_read_as_strictly_as_others() {
    let app = TestApp::start().await;
    let path = "/v1/dialects/claude-code/calls";
    for (body, pointer) in [
        (json!({}), "/arguments"),
        (json!({ "arguments": {}, "raw_arguments": "{}" }), "/arguments"),
        (json!({ "arguments": {}, "questions": [] }), "/questions"),
        (json!({ "arguments": {}, "context": [] }), "/context"),
        (json!({ "arguments": {}, "context": { "variant": "9" } }), "/context/variant"),
        (json!({ "arguments": {}, "timeout_seconds": 0 }), "/timeout_seconds"),
    ] {
        let reply = app.agent().post(path, &body).await;
        if reply.json()["code"] == "tool_refused" {
            assert_eq!(pointer, "/timeout_seconds", "the tool's own refusal comes first there");
            continue;
        }
        let problem = reply.expect_problem(422, "invalid");
        assert_eq!(problem["errors"][0]["pointer"], pointer, "{body}");
    }
    app.agent().post("/v1/dialects/nobody/calls", &json!({})).await.expect_problem(404, "not_found");
    let tool = app.agent().get("/v1/dialects/claude-code/tool").await.expect(200);
    assert_eq!(tool["anthropic"]["name"], "AskUserQuestion");
    let listed = app.agent().get("/v1/dialects").await.expect(200);
    assert_eq!(listed["dialects"][0]["name"], "claude-code");
}
