//! The pages without script, as a browser uses them: read a form, fill it in, send it.

use askhub::clock::Clock as _;
use serde_json::{Value, json};

use crate::support::app::{Client, Reply, TestApp, id};

/// A form on a page, as a browser reads it: every field that it would send if nothing were pressed.
pub struct Form {
    path: String,
    pub fields: Vec<(String, String)>,
}

impl Form {
    /// The form of a call's page.
    pub async fn open(page: &Client, call: &str) -> Self {
        let path = format!("/plain/a/{call}");
        let reply = page.get(&path).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        Self::on(&reply, path)
    }

    /// The form on a page that came back.
    pub fn on(reply: &Reply, path: String) -> Self {
        let form = reply.text.split("class=\"answer\"").nth(1).expect("the page has a form");
        let mut fields = Vec::new();
        for input in form.split("<input ").skip(1) {
            let tag = input.split('>').next().unwrap();
            let kind = attribute(tag, "type").unwrap();
            let is_choice = kind == "radio" || kind == "checkbox";
            if !is_choice || tag.ends_with(" checked") || tag.contains(" checked ") {
                fields.push((attribute(tag, "name").unwrap(), attribute(tag, "value").unwrap_or_default()));
            }
        }
        for area in form.split("<textarea ").skip(1) {
            let (tag, rest) = area.split_once(">\n").unwrap();
            let value = unescape(rest.split_once("</textarea>").unwrap().0);
            fields.push((attribute(tag, "name").unwrap(), value));
        }
        for select in form.split("<select ").skip(1) {
            let (tag, options) = select.split_once("</select>").unwrap().0.split_once('>').unwrap();
            let chosen = options.split("<option ").find(|option| option.contains(" selected"));
            let value = chosen.and_then(|option| attribute(option, "value")).unwrap_or_default();
            fields.push((attribute(tag, "name").unwrap(), value));
        }
        Self { path, fields }
    }

    pub fn fill(mut self, name: &str, value: &str) -> Self {
        self.fields.retain(|(key, _)| key != name || name.ends_with(".selected"));
        self.fields.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Checks one more box of several.
    pub fn check(mut self, name: &str, value: &str) -> Self {
        self.fields.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn value(&self, name: &str) -> &str {
        self.fields.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }

    pub async fn press(&self, page: &Client, action: &str) -> Reply {
        let mut fields: Vec<(&str, &str)> =
            self.fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        fields.push(("action", action));
        page.send_form(&self.path, &fields).await
    }
}

pub fn attribute(tag: &str, name: &str) -> Option<String> {
    let rest = tag.split_once(&format!("{name}=\"")).map(|(_, rest)| rest)?;
    rest.split_once('"').map(|(value, _)| unescape(value))
}

fn unescape(text: &str) -> String {
    let plain = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'");
    plain.replace("&amp;", "&")
}

async fn ask(app: &TestApp, body: Value) -> String {
    let reply = app.agent().post("/v1/calls", &body).await.expect(201);
    id(&reply).to_owned()
}

async fn outcome(app: &TestApp, call: &str) -> Value {
    app.owner().read(call).await["outcome"].clone()
}

fn three_kinds() -> Value {
    json!({
        "title": "Release <b>2</b>",
        "context": "Read **this**: <script>alert(1)</script> [log](https://ci.example/1) ![x](https://evil.example/p.png)",
        "agent": { "name": "release-bot\u{202e}", "host": "ci-3", "session": "run 7" },
        "timeout_seconds": 600,
        "questions": [
            { "id": "path", "header": "Refunds", "question": "Which \"path\"?", "options": [
                { "label": "To source", "description": "3–5 days", "recommended": true },
                { "label": "<img src=x onerror=alert(1)>", "preview": "# Big\n\n<iframe>", "preview_format": "markdown" },
            ] },
            { "id": "go", "question": "Drop it?", "kind": "confirm", "yes_label": "Drop table", "no_label": "Keep it" },
            { "id": "why", "question": "Why?", "multiline": true, "max_length": 20, "placeholder": "because" },
        ],
    })
}

#[tokio::test]
async fn a_form_without_script_answers_a_call() {
    let app = TestApp::start().await;
    let page = app.page().await;
    let call = ask(&app, three_kinds()).await;
    let list = page.get("/plain").await;
    assert!(list.text.contains(&format!("/plain/a/{call}")) && list.text.contains("http-equiv=\"refresh\""));

    let form = Form::open(&page, &call).await;
    assert!(form.fields.iter().all(|(name, _)| !name.ends_with(".selected")), "nothing is chosen beforehand");
    let form = form.fill("q.0.selected", "1").fill("q.0.notes", "EU first").fill("q.1.selected", "no");
    let reply = form.fill("q.2.custom", "one\r\ntwo").press(&page, "answer").await;
    assert_eq!(reply.status, 303, "{}", reply.text);
    assert_eq!(reply.headers["location"], format!("/plain/a/{call}").as_str());

    let outcome = outcome(&app, &call).await;
    assert_eq!(outcome["status"], "answered");
    assert_eq!(outcome["by"]["via"], "form");
    assert_eq!(outcome["answers"][0]["selected"][0]["id"], "o2");
    assert_eq!(outcome["answers"][0]["notes"], "EU first");
    assert_eq!(outcome["answers"][1]["selected"][0], json!({ "id": "no", "label": "Keep it" }));
    assert_eq!(outcome["answers"][2]["custom"], "one\ntwo");
    let shown = page.get(&format!("/plain/a/{call}")).await.text;
    assert!(shown.contains("owner</bdi> answered on the plain page") && shown.contains("Keep it"));
    assert!(shown.contains("gets it when it asks"), "the agent does not have it yet");
    assert!(page.get("/plain/history").await.text.contains(&format!("/plain/a/{call}")));
}

#[tokio::test]
async fn nothing_of_an_agents_becomes_markup() {
    let app = TestApp::start().await;
    let page = app.page().await;
    let call = ask(&app, three_kinds()).await;
    for path in ["/plain".to_owned(), format!("/plain/a/{call}")] {
        let reply = page.get(&path).await;
        for hostile in ["<script", "<img", "<iframe", "<b>2", "\u{202e}"] {
            assert!(!reply.text.contains(hostile), "{hostile} in {path}");
        }
        let policy = reply.headers["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'; style-src 'self'; form-action 'self'"), "{policy}");
        assert!(!reply.text.contains("style=\""), "the policy would forbid it");
    }
    let text = page.get(&format!("/plain/a/{call}")).await.text;
    assert!(text.contains("U+202E") && text.contains("<strong>this</strong>") && text.contains("(ci.example)"));
}

#[tokio::test]
async fn what_was_typed_comes_back_with_what_was_wrong() {
    let app = TestApp::start().await;
    let page = app.page().await;
    let call = ask(&app, three_kinds()).await;
    let form = Form::open(&page, &call).await.fill("q.0.selected", "0").fill("q.0.custom", "my <own> way");
    let form = form.fill("q.2.custom", "much longer than twenty").fill("q.1.notes", "hm");
    let reply = form.press(&page, "answer").await;
    assert_eq!(reply.status, 422);
    assert!(reply.text.contains("takes an option or own words, not both"), "{}", reply.text);
    assert!(reply.text.contains("at most 20 characters"));
    let again = Form::on(&reply, form.path.clone());
    assert_eq!(again.value("q.0.selected"), "0");
    assert_eq!(again.value("q.0.custom"), "my <own> way");
    assert_eq!(again.value("q.1.notes"), "hm");
    assert_eq!(again.value("q.2.custom"), "much longer than twenty");
    assert_eq!(outcome(&app, &call).await, Value::Null);
    let reply = again.fill("q.0.custom", "").fill("q.2.custom", "short").press(&page, "answer").await;
    assert_eq!(reply.status, 303, "{}", reply.text);
}

#[tokio::test]
async fn sending_twice_is_one_answer_and_sending_something_else_later_is_kept() {
    let app = TestApp::start().await;
    let page = app.page().await;
    let call = ask(&app, three_kinds()).await;
    let form = Form::open(&page, &call).await.fill("q.0.selected", "0");
    let (one, two) = tokio::join!(form.press(&page, "answer"), form.press(&page, "answer"));
    assert_eq!((one.status, two.status), (303, 303));
    assert_eq!(app.owner().read(&call).await["late_answers_total"], 0);

    let back = form.fill("q.2.custom", "on second thought").press(&page, "answer").await;
    assert_eq!(back.status, 409);
    assert!(back.text.contains("What you typed, to copy") && back.text.contains("on second thought"));
    assert!(back.text.contains("owner</bdi> answered"), "who was faster");
    assert_eq!(app.owner().read(&call).await["late_answers_total"], 1);
}

#[tokio::test]
async fn a_call_that_ended_meanwhile_shows_its_outcome_and_keeps_the_words() {
    let app = TestApp::start().await;
    let page = app.page().await;
    let call = ask(&app, three_kinds()).await;
    let form = Form::open(&page, &call).await.fill("q.2.custom", "my words");
    app.clock.advance(601);
    for (action, status) in [("extend", 409), ("answer", 409)] {
        let reply = form.press(&page, action).await;
        assert_eq!(reply.status, status);
        assert!(reply.text.contains("my words") && reply.text.contains("Nobody answered in time"), "{}", reply.text);
    }
}

#[tokio::test]
async fn a_person_may_decline_ask_for_another_question_or_more_time() {
    let app = TestApp::start().await;
    let page = app.page().await;
    let call = ask(&app, three_kinds()).await;
    let form = Form::open(&page, &call).await.fill("q.2.custom", "half a thou");
    let longer = form.press(&page, "extend").await;
    assert_eq!(longer.status, 200);
    let left = app.owner().read(&call).await["expires_at"].as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
    let left = (left.as_millisecond() - app.clock.now().as_millis()) / 1000;
    assert!(
        (1490..=1501).contains(&left),
        "15 minutes are added to the ten that were left, not counted from here: {left}"
    );
    let form = Form::on(&longer, form.path);
    assert_eq!(form.value("q.2.custom"), "half a thou");
    let longer = form.press(&page, "extend").await;
    assert_eq!(longer.status, 200, "more than once");
    let form = Form::on(&longer, form.path).fill("reason", "Which table?");
    assert_eq!(form.press(&page, "clarify").await.status, 303);
    let outcome_of_clarify = outcome(&app, &call).await;
    assert_eq!(outcome_of_clarify["clarify"], true);
    assert_eq!(outcome_of_clarify["reason"], "Which table?");
    assert_eq!(outcome_of_clarify["answers"][2]["custom"], "half a thou");

    let call = ask(&app, three_kinds()).await;
    assert_eq!(Form::open(&page, &call).await.press(&page, "decline").await.status, 303);
    let declined = outcome(&app, &call).await;
    assert_eq!((&declined["status"], &declined["answers"]), (&json!("declined"), &json!([])));
    assert!(page.get(&format!("/plain/a/{call}")).await.text.contains("declined to answer"));
}

#[tokio::test]
async fn a_form_of_another_session_or_page_changes_nothing() {
    let app = TestApp::start().await;
    let (page, other) = (app.page().await, app.page().await);
    let call = ask(&app, three_kinds()).await;
    let form = Form::open(&other, &call).await.fill("q.2.custom", "kept");
    let reply = form.press(&page, "answer").await;
    assert_eq!(reply.status, 403);
    assert!(reply.text.contains("another session") && reply.text.contains("kept"));
    let foreign = app.browser().await.header("sec-fetch-site", "cross-site".to_owned());
    assert_eq!(form.press(&foreign, "answer").await.status, 403);
    let signed_out = app.nobody().header("origin", format!("http://{}", app.address));
    let reply = form.press(&signed_out, "answer").await;
    assert_eq!(reply.status, 401);
    assert!(reply.text.contains("kept"), "what was typed is there to copy");
    assert_eq!(form.press(&app.nobody(), "answer").await.status, 303, "not from a page of ours");
    assert_eq!(outcome(&app, &call).await, Value::Null);
}

#[tokio::test]
async fn whoever_is_not_signed_in_is_sent_to_the_sign_in_page() {
    let app = TestApp::start().await;
    for path in ["/", "/history", "/plain", "/plain/history", "/plain/a/0", "/a/0"] {
        for client in [app.nobody(), app.agent()] {
            let reply = client.get(path).await;
            assert_eq!((reply.status, reply.headers["location"].to_str().unwrap()), (303, "/sign-in"), "{path}");
        }
    }
    let page = app.nobody().get("/sign-in").await;
    assert!(page.status == 200 && page.text.contains("askhub login"));
    let style = app.nobody().get("/plain/style.css").await;
    assert_eq!((style.status, style.headers["content-type"].to_str().unwrap()), (200, "text/css; charset=utf-8"));
    let etag = style.headers["etag"].to_str().unwrap().to_owned();
    assert_eq!(app.nobody().header("if-none-match", etag).get("/plain/style.css").await.status, 304);
}

#[tokio::test]
async fn a_sign_in_link_works_once_and_looking_uses_nothing_up() {
    let app = TestApp::start().await;
    let link = app.owner().post("/v1/sign-in-links", &json!({})).await.expect(201);
    let path = link["url"].as_str().unwrap().split_once("/sign-in").unwrap().1.to_owned();
    let (path, code) = (format!("/sign-in{path}"), path.trim_start_matches("?code=").to_owned());
    for _ in 0..5 {
        let page = app.nobody().get(&path).await;
        assert!(page.status == 200 && page.text.contains("act as <bdi class=\"strong\">owner"), "{}", page.text);
    }
    assert_eq!(app.nobody().send_form("/sign-in", &[("code", &code)]).await.status, 403, "from nowhere");
    let ours = app.nobody().header("origin", format!("http://{}", app.address));
    let signed_in = ours.send_form("/sign-in", &[("code", &code)]).await;
    let cookie = signed_in.headers["set-cookie"].to_str().unwrap().to_owned();
    assert!(cookie.contains("; Path=/; ") && cookie.contains("; HttpOnly; SameSite=Lax") && !cookie.contains("Secure"));
    assert_eq!(ours.send_form("/sign-in", &[("code", &code)]).await.status, 410);
    assert_eq!(app.nobody().get(&path).await.status, 410);

    let page = app.nobody().header("cookie", cookie.split(';').next().unwrap().to_owned());
    let page = page.header("origin", format!("http://{}", app.address));
    let text = page.get("/plain").await.text;
    assert!(text.contains("Nothing is waiting") && text.contains("askhub ask"));
    assert_eq!(page.send_form("/sign-out", &[("nonce", "x")]).await.status, 403);
    let nonce = attribute(text.split("action=\"/sign-out\"").nth(1).unwrap(), "value").unwrap();
    let signed_out = page.send_form("/sign-out", &[("nonce", &nonce)]).await;
    assert!(signed_out.status == 303 && signed_out.headers["set-cookie"].to_str().unwrap().contains("Max-Age=0"));
    assert_eq!(page.get("/plain").await.status, 303);
}

#[tokio::test]
async fn every_reply_has_the_security_headers() {
    let app = TestApp::start().await;
    let page = app.page().await;
    for path in ["/plain", "/v1/me", "/nowhere", "/plain/style.css", "/docs", "/assets/none.js", "/healthz"] {
        let headers = page.get(path).await.headers;
        assert_eq!(headers["x-content-type-options"], "nosniff", "{path}");
        assert_eq!(headers["referrer-policy"], "same-origin", "{path}");
        assert!(headers["content-security-policy"].to_str().unwrap().starts_with("default-src 'none'"), "{path}");
        assert!(headers.contains_key("cache-control") && headers.contains_key("permissions-policy"), "{path}");
    }
    let wrong = page.delete("/plain").await;
    wrong.expect_problem(405, "method_not_allowed");
    assert!(wrong.headers["allow"].to_str().unwrap().contains("GET"));
    let html = page.header("accept", "text/html,*/*".to_owned()).get("/nowhere").await;
    assert!(html.status == 404 && html.text.starts_with("<!doctype html>"));
}

#[tokio::test]
async fn markdown_comes_as_nodes_beside_the_call() {
    let app = TestApp::start().await;
    let call = ask(&app, three_kinds()).await;
    let plain = app.owner().read(&call).await;
    let with_nodes = app.owner().get(&format!("/v1/calls/{call}?nodes=1")).await.expect(200);
    assert_eq!(with_nodes["nodes"]["context"][0]["t"], "p");
    assert_eq!(
        with_nodes["nodes"]["previews"]["path/o2"][0],
        json!({ "t": "h", "level": 1, "c": [{ "t": "text", "v": "Big" }] })
    );
    let mut rest = with_nodes;
    rest.as_object_mut().unwrap().remove("nodes");
    assert_eq!(rest, plain);
}

#[tokio::test]
async fn the_api_describes_itself_to_a_reader() {
    let app = TestApp::start().await;
    let docs = app.owner().get("/docs").await;
    assert!(docs.status == 200 && docs.text.contains("<strong>POST</strong> /v1/calls"), "{}", docs.text);
    assert!(docs.text.contains("id=\"schema-CallReply\""));
    let openapi = app.owner().get("/openapi.json").await.expect(200);
    assert_eq!(openapi["components"]["securitySchemes"]["token"]["scheme"], "bearer");
    assert_eq!(openapi["components"]["securitySchemes"]["session"]["in"], "cookie");
}
