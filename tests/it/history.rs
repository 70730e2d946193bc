//! What was: lists of what has ended, the trail of a call, and exports.

use serde_json::{Value, json};

use crate::support::app::{TestApp, id, on_every_store};

fn path(call: &Value, rest: &str) -> String {
    format!("/v1/calls/{}{rest}", id(call))
}

#[tokio::test]
async fn the_trail_of_a_call_tells_what_happened_and_never_what_was_said() {
    on_every_store(async |app| {
        let other = app.agent().ask(json!({})).await;
        let call = app.agent().ask(json!({ "timeout_seconds": 600 })).await;
        app.owner().post(&path(&call, "/claim"), &json!({})).await.expect(200);
        app.agent().post(&path(&call, "/extend"), &json!({ "seconds": 1200 })).await.expect(200);
        app.owner().answer(id(&call), "B").await.expect(200);
        app.agent().post(&path(&call, "/ack"), &json!({})).await.expect(200);
        let late = json!({ "answers": [{ "id": "q1", "custom": "a secret" }] });
        app.responder("ana").await.post(&path(&call, "/answer"), &late).await.expect_problem(409, "already_settled");
        let trail = app.owner().get(&path(&call, "/events")).await.expect(200);
        let events = trail["events"].as_array().unwrap();
        let kinds: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
        let wanted = [
            "call.asked",
            "call.claimed",
            "call.extended",
            "call.settled",
            "call.delivered",
            "call.acked",
            "call.answered_late",
        ];
        assert_eq!(kinds, wanted);
        assert_eq!((&events[1]["by"]["name"], &events[6]["by"]["name"]), (&json!("owner"), &json!("ana")));
        assert!(!trail.to_string().contains("a secret"), "{trail}");
        assert_eq!(app.agent().get(&path(&call, "/events")).await.expect(200), trail);
        app.another_agent("x").await.get(&path(&other, "/events")).await.expect_problem(404, "not_found");
        let one = app.owner().get(&path(&other, "/events")).await.expect(200);
        assert_eq!(one["events"].as_array().unwrap().len(), 1);
        app.stop().await;
    })
    .await;
}

#[tokio::test]
async fn what_has_ended_is_one_list() {
    on_every_store(async |app| {
        for status in ["pending", "answered", "cancelled"] {
            let call = app.agent().ask(json!({ "title": status })).await;
            match status {
                "answered" => drop(app.owner().answer(id(&call), "A").await.expect(200)),
                "cancelled" => drop(app.agent().post(&path(&call, "/cancel"), &json!({})).await.expect(200)),
                _ => {}
            }
        }
        let titles = async |query: &str| -> Vec<String> {
            let list = app.owner().get(&format!("/v1/calls?{query}")).await.expect(200);
            let title = |call: &Value| call["title"].as_str().unwrap().to_owned();
            list["calls"].as_array().unwrap().iter().map(title).collect()
        };
        assert_eq!(titles("status=settled").await, ["cancelled", "answered"]);
        assert_eq!(titles("status=settled&q=answer").await, ["answered"]);
        assert_eq!(titles("status=settled&sort=due&limit=1").await.len(), 1);
        let refused = app.owner().get("/v1/calls?status=done").await.expect_problem(422, "invalid");
        assert!(refused["errors"][0]["detail"].as_str().unwrap().contains("settled"), "{refused}");
        app.stop().await;
    })
    .await;
}

#[tokio::test]
async fn an_export_has_every_call_of_the_list_whole_and_digit_for_digit() {
    let app = TestApp::start().await;
    for number in 0..205 {
        let body = format!(
            r#"{{"title":"T{number}","metadata":{{"n":18446744073709551617}},"questions":[{{"question":"Q"}}]}}"#
        );
        app.agent().post_text("/v1/calls", &body).await.expect(201);
    }
    let file = app.owner().get("/v1/export?format=jsonl").await;
    assert_eq!(file.status, 200);
    assert_eq!(file.headers["content-type"], "application/jsonl");
    assert!(file.headers["content-disposition"].to_str().unwrap().contains("askhub.jsonl"));
    let lines: Vec<Value> = file.text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 205, "more than a page");
    assert_eq!((&lines[0]["title"], &lines[204]["title"]), (&json!("T204"), &json!("T0")));
    assert!(file.text.contains(r#""metadata":{"n":18446744073709551617}"#));
    let one = app.owner().read(lines[0]["id"].as_str().unwrap()).await;
    assert_eq!(one, lines[0], "a line is the call as every way shows it");
    let none = app.another_agent("x").await.get("/v1/export?format=jsonl").await;
    assert_eq!((none.status, none.text.as_str()), (200, ""), "an agent exports its own calls");
    let matching = app.owner().get("/v1/export?format=jsonl&q=T20").await;
    assert_eq!(matching.text.lines().count(), 6);
}

#[tokio::test]
async fn a_sheet_gets_one_line_a_call_and_no_formula() {
    let app = TestApp::start().await;
    let ask = json!({
        "title": "=HYPERLINK(\"https://evil.example\")", "agent": { "name": "@bot" },
        "questions": [{ "question": "One, \"two\"\nor three?", "options": [{ "label": "A" }] }],
    });
    let call = app.agent().post("/v1/calls", &ask).await.expect(201);
    app.clock.advance(90);
    app.owner().answer(id(&call), "A").await.expect(200);
    let file = app.owner().get("/v1/export?format=csv&status=settled").await;
    let (head, rows) = file.text.split_once("\r\n").unwrap();
    assert!(head.starts_with("\"id\",\"status\",\"provenance\""), "{head}");
    let cells = [
        "\"answered\",\"human\"",
        "\"90\",\"'@bot\"",
        "\"'=HYPERLINK(\"\"https://evil.example\"\")\"",
        "\"One, \"\"two\"\"\nor three?\",\"owner\"",
    ];
    for cell in cells {
        assert!(rows.contains(cell), "{cell}: {rows}");
    }
    for query in ["", "format=xml", "format=csv&limit=0", "format=csv&x=1"] {
        app.owner().get(&format!("/v1/export?{query}")).await.expect_problem(422, "invalid");
    }
}
