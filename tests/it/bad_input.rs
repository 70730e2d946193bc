//! Bad input is refused with a code and a pointer, and leaves nothing behind.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::app::{TestApp, id};

/// A body that is refused, the pointer of one of its faults, and the code.
type Bad = (String, &'static str, u16, &'static str);

fn invalid(body: Value, pointer: &'static str) -> Bad {
    (body.to_string(), pointer, 422, "invalid")
}

fn question(question: Value) -> Value {
    json!({ "questions": [question] })
}

fn bad_asks() -> Vec<Bad> {
    [bad_questions(), bad_members(), bad_texts()].concat()
}

const NUL: &str = "a\0b";

fn bad_questions() -> Vec<Bad> {
    let nul = NUL;
    let long = "x".repeat(256 * 1024 + 1);
    vec![
        invalid(json!([]), ""),
        invalid(json!({}), "/questions"),
        invalid(json!({ "questions": [] }), "/questions"),
        invalid(json!({ "questions": null }), "/questions"),
        invalid(json!({ "questions": {} }), "/questions"),
        invalid(json!({ "questions": ["Why?"] }), "/questions/0"),
        invalid(question(json!({})), "/questions/0/question"),
        invalid(question(json!({ "question": " \n" })), "/questions/0/question"),
        invalid(question(json!({ "question": 7 })), "/questions/0/question"),
        invalid(question(json!({ "question": "Q", "wat": 1 })), "/questions/0/wat"),
        invalid(question(json!({ "question": nul })), "/questions/0/question"),
        invalid(question(json!({ "question": long })), "/questions/0/question"),
        invalid(question(json!({ "question": "Q", "options": [] })), "/questions/0/options"),
        invalid(question(json!({ "question": "Q", "options": [{}] })), "/questions/0/options/0/label"),
        invalid(question(json!({ "question": "Q", "options": [{ "label": "" }] })), "/questions/0/options/0/label"),
        invalid(question(json!({ "question": "Q", "options": ["A"] })), "/questions/0/options/0"),
        invalid(
            question(json!({ "question": "Q", "options": [{ "label": "A", "id": "x" }, { "label": "B", "id": "x" }] })),
            "/questions/0/options/1/id",
        ),
        invalid(question(json!({ "question": "Q", "kind": "essay" })), "/questions/0/kind"),
        invalid(
            question(json!({ "question": "Q", "kind": "text", "options": [{ "label": "A" }] })),
            "/questions/0/options",
        ),
        invalid(question(json!({ "question": "Q", "max_length": 0 })), "/questions/0/max_length"),
        invalid(
            question(json!({ "question": "Q", "options": [{ "label": "A" }], "min_selected": 1 })),
            "/questions/0/min_selected",
        ),
        invalid(
            json!({ "questions": [{ "id": "a", "question": "Q" }, { "id": "a", "question": "R" }] }),
            "/questions/1/id",
        ),
        invalid(json!({ "questions": [{ "id": "a", "question": "Q" }, { "question": "R" }] }), "/questions/1/id"),
        invalid(json!({ "questions": vec![json!({ "question": "Q" }); 201] }), "/questions"),
        invalid(
            question(json!({ "question": "Q", "options": vec![json!({ "label": "A" }); 1001] })),
            "/questions/0/options",
        ),
    ]
}

/// A good ask with one member set.
fn around(member: &str, value: Value) -> Value {
    let mut body = question(json!({ "question": "Q" }));
    body[member] = value;
    body
}

fn bad_members() -> Vec<Bad> {
    let nul = NUL;
    let members = [
        ("key", json!(""), "/key"),
        ("key", json!("x".repeat(201)), "/key"),
        ("key", json!("a\r\nb"), "/key"),
        ("key", json!(nul), "/key"),
        ("key", json!(7), "/key"),
        ("unknown", json!(null), "/unknown"),
        ("priority", json!(101), "/priority"),
        ("tags", json!([""]), "/tags/0"),
        ("follows", json!("../x"), "/follows"),
        ("agent", json!({ "nickname": "x" }), "/agent/nickname"),
        ("agent", json!({ "name": "x".repeat(201) }), "/agent/name"),
        ("metadata", json!([]), "/metadata"),
        ("metadata", json!({ "a": [nul] }), "/metadata"),
        ("on_timeout", json!({ "answers": [{ "id": "q1", "custom": "x" }] }), "/on_timeout"),
        ("on_unattended", json!("panic"), "/on_unattended"),
        ("hard_deadline", json!("yes"), "/hard_deadline"),
        ("timeout_seconds", json!(0), "/timeout_seconds"),
        ("timeout_seconds", json!(-1), "/timeout_seconds"),
        ("timeout_seconds", json!(1.5), "/timeout_seconds"),
        ("timeout_seconds", json!("60"), "/timeout_seconds"),
        ("timeout_seconds", json!(366 * 24 * 3600 + 1), "/timeout_seconds"),
        ("timeout_seconds", json!(1u64 << 63), "/timeout_seconds"),
    ];
    members.into_iter().map(|(member, value, pointer)| invalid(around(member, value), pointer)).collect()
}

fn bad_texts() -> Vec<Bad> {
    let raw = |text: &str| text.to_owned();
    let mut bad = vec![
        (raw(r#"{"questions":[{"question":"Q"}],"timeout_seconds":1e3}"#), "/timeout_seconds", 422, "invalid"),
        (raw(r#"{"questions":[{"question":"Q"}],"timeout_seconds":1.0}"#), "/timeout_seconds", 422, "invalid"),
        (
            raw(r#"{"questions":[{"question":"Q"}],"timeout_seconds":9223372036854775808000}"#),
            "/timeout_seconds",
            422,
            "invalid",
        ),
        (raw(r#"{"questions":[{"question":"Q"}],"title":"a","title":"b"}"#), "/title", 422, "invalid"),
        (raw(r#"{"questions":[{"question":"Q","question":"R"}]}"#), "/questions/0/question", 422, "invalid"),
        (raw(r#"{"questions":[{"question":"\ud800"}]}"#), "/questions/0/question", 400, "malformed_json"),
        (raw(r#"{"questions":[{"question":nope}]}"#), "/questions/0/question", 400, "malformed_json"),
        (raw(r#"{"questions":[{"question":"Q"}]"#), "", 400, "malformed_json"),
        (raw(r#"{"questions":[{"question":"Q"}]} x"#), "", 400, "malformed_json"),
        (raw("\u{feff}{}"), "", 400, "malformed_json"),
        (format!("{}{}", "[".repeat(65), "]".repeat(65)), "/0", 400, "too_deep"),
        (format!("\"{}\"", "x".repeat(1024 * 1024 - 1)), "", 413, "body_too_large"),
        (around("callback_url", json!("https://example.com")).to_string(), "/callback_url", 422, "not_supported"),
    ];
    let secret = question(json!({ "question": "Q", "kind": "secret" }));
    bad.push((secret.to_string(), "/questions/0/kind", 422, "not_supported"));
    bad
}

#[tokio::test]
async fn a_bad_ask_is_refused_with_a_pointer_and_stores_nothing() {
    let app = TestApp::start().await;
    for (body, pointer, status, code) in bad_asks() {
        let shown: String = body.chars().take(120).collect();
        let reply = app.agent().post_text("/v1/calls", &body).await;
        assert_eq!(reply.status, status, "{shown}: {}", reply.text);
        let problem = reply.expect_problem(status, code);
        let pointers: Vec<_> =
            problem["errors"].as_array().unwrap().iter().filter_map(|fault| fault["pointer"].as_str()).collect();
        let found = pointers.iter().any(|found| found.starts_with(pointer) && !(pointer.is_empty() && found.len() > 1));
        assert!(found, "{shown}: {pointer} is not among {pointers:?}");
    }
    let list = app.owner().get("/v1/calls").await.expect(200);
    assert_eq!(list["calls"], json!([]));
    assert_eq!(app.owner().get("/v1/sync").await.expect(200)["events"], json!([]));
}

#[tokio::test]
async fn every_fault_of_a_body_is_named_at_once() {
    let app = TestApp::start().await;
    let body = json!({ "key": "", "wat": 1, "questions": [{ "question": 1 }, { "question": "Q", "options": [] }] });
    let problem = app.agent().post("/v1/calls", &body).await.expect_problem(422, "invalid");
    let pointers: Vec<_> =
        problem["errors"].as_array().unwrap().iter().filter_map(|fault| fault["pointer"].as_str()).collect();
    for pointer in ["/questions/0/question", "/wat"] {
        assert!(pointers.contains(&pointer), "{pointers:?}");
    }
}

#[tokio::test]
async fn a_body_of_exactly_one_mebibyte_is_read() {
    let app = TestApp::start().await;
    let frame = json!({ "questions": [{ "question": "Q" }], "metadata": { "x": "" } }).to_string();
    let texts = ["y".repeat((1 << 20) - frame.len())];
    let body = frame.replace("\"x\":\"\"", &format!("\"x\":\"{}\"", texts[0]));
    assert_eq!(body.len(), 1 << 20);
    app.agent().post_text("/v1/calls", &body).await.expect(201);
}

#[tokio::test]
async fn answers_that_do_not_fit_are_refused_and_the_call_stays_pending() {
    let app = TestApp::start().await;
    let ask = json!({ "questions": [
        { "id": "one", "question": "Q", "options": [{ "label": "A" }, { "label": "B" }, { "id": "b2", "label": "B" }], "required": true },
        { "id": "many", "question": "Q", "options": [{ "label": "A" }, { "label": "B" }, { "label": "C" }], "multi_select": true,
          "min_selected": 2, "max_selected": 2, "allow_custom": false },
        { "id": "text", "question": "Q", "max_length": 3 },
        { "id": "sure", "question": "Q", "kind": "confirm" },
    ] });
    let call = app.agent().post("/v1/calls", &ask).await.expect(201);
    let path = format!("/v1/calls/{}/answer", id(&call));
    let one = json!({ "id": "one", "selected": ["A"] });
    let with = |more: Value| json!({ "answers": [one, more] });
    for (body, pointer) in [
        (json!({}), "/answers"),
        (json!({ "answers": [] }), "/answers"),
        (json!({ "answers": "A" }), "/answers"),
        (json!({ "answers": [{ "selected": ["A"] }] }), "/answers/0/id"),
        (json!({ "answers": [{ "id": "one", "custom": " " }] }), "/answers/0"),
        (json!({ "answers": [{ "id": "one", "selected": [] }] }), "/answers/0"),
        (json!({ "answers": [{ "id": "one", "selected": ["Z"] }] }), "/answers/0/selected/0"),
        (json!({ "answers": [{ "id": "one", "selected": ["B"] }] }), "/answers/0/selected/0"),
        (json!({ "answers": [{ "id": "one", "selected": ["A", "b2"] }] }), "/answers/0/selected"),
        (json!({ "answers": [{ "id": "one", "selected": ["A"], "custom": "x" }] }), "/answers/0/custom"),
        (json!({ "answers": [one, one] }), "/answers/1/id"),
        (with(json!({ "id": "nope", "selected": ["A"] })), "/answers/1/id"),
        (with(json!({ "id": "many", "selected": ["A"] })), "/answers/1/selected"),
        (with(json!({ "id": "many", "selected": ["A", "B", "C"] })), "/answers/1/selected"),
        (with(json!({ "id": "many", "selected": ["A", "A"] })), "/answers/1/selected/1"),
        (with(json!({ "id": "many", "selected": ["A"], "custom": "x" })), "/answers/1/custom"),
        (with(json!({ "id": "text", "custom": "four" })), "/answers/1/custom"),
        (with(json!({ "id": "text", "selected": ["A"] })), "/answers/1/selected"),
        (with(json!({ "id": "text", "custom": "a\0" })), "/answers/1/custom"),
        (with(json!({ "id": "sure", "selected": ["maybe"] })), "/answers/1/selected"),
        (with(json!({ "id": "sure", "selected": ["yes", "no"] })), "/answers/1/selected"),
        (with(json!({ "id": "sure", "selected": ["yes"], "custom": "x" })), "/answers/1/custom"),
        (json!({ "answers": [one], "rev": "1" }), "/rev"),
        (json!({ "answers": [one], "answer_id": "" }), "/answer_id"),
        (json!({ "answers": [one], "answer_id": "a\nb" }), "/answer_id"),
        (json!({ "answers": [one], "who": "me" }), "/who"),
    ] {
        let problem = app.owner().post(&path, &body).await.expect_problem(422, "invalid");
        let is_named = problem["errors"].as_array().unwrap().iter().any(|fault| fault["pointer"] == pointer);
        assert!(is_named, "{body}: {pointer} is not in {}", problem["errors"]);
    }
    let with_file = json!({ "answers": [{ "id": "one", "files": [] }] });
    app.owner().post(&path, &with_file).await.expect_problem(422, "not_supported");
    let read = app.owner().read(id(&call)).await;
    assert_eq!((read["status"].as_str(), read["late_answers_total"].as_u64()), (Some("pending"), Some(0)));
}

#[tokio::test]
async fn what_is_no_id_of_a_call_names_nothing() {
    let app = TestApp::start().await;
    let call = app.agent().ask(json!({})).await;
    let upper = id(&call).to_uppercase();
    for name in
        ["x", "..%2Fx", "%2F", "%00", "%0d%0aX", "0", "null", &upper, &id(&call)[1..], &format!("{{{}}}", id(&call))]
    {
        let reply = app.agent().get(&format!("/v1/calls/{name}")).await;
        assert_eq!(reply.status, 404, "{name}: {}", reply.text);
        let verb = app.owner().post(&format!("/v1/calls/{name}/answer"), &json!({ "answers": [] })).await;
        assert_eq!(verb.status, 404, "{name}: {}", verb.text);
    }
}

#[tokio::test]
async fn bad_queries_are_refused_by_name() {
    let app = TestApp::start().await;
    let call = app.agent().ask(json!({})).await;
    let path = format!("/v1/calls/{}", id(&call));
    for (path, pointer) in [
        (format!("{path}?wait=51"), "wait"),
        (format!("{path}?wait=-1"), "wait"),
        (format!("{path}?wait=1e1"), "wait"),
        (format!("{path}?wait=1.0"), "wait"),
        (format!("{path}?wait="), "wait"),
        (format!("{path}?wait=9223372036854775808"), "wait"),
        (format!("{path}?wait=1&wait=2"), "wait"),
        (format!("{path}?timeout=1"), "timeout"),
        ("/v1/calls?status=open".to_owned(), "status"),
        ("/v1/calls?limit=0".to_owned(), "limit"),
        ("/v1/calls?limit=201".to_owned(), "limit"),
        ("/v1/calls?sort=old".to_owned(), "sort"),
        ("/v1/calls?cursor=x".to_owned(), "cursor"),
    ] {
        let problem = app.agent().get(&path).await.expect_problem(422, "invalid");
        assert_eq!(problem["errors"][0]["pointer"], pointer, "{path}");
    }
}

#[tokio::test]
async fn bodies_of_other_types_and_other_methods_are_refused() {
    let app = TestApp::start().await;
    let body = || Some(br#"{"questions":[{"question":"Q"}]}"#.to_vec());
    for content_type in ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", "multipart/form-data"]
    {
        let reply = app.agent().send(Method::POST, "/v1/calls", body(), content_type).await;
        reply.expect_problem(415, "unsupported_media_type");
    }
    let zipped = app.agent().header("content-encoding", "gzip".to_owned());
    zipped
        .send(Method::POST, "/v1/calls", body(), "application/json")
        .await
        .expect_problem(415, "unsupported_media_type");
    app.agent()
        .send(Method::POST, "/v1/calls", Some(vec![b'"', 0xff, b'"']), "application/json")
        .await
        .expect_problem(400, "malformed_json");
    app.agent()
        .send(Method::PUT, "/v1/calls", body(), "application/json")
        .await
        .expect_problem(405, "method_not_allowed");
    app.agent().get("/v1/nothing").await.expect_problem(404, "not_found");
    for missing in ["/v1/calls/x/undo", "/mcp", "/hooks/claude-code"] {
        app.agent().post(missing, &json!({})).await.expect_problem(404, "not_found");
    }
}

#[tokio::test]
async fn odd_texts_come_back_as_they_were_sent() {
    let app = TestApp::start().await;
    let odd = "\u{1}\t\r\n\u{7f}\u{85}\u{202e}\u{200b}\u{feff}\u{ffff}\u{10ffff}😀 ́\u{2028}<script>&amp;\"\\/";
    let ask = json!({ "title": odd, "context": odd, "metadata": { odd: [odd] },
        "questions": [{ "question": odd, "header": odd, "options": [{ "label": odd, "description": odd, "preview": odd }] }] });
    let call = app.agent().post("/v1/calls", &ask).await.expect(201);
    let answer = json!({ "answers": [{ "id": "q1", "selected": [odd], "notes": odd }], "reply": odd });
    app.owner().post(&format!("/v1/calls/{}/answer", id(&call)), &answer).await.expect(200);
    let read = app.agent().read(id(&call)).await;
    assert_eq!(
        (&read["title"], &read["context"], &read["metadata"]),
        (&ask["title"], &ask["context"], &ask["metadata"])
    );
    assert_eq!(read["outcome"]["answers"][0]["selected"][0]["label"], odd);
    assert_eq!((&read["outcome"]["answers"][0]["notes"], &read["outcome"]["reply"]), (&json!(odd), &json!(odd)));
}

#[tokio::test]
async fn digits_of_metadata_are_kept() {
    let app = TestApp::start().await;
    let body =
        r#"{"questions":[{"question":"Q"}],"metadata":{"n":18446744073709551617,"e":1e400,"z":1.0,"o":{"b":1,"a":2}}}"#;
    let made = app.agent().post_text("/v1/calls", body).await;
    assert_eq!(made.status, 201);
    assert!(
        made.text.contains(r#""metadata":{"n":18446744073709551617,"e":1e400,"z":1.0,"o":{"b":1,"a":2}}"#),
        "{}",
        made.text
    );
}
