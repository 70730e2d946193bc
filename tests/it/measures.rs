//! The kinds whose answer is one value: a number, a day, a time.

use serde_json::{Value, json};

use crate::plain::Form;
use crate::support::app::{TestApp, id, on_every_store};
use crate::support::program::Program;

fn asking(question: Value) -> Value {
    let mut whole = json!({ "question": "How much?" });
    crate::support::app::merge(&mut whole, question);
    json!({ "questions": [whole] })
}

async fn ask(app: &TestApp, question: Value) -> Value {
    app.agent().post("/v1/calls", &asking(question)).await.expect(201)
}

#[tokio::test]
async fn a_number_a_day_and_a_time_reach_the_agent_as_they_were_given() {
    on_every_store(async |app| {
        let number = r#"{"question": "How much?", "kind": "number", "minimum": -0.5, "maximum": 18446744073709551617, "unit": "EUR"}"#;
        let cases = [
            (number.to_owned(), "18446744073709551616.50", "18446744073709551616.50 EUR"),
            (json!({ "question": "When?", "kind": "date", "minimum": "2026-11-30" }).to_string(), r#""2026-11-30""#, "2026-11-30"),
            (
                json!({ "question": "When?", "kind": "datetime", "maximum": "2026-11-30T13:00:00Z" }).to_string(),
                r#""2026-11-30T14:00:00+01:00""#,
                "2026-11-30T14:00:00+01:00",
            ),
        ];
        for (question, value, words) in cases {
            let call = app.agent().post_text("/v1/calls", &format!("{{\"questions\":[{question}]}}")).await.expect(201);
            let path = format!("/v1/calls/{}/answer", id(&call));
            let body = format!("{{\"answers\":[{{\"id\":\"q1\",\"value\":{value},\"notes\":\"n\"}}]}}");
            app.owner().post_text(&path, &body).await.expect(200);
            let read = app.agent().get(&format!("/v1/calls/{}", id(&call))).await;
            assert!(read.text.contains(&format!("\"value\":{value}")), "{}", read.text);
            let text = read.json()["outcome"]["text"].as_str().unwrap().to_owned();
            assert!(text.contains(&format!("Answer: {words}\nNote: n")), "{text}");
        }
        app.stop().await;
    })
    .await;
}

#[tokio::test]
async fn what_is_no_number_day_or_time_or_out_of_range_is_refused_with_its_place() {
    let app = TestApp::start().await;
    let number = json!({ "kind": "number", "minimum": 1, "maximum": 2.5 });
    let date = json!({ "kind": "date", "minimum": "2026-11-30", "maximum": "2026-12-31" });
    let time = json!({ "kind": "datetime", "minimum": "2026-11-30T14:00:00+01:00" });
    let bad = [
        (&number, json!("2"), "value", "the answer is a number, not a string"),
        (&number, json!(0.99), "value", "the answer is at least 1"),
        (&number, json!(2.51), "value", "the answer is at most 2.5"),
        (&number, json!([2]), "value", "the answer is a number, not "),
        (&date, json!("2026-02-30"), "value", "the answer is a day, such as"),
        (&date, json!("2026-11-29"), "value", "the answer is 2026-11-30 or later"),
        (&date, json!("2027-01-01"), "value", "the answer is 2026-12-31 or earlier"),
        (&date, json!(20_261_130), "value", "the answer is a text, not a number"),
        (&time, json!("2026-11-30T14:00:00"), "value", "the answer is a time with its offset"),
        (&time, json!("2026-11-30T12:59:59Z"), "value", "the answer is 2026-11-30T14:00:00+01:00 or later"),
    ];
    for (question, value, place, words) in bad {
        let call = ask(&app, question.clone()).await;
        let body = json!({ "answers": [{ "id": "q1", "value": value }] });
        let sent = app.owner().post(&format!("/v1/calls/{}/answer", id(&call)), &body).await;
        let refused = sent.expect_problem(422, "invalid");
        assert_eq!(refused["errors"][0]["pointer"], format!("/answers/0/{place}"), "{body}");
        assert!(refused["errors"][0]["detail"].as_str().unwrap().contains(words), "{body}: {refused}");
        assert_eq!(app.agent().read(id(&call)).await["status"], "pending");
    }
    let call = ask(&app, number).await;
    for (answer, place) in [(json!({ "custom": "two" }), "custom"), (json!({ "selected": ["2"] }), "selected")] {
        let mut answer = answer;
        answer["id"] = json!("q1");
        let sent = app.owner().post(&format!("/v1/calls/{}/answer", id(&call)), &json!({ "answers": [answer] })).await;
        assert_eq!(sent.expect_problem(422, "invalid")["errors"][0]["pointer"], format!("/answers/0/{place}"));
    }
    app.owner().post(&format!("/v1/calls/{}/answer", id(&call)), &json!({ "answers": [] })).await.expect(200);
    assert_eq!(app.agent().read(id(&call)).await["outcome"]["answers"][0]["status"], "skipped");
}

#[tokio::test]
async fn a_range_that_nothing_can_be_in_is_not_asked() {
    let app = TestApp::start().await;
    let bad = [
        (json!({ "kind": "number", "minimum": "1" }), "/minimum"),
        (json!({ "kind": "number", "minimum": 3, "maximum": 2 }), "/minimum"),
        (json!({ "kind": "date", "minimum": 5 }), "/minimum"),
        (json!({ "kind": "date", "maximum": "2026-13-01" }), "/maximum"),
        (json!({ "kind": "date", "minimum": "2026-12-01", "maximum": "2026-11-30" }), "/minimum"),
        (json!({ "kind": "datetime", "minimum": "2026-11-30T14:00:00" }), "/minimum"),
        (json!({ "kind": "date", "unit": "days" }), "/unit"),
        (json!({ "kind": "text", "minimum": 1 }), "/minimum"),
        (json!({ "kind": "number", "options": [{ "label": "1" }] }), "/options"),
        (json!({ "kind": "number", "unit": 1 }), "/unit"),
    ];
    for (question, place) in bad {
        let refused = app.agent().post("/v1/calls", &asking(question.clone())).await.expect_problem(422, "invalid");
        assert_eq!(refused["errors"][0]["pointer"], format!("/questions/0{place}"), "{question}: {refused}");
    }
    let silent = json!({
        "questions": [{ "id": "n", "question": "How many?", "kind": "number", "maximum": 3 }],
        "timeout_seconds": 60, "on_timeout": { "answers": [{ "id": "n", "value": 4 }] },
    });
    let refused = app.agent().post("/v1/calls", &silent).await.expect_problem(422, "invalid");
    assert_eq!(refused["errors"][0]["pointer"], "/on_timeout/answers/0/value");
}

#[tokio::test]
async fn a_number_a_day_and_a_time_are_given_without_script() {
    let app = TestApp::start().await;
    let page = app.page().await;
    let given = [
        (json!({ "kind": "number", "unit": "EUR", "required": true }), " 1250.50 ", "1250.50"),
        (json!({ "kind": "date" }), "2026-11-30", "\"2026-11-30\""),
        (json!({ "kind": "datetime" }), "2026-11-30T14:00:00+01:00", "\"2026-11-30T14:00:00+01:00\""),
    ];
    for (question, typed, value) in given {
        let call = ask(&app, question).await;
        let shown = Form::open(&page, id(&call)).await;
        let back = shown.fill("q.0.form.0", "soon").press(&page, "answer").await;
        assert_eq!(back.status, 422, "{}", back.text);
        let again = Form::on(&back, format!("/plain/a/{}", id(&call)));
        assert_eq!(again.value("q.0.form.0"), "soon", "what was typed is still there");
        assert_eq!(again.fill("q.0.form.0", typed).press(&page, "answer").await.status, 303);
        let read = app.agent().get(&format!("/v1/calls/{}", id(&call))).await;
        assert!(read.text.contains(&format!("\"value\":{value}")), "{}", read.text);
    }
    let call = ask(&app, json!({ "kind": "number" })).await;
    let left_out = Form::open(&page, id(&call)).await.check("q.0.selected", "skip").press(&page, "answer").await;
    assert_eq!(left_out.status, 303, "{}", left_out.text);
}

#[tokio::test]
async fn a_number_is_answered_from_a_shell() {
    let program = Program::start().await;
    let file = program.data_dir().join("ask.json");
    std::fs::write(&file, asking(json!({ "kind": "number", "unit": "EUR" })).to_string()).unwrap();
    let asked = program.run(&["ask", "--file", file.to_str().unwrap(), "--no-wait"]).await;
    let call = asked.stdout.trim().to_owned();
    let shown = program.run(&["show", &call]).await;
    assert!(shown.stdout.contains("a number"), "{shown:?}");
    let answered = program.run(&["answer", &call, "--value", "12.50"]).await;
    assert_eq!(answered.code, Some(0), "{answered:?}");
    let waited = program.run(&["wait", &call]).await;
    assert_eq!(waited.stdout.trim(), "12.50", "a shell gets the number alone: {waited:?}");
}

#[tokio::test]
async fn the_page_gets_fields_and_arguments_read_and_in_order() {
    let app = TestApp::start().await;
    let schema = r#"{"type": "object", "required": ["b"], "properties": {
        "b": {"type": "integer", "title": "Size", "minimum": 1, "default": 3, "multipleOf": 3},
        "a": {"type": "string", "oneOf": [{"const": "r", "title": "Red"}], "default": "r"},
        "c": {"type": "string", "format": "ipv4", "pattern": "^1"}}}"#;
    let tool = r#"{"name": "Bash", "arguments": {"timeout": 1.50, "command": ["/bin/bash", "-lc", "rm -r \u202ex"]}}"#;
    let call = format!(
        r#"{{"questions":[{{"question":"F","schema":{schema}}},{{"question":"T","tool":{tool}}},{{"question":"N","kind":"number","unit":"EUR"}}]}}"#
    );
    let call = app.agent().post_text("/v1/calls", &call).await.expect(201);
    let nodes = app.owner().get(&format!("/v1/calls/{}?nodes=1", id(&call))).await.expect(200)["nodes"].clone();
    let fields = &nodes["fields"]["q1"];
    let names: Vec<&str> = fields.as_array().unwrap().iter().map(|field| field["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["b", "a", "c"]);
    assert_eq!(fields[0]["bounds"], "A whole number, at least 1.");
    assert_eq!((&fields[0]["at_first"], &fields[1]["at_first"]), (&json!(["3"]), &json!(["r"])));
    assert_eq!(fields[1]["options"], json!([{ "value": "r", "title": "Red" }]));
    assert_eq!(
        (&fields[0]["unchecked"], &fields[2]["unchecked"]),
        (&json!(["multipleOf"]), &json!(["format", "pattern"]))
    );
    assert_eq!(nodes["fields"]["q3"][0]["description"], "In EUR.");
    let arguments = &nodes["arguments"]["q2"];
    assert_eq!((&arguments[0]["text"], &arguments[0]["is_effect"]), (&json!("1.50"), &json!(false)));
    assert_eq!((&arguments[1]["script"], &arguments[1]["is_effect"]), (&json!("rm -r \u{202e}x"), &json!(true)));
}
