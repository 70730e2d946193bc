//! The kinds whose answer is a value: a form that is filled in, a tool's call that is approved or denied.

use serde_json::{Value, json};

use crate::plain::Form;
use crate::support::app::{TestApp, id, on_every_store};
use crate::support::program::Program;

/// Every type of field, in an order that is not the alphabet's, with a number that no double holds.
const FORM: &str = r#"{"kind": "form", "question": "Who are you?", "schema": {
    "type": "object", "required": ["name", "size", "plan"], "x-own": [1.10],
    "properties": {
        "name": {"type": "string", "title": "Full name", "minLength": 2, "description": "As in <b>papers</b>"},
        "mail": {"type": "string", "format": "email"},
        "size": {"type": "integer", "minimum": 1, "maximum": 18446744073709551617},
        "rate": {"type": "number", "default": 0.1},
        "terms": {"type": "boolean", "title": "Terms"},
        "plan": {"type": "string", "oneOf": [{"const": "s", "title": "Small"}, {"const": "l", "title": "Large"}]},
        "days": {"type": "array", "items": {"enum": ["Mon", "Tue", "Wed"]}, "maxItems": 2, "default": ["Tue"]}
    }}}"#;

fn form() -> Value {
    serde_json::from_str(FORM).unwrap()
}

async fn ask_form(app: &TestApp) -> Value {
    app.agent().post_text("/v1/calls", &format!("{{\"questions\": [{FORM}]}}")).await.expect(201)
}

fn approval() -> Value {
    json!({
        "kind": "approval", "question": "May I?", "editable": true, "risk": "high", "scopes": ["once", "this session"],
        "tool": { "name": "Bash", "arguments": { "command": "rm -r\n<b>build</b>\u{202e}", "size": 1 }, "description": "Runs it" },
    })
}

#[tokio::test]
async fn a_form_is_filled_in_without_script_and_its_value_reaches_the_agent_digit_for_digit() {
    on_every_store(async |app| {
        let call = ask_form(&app).await;
        let page = app.page().await;
        let shown = Form::open(&page, id(&call)).await;
        assert_eq!((shown.value("q.0.form.3"), shown.value("q.0.form.6")), ("0.1", "1"), "defaults stand in the form");
        assert_eq!(shown.value("q.0.form.5"), "", "nothing is chosen beforehand");
        let filled = shown.fill("q.0.form.0", "Ann  Lee").fill("q.0.form.2", " 18446744073709551617 ");
        let filled = filled.fill("q.0.form.4", "no").fill("q.0.form.5", "1").check("q.0.form.6", "0");
        let sent = filled.press(&page, "answer").await;
        assert_eq!(sent.status, 303, "{}", sent.text);
        let read = app.agent().get(&format!("/v1/calls/{}", id(&call))).await;
        let value = r#""value":{"name":"Ann  Lee","size":18446744073709551617,"rate":0.1,"terms":false,"plan":"l","days":["Tue","Mon"]}"#;
        assert!(read.text.contains(value), "{}", read.text);
        let text = read.json()["outcome"]["text"].as_str().unwrap().to_owned();
        assert!(text.contains("Full name: Ann  Lee\nsize: 18446744073709551617\nrate: 0.1\nTerms: no\n"), "{text}");
        let outcome = page.get(&format!("/plain/a/{}", id(&call))).await.text;
        assert!(outcome.contains("Full name: Ann  Lee, size: 18446744073709551617"), "{outcome}");
        app.stop().await;
    })
    .await;
}

#[tokio::test]
async fn a_form_that_does_not_fit_comes_back_with_what_was_typed_and_what_is_wrong() {
    let app = TestApp::start().await;
    let call = ask_form(&app).await;
    let page = app.page().await;
    let shown = Form::open(&page, id(&call)).await;
    let filled = shown.fill("q.0.form.0", "x").fill("q.0.form.2", "many").fill("q.0.form.1", "no mail");
    let filled = filled.fill("q.0.form.3", "").check("q.0.form.6", "0").check("q.0.form.6", "2");
    let back = filled.press(&page, "answer").await;
    assert_eq!(back.status, 422, "{}", back.text);
    for words in [
        "Full name has at least 2 characters",
        "mail is an e-mail address",
        "size is a number, not ",
        "plan must be filled in",
        "days: at most 2 may be chosen",
    ] {
        assert!(back.text.contains(words), "{words}: {}", back.text);
    }
    let again = Form::on(&back, format!("/plain/a/{}", id(&call)));
    assert_eq!((again.value("q.0.form.0"), again.value("q.0.form.2")), ("x", "many"));
    assert_eq!(again.value("q.0.form.3"), "", "a default that was emptied stays empty");
    assert!(back.text.contains("As in &lt;b&gt;papers&lt;/b&gt;"), "{}", back.text);
    let fixed = again.fill("q.0.form.0", "xy").fill("q.0.form.1", "").fill("q.0.form.2", "3");
    let mut fixed = fixed.fill("q.0.form.5", "0");
    fixed.fields.retain(|(name, value)| name != "q.0.form.6" || value == "1");
    assert_eq!(fixed.press(&page, "answer").await.status, 303);
    let value = app.agent().read(id(&call)).await["outcome"]["answers"][0]["value"].clone();
    assert_eq!(value, json!({ "name": "xy", "size": 3, "plan": "s", "days": ["Tue"] }));
}

#[tokio::test]
async fn a_form_that_nobody_must_fill_in_can_be_left_out_or_sent_empty() {
    let app = TestApp::start().await;
    let page = app.page().await;
    let schema = json!({ "type": "object", "properties": { "a": { "type": "string", "default": "d" }, "b": { "type": "boolean" } } });
    let outcome_of = async |required: bool, change: &dyn Fn(Form) -> Form| {
        let question = json!({ "question": "Q", "schema": schema, "required": required });
        let call = app.agent().ask(json!({ "questions": [question] })).await;
        let sent = change(Form::open(&page, id(&call)).await).press(&page, "answer").await;
        assert_eq!(sent.status, 303, "{}", sent.text);
        app.agent().read(id(&call)).await["outcome"]["answers"][0].clone()
    };
    let skipped = outcome_of(false, &|form| form.check("q.0.selected", "skip")).await;
    assert_eq!((&skipped["status"], &skipped["value"]), (&json!("skipped"), &Value::Null));
    let emptied = outcome_of(false, &|form| form.fill("q.0.form.0", "")).await;
    assert_eq!((&emptied["status"], &emptied["value"]), (&json!("skipped"), &Value::Null));
    let as_it_stands = outcome_of(false, &|form| form).await;
    assert_eq!(as_it_stands["value"], json!({ "a": "d" }));
    let sent_empty = outcome_of(true, &|form| form.fill("q.0.form.0", "")).await;
    assert_eq!((&sent_empty["status"], &sent_empty["value"]), (&json!("answered"), &json!({})));
}

#[tokio::test]
async fn a_tool_is_approved_denied_or_given_other_arguments_without_script() {
    on_every_store(async |app| {
        let page = app.page().await;
        let decided = async |change: &dyn Fn(Form) -> Form| {
            let call = app.agent().ask(json!({ "questions": [approval()] })).await;
            let sent = change(Form::open(&page, id(&call)).await).press(&page, "answer").await;
            assert_eq!(sent.status, 303, "{}", sent.text);
            app.agent().read(id(&call)).await["outcome"].clone()
        };
        let approved = decided(&|form| form.check("q.0.selected", "approve").fill("q.0.scope", "1")).await;
        assert_eq!(approved["answers"][0]["value"], json!({ "decision": "approve", "scope": "this session" }));
        assert!(approved["text"].as_str().unwrap().ends_with("Answer: Approved for: this session"), "{approved}");

        let denied = decided(&|form| form.check("q.0.selected", "deny").fill("q.0.custom", "not\ntoday")).await;
        assert_eq!(denied["answers"][0]["value"], json!({ "decision": "deny" }));
        assert_eq!(denied["answers"][0]["custom"], "not\ntoday");
        assert!(denied["text"].as_str().unwrap().ends_with("Answer: Denied\nnot\ntoday"), "{denied}");

        let other = r#"{"command": "ls", "size": 1.10}"#;
        let edited = decided(&|form| form.check("q.0.selected", "approve").fill("q.0.arguments", other)).await;
        assert_eq!(edited["answers"][0]["value"]["arguments"], json!({ "command": "ls", "size": 1.1 }));
        app.stop().await;
    })
    .await;
}

#[tokio::test]
async fn what_a_tool_would_be_called_with_is_shown_whole_and_as_text() {
    let app = TestApp::start().await;
    let page = app.page().await;
    let call = app.agent().ask(json!({ "questions": [approval()] })).await;
    let shown = page.get(&format!("/plain/a/{}", id(&call))).await.text;
    assert!(shown.contains("rm -r\n&lt;b&gt;build&lt;/b&gt;"), "{shown}");
    assert!(!shown.contains('\u{202e}') && shown.contains("U+202E"), "a direction mark is seen: {shown}");
    assert!(shown.contains("risk: high") && shown.contains("Runs it"), "{shown}");
    assert!(!shown.contains(" checked"), "nothing is decided beforehand: {shown}");

    let broken = Form::open(&page, id(&call)).await.check("q.0.selected", "approve").fill("q.0.arguments", "{\"a\":");
    let back = broken.press(&page, "answer").await;
    assert_eq!(back.status, 422);
    assert!(back.text.contains("the arguments are not JSON"), "{}", back.text);
    assert_eq!(Form::on(&back, String::new()).value("q.0.arguments"), "{\"a\":");

    let undecided = Form::open(&page, id(&call)).await.fill("q.0.custom", "because").press(&page, "answer").await;
    assert_eq!(undecided.status, 422);
    assert!(undecided.text.contains("words without a decision approve and deny nothing"), "{}", undecided.text);
}

#[tokio::test]
async fn what_nobody_can_see_whole_is_denied_but_not_approved() {
    let app = TestApp::start().await;
    let mut question = approval();
    question["arguments_truncated"] = json!(true);
    let call = app.agent().ask(json!({ "questions": [question] })).await;
    let shown = app.page().await.get(&format!("/plain/a/{}", id(&call))).await.text;
    assert!(!shown.contains("value=\"approve\"") && shown.contains("only a part of the arguments"), "{shown}");
    let path = format!("/v1/calls/{}/answer", id(&call));
    let answer = |decision: &str| json!({ "answers": [{ "id": "q1", "value": { "decision": decision } }] });
    let refused = app.owner().post(&path, &answer("approve")).await.expect_problem(422, "invalid");
    assert_eq!(refused["errors"][0]["pointer"], "/answers/0/value/decision");
    app.owner().post(&path, &answer("deny")).await.expect(200);
}

#[tokio::test]
async fn silence_may_deny_a_tool_but_never_approve_it() {
    let app = TestApp::start().await;
    let ask = |decision: &str| {
        let answers = json!([{ "id": "a", "value": { "decision": decision } }]);
        let mut question = approval();
        question["id"] = json!("a");
        json!({ "questions": [question], "timeout_seconds": 60, "on_timeout": { "answers": answers } })
    };
    let refused = app.agent().post("/v1/calls", &ask("approve")).await.expect_problem(422, "invalid");
    assert_eq!(refused["errors"][0]["pointer"], "/on_timeout/answers/0/value/decision");
    let call = app.agent().post("/v1/calls", &ask("deny")).await.expect(201);
    app.clock.advance(61_000);
    app.sweep().await;
    let outcome = app.agent().read(id(&call)).await["outcome"].clone();
    assert_eq!(
        (&outcome["provenance"], &outcome["answers"][0]["value"]),
        (&json!("default"), &json!({ "decision": "deny" }))
    );
}

#[tokio::test]
async fn a_value_that_does_not_fit_is_refused_with_its_place_and_the_call_goes_on_waiting() {
    let app = TestApp::start().await;
    let questions = json!([form(), approval(), { "question": "Why?" }]);
    let call = app.agent().ask(json!({ "questions": questions })).await;
    let path = format!("/v1/calls/{}/answer", id(&call));
    let good = json!({ "name": "Ann", "size": 1, "plan": "s" });
    let with = |name: &str, value: Value| {
        let mut value_of = good.clone();
        value_of[name] = value;
        json!({ "id": "q1", "value": value_of })
    };
    let decided = |value: Value| json!({ "id": "q2", "value": value });
    let bad = [
        (with("name", json!("A")), "/value/name"),
        (with("name", json!(7)), "/value/name"),
        (with("name", Value::Null), "/value/name"),
        (with("name", json!("a\0b")), "/value"),
        (with("size", json!(1.5)), "/value/size"),
        (with("size", json!(0)), "/value/size"),
        (with("size", json!("1")), "/value/size"),
        (with("terms", json!("yes")), "/value/terms"),
        (with("plan", json!("xl")), "/value/plan"),
        (with("days", json!(["Mon", "Mon"])), "/value/days/1"),
        (with("days", json!(["Sun"])), "/value/days/0"),
        (with("a/b", json!(1)), "/value/a~1b"),
        (json!({ "id": "q1", "value": [] }), "/value"),
        (json!({ "id": "q1", "value": good, "custom": "and" }), "/custom"),
        (json!({ "id": "q1", "value": good, "selected": ["s"] }), "/selected"),
        (decided(json!({})), "/value/decision"),
        (decided(json!({ "decision": "maybe" })), "/value/decision"),
        (decided(json!("approve")), "/value"),
        (decided(json!({ "decision": "approve", "scope": "ever" })), "/value/scope"),
        (decided(json!({ "decision": "deny", "scope": "once" })), "/value/scope"),
        (decided(json!({ "decision": "deny", "arguments": {} })), "/value/arguments"),
        (decided(json!({ "decision": "approve", "arguments": "ls" })), "/value/arguments"),
        (decided(json!({ "decision": "approve", "always": true })), "/value/always"),
        (json!({ "id": "q2", "custom": "yes" }), "/value"),
        (json!({ "id": "q2", "selected": ["approve"] }), "/selected"),
        (json!({ "id": "q3", "value": {} }), "/value"),
    ];
    for (answer, place) in bad {
        let refused = app.owner().post(&path, &json!({ "answers": [answer] })).await.expect_problem(422, "invalid");
        let pointers: Vec<&str> =
            refused["errors"].as_array().unwrap().iter().map(|one| one["pointer"].as_str().unwrap()).collect();
        assert!(pointers.contains(&format!("/answers/0{place}").as_str()), "{answer}: {refused}");
    }
    let repeated = r#"{"answers":[{"id":"q1","value":{"name":"Ann","name":"Bob","size":1,"plan":"s"}}]}"#;
    let refused = app.owner().post_text(&path, repeated).await.expect_problem(422, "invalid");
    assert_eq!(refused["errors"][0]["pointer"], "/answers/0/value/name");
    assert_eq!(app.agent().read(id(&call)).await["status"], "pending");
    app.owner().post(&path, &json!({ "answers": [with("days", json!([]))] })).await.expect(200);
}

#[tokio::test]
async fn a_form_or_an_approval_that_nobody_could_answer_is_not_asked() {
    let app = TestApp::start().await;
    let schema = |properties: Value| json!({ "type": "object", "properties": properties });
    let form = |schema: Value| json!({ "question": "Q", "kind": "form", "schema": schema });
    let field = |field: Value| form(schema(json!({ "a": field })));
    let tool = |more: Value| {
        let mut question = json!({ "question": "Q", "kind": "approval", "tool": { "name": "t" } });
        crate::support::app::merge(&mut question, more);
        question
    };
    let many: serde_json::Map<String, Value> =
        (0..201).map(|number| (format!("f{number}"), json!({ "type": "string" }))).collect();
    let bad = [
        (json!({ "question": "Q", "kind": "form" }), "/schema"),
        (form(json!([])), "/schema"),
        (form(json!({ "type": "object" })), "/schema/properties"),
        (form(json!({ "type": "array", "properties": {} })), "/schema/type"),
        (form(schema(Value::Object(many))), "/schema/properties"),
        (form(json!({ "type": "object", "properties": {}, "required": ["a"] })), "/schema/required/0"),
        (field(json!({ "type": "object" })), "/schema/properties/a/type"),
        (field(json!({ "type": "string", "enum": [] })), "/schema/properties/a/enum"),
        (field(json!({ "type": "string", "enum": ["x", "x"] })), "/schema/properties/a/enum/1"),
        (field(json!({ "type": "string", "minLength": 3, "maxLength": 2 })), "/schema/properties/a/minLength"),
        (field(json!({ "type": "number", "default": "1" })), "/schema/properties/a/default"),
        (field(json!({ "type": "array", "items": { "type": "string" } })), "/schema/properties/a/items/oneOf"),
        (json!({ "question": "Q", "schema": schema(json!({})), "options": [{ "label": "A" }] }), "/schema"),
        (json!({ "question": "Q", "kind": "approval" }), "/tool"),
        (json!({ "question": "Q", "kind": "approval", "tool": {} }), "/tool/name"),
        (tool(json!({ "risk": "mild" })), "/risk"),
        (tool(json!({ "scopes": ["a", "a"] })), "/scopes/1"),
        (tool(json!({ "scopes": [""] })), "/scopes/0"),
        (tool(json!({ "editable": "yes" })), "/editable"),
        (json!({ "question": "Q", "kind": "approval", "tool": { "name": "t", "arguments": [] } }), "/tool/arguments"),
        (json!({ "question": "Q", "kind": "approval", "tool": { "name": "t", "more": 1 } }), "/tool/more"),
        (json!({ "question": "Q", "risk": "low" }), "/risk"),
    ];
    for (question, place) in bad {
        let asked = app.agent().post("/v1/calls", &json!({ "questions": [question] })).await;
        let refused = asked.expect_problem(422, "invalid");
        let pointers: Vec<&str> =
            refused["errors"].as_array().unwrap().iter().map(|one| one["pointer"].as_str().unwrap()).collect();
        assert!(pointers.contains(&format!("/questions/0{place}").as_str()), "{question}: {refused}");
    }
}

#[tokio::test]
async fn a_person_fills_in_and_decides_from_a_shell() {
    let program = Program::start().await;
    let asked = async |question: Value| {
        let file = program.data_dir().join("ask.json");
        std::fs::write(&file, json!({ "questions": [question] }).to_string()).unwrap();
        program.run(&["ask", "--file", file.to_str().unwrap(), "--no-wait"]).await.stdout.trim().to_owned()
    };
    let call = asked(approval()).await;
    let shown = program.run(&["show", &call]).await;
    assert!(shown.stdout.contains("approve or deny") && shown.stdout.contains("Bash (risk: high)"), "{shown:?}");
    let denied = program.run(&["answer", &call, "--deny", "--text", "no"]).await;
    assert_eq!(denied.code, Some(0), "{denied:?}");
    let answer = program.call(&call).await["outcome"]["answers"][0].clone();
    assert_eq!((&answer["value"], &answer["custom"]), (&json!({ "decision": "deny" }), &json!("no")));

    let call = asked(form()).await;
    let refused = program.run(&["answer", &call, "--value", "{\"name\": "]).await;
    assert_eq!(refused.code, Some(2), "{refused:?}");
    let filled = program.run(&["answer", &call, "--value", r#"{"name":"Ann","size":1.0,"plan":"s"}"#]).await;
    assert_eq!(filled.code, Some(0), "{filled:?}");
    let waited = program.run(&["wait", &call]).await;
    assert_eq!(waited.stdout, "{\"name\":\"Ann\",\"size\":1.0,\"plan\":\"s\"}\n", "{waited:?}");
}
