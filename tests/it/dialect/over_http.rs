//! The golden vectors through the routes, on both databases: what an agent would see that speaks the tool over HTTP.

use askhub::domain::GivenAnswer;
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};

use super::cases::{Case, Ending};
use super::pure::same;
use super::vectors::{Told, Vectors, over_http};
use crate::support::app::{Client, Reply, Setting, TestApp, id, merge};
use crate::support::postgres;

/// How many cases run at a time.
const AT_A_TIME: usize = 16;

#[tokio::test]
async fn every_dialect_says_over_http_on_sqlite_what_the_original_says() {
    let directory = tempfile::tempdir().expect("there is room");
    every_case_over(format!("sqlite:{}", directory.path().join("askhub.db").display())).await;
}

#[tokio::test]
async fn every_dialect_says_over_http_on_postgres_what_the_original_says() {
    if let Some(url) = postgres::database().await {
        every_case_over(url).await;
    }
}

async fn every_case_over(database_url: String) {
    let app = TestApp::with(Setting { database_url: Some(database_url), ..Setting::default() }).await;
    // Those that move the clock run last, one after the other: no other call waits then.
    let (moving, still): (Vec<_>, Vec<_>) =
        over_http().into_iter().partition(|(vectors, case)| matches!(vectors.ending(case), Ending::Expired { .. }));
    let run = |(vectors, case): (&'static dyn Vectors, Case)| {
        let app = &app;
        async move { through(app, vectors, &case).await.map_err(|why| format!("{} {}: {why}", vectors.file(), case.name)) }
    };
    let mut done: Vec<Result<(), String>> = stream::iter(still).map(&run).buffer_unordered(AT_A_TIME).collect().await;
    for case in moving {
        done.push(run(case).await);
    }
    let failures: Vec<&String> = done.iter().filter_map(|result| result.as_ref().err()).collect();
    println!("{} cases over HTTP", done.len());
    assert!(failures.is_empty(), "{} of {} cases fail: {failures:#?}", failures.len(), done.len());
}

/// Asks, ends the call as the case says, and reads the tool's result.
async fn through(app: &TestApp, vectors: &dyn Vectors, case: &Case) -> Result<(), String> {
    let path = format!("/v1/dialects/{}/calls", vectors.dialect());
    let (asked, ending) = (ask(app, &path, vectors, case).await, vectors.ending(case));
    if case.is_rejected() {
        let problem = asked.expect_problem(422, "tool_refused");
        if let Some(code) = case.text("error_code") {
            same("error_code", &problem["tool_error_code"], &Value::from(code))?;
        }
        return same_told(vectors, case, &problem);
    }
    let is_new = asked.status == 201;
    let asked = asked.expect(if is_new { 201 } else { 200 });
    if !is_new {
        same("call", &asked["call"], &Value::Null)?;
    }
    if !is_new || matches!(ending, Ending::Pending) {
        return same_told(vectors, case, &asked);
    }
    let call = id(&asked["call"]);
    end(app, call, ending).await;
    same_told(vectors, case, &app.agent().get(&format!("{path}/{call}?wait=5")).await.expect(200))
}

/// Asks with the arguments as JSON, byte for byte; as a text where the case has one.
async fn ask(app: &TestApp, path: &str, vectors: &dyn Vectors, case: &Case) -> Reply {
    let context: Value = serde_json::from_str(&vectors.context(case).to_text()).expect("a context is JSON");
    let mut body = json!({ "context": context });
    match vectors.ending(case) {
        Ending::Expired { declared } => merge(&mut body, deadline(&declared)),
        Ending::Unattended { declared } => {
            merge(&mut body, deadline(&declared));
            merge(&mut body, json!({ "on_unattended": "return" }));
        }
        _ => {}
    }
    let arguments = match case.text("raw_arguments") {
        Some(raw) => format!("\"raw_arguments\":{}", Value::from(raw)),
        None => format!("\"arguments\":{}", case.arguments()),
    };
    let rest = body.to_string();
    app.agent().post_text(path, &format!("{{{arguments},{}", &rest[1..])).await
}

fn deadline(declared: &[GivenAnswer]) -> Value {
    json!({ "timeout_seconds": 60, "on_timeout": { "answers": declared } })
}

async fn end(app: &TestApp, call: &str, ending: Ending) {
    let verb = async |by: Client, verb: &str, body: String| {
        let ended = by.post_text(&format!("/v1/calls/{call}/{verb}"), &body).await;
        assert_eq!(ended.status, 200, "{verb} {body}: {}", ended.text);
    };
    match ending {
        Ending::Answers { answers, reply } => {
            verb(app.owner(), "answer", format!("{{\"answers\":{},\"reply\":{}}}", text(&answers), json!(reply))).await;
        }
        Ending::Declined { clarify, reason, reply, answers } => {
            let words = json!({ "clarify": clarify, "reason": reason, "reply": reply }).to_string();
            verb(app.owner(), "decline", format!("{{\"answers\":{},{}", text(&answers), &words[1..])).await;
        }
        Ending::Cancelled => verb(app.agent(), "cancel", "{}".to_owned()).await,
        Ending::Expired { .. } => app.clock.advance(61),
        Ending::Unattended { .. } | Ending::Pending => {}
        Ending::Own => panic!("the call {call} cannot end over HTTP"),
    }
}

/// The answers as JSON text: a value keeps its digits and its order.
fn text(answers: &[GivenAnswer]) -> String {
    serde_json::to_string(answers).expect("answers are JSON")
}

fn same_told(vectors: &dyn Vectors, case: &Case, reply: &Value) -> Result<(), String> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let found = Told {
        result: text(&reply["tool_result"]["text"]),
        is_error: reply["tool_result"]["is_error"].as_bool().unwrap_or(false),
        user_message: Some(text(&reply["user_message"])),
        ends_run: Some(reply["ends_run"].as_bool().unwrap_or(false)),
    };
    let deadline = text(&reply["call"]["expires_at"]).unwrap_or_default();
    same("told", &found, &vectors.told(case).matching(&found, &deadline))
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

#[tokio::test]
async fn what_exceeds_a_limit_is_a_fault_of_the_arguments() {
    let app = TestApp::start().await;
    let long = "x".repeat((256 << 10) + 1);
    let options: Vec<String> = (0..1001).map(|number| number.to_string()).collect();
    for (arguments, detail) in [
        (json!({ "questions": vec!["Why?"; 201] }), "a call has at most 200 questions"),
        (json!({ "questions": ["Why?", { "q": "Which?", "options": options }] }), "question 2: a question has at most"),
        (json!({ "questions": [long] }), "question 1: a text has at most 262144 bytes"),
        (json!({ "questions": [{ "q": "Which?", "options": [long] }] }), "question 1: a text has at most"),
        (json!({ "questions": ["Why?"], "header": long }), "a title has at most 262144 bytes"),
    ] {
        let reply = app.agent().post("/v1/dialects/zero/calls", &json!({ "arguments": arguments })).await;
        let problem = reply.expect_problem(422, "invalid");
        assert_eq!(problem["errors"][0]["pointer"], "/arguments");
        let found = problem["errors"][0]["detail"].as_str().expect("it has words");
        assert!(found.starts_with(detail), "{found}");
    }
}
