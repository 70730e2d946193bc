//! Who gets in: hosts, origins, credentials, and who may do what.

use serde_json::json;

use crate::support::app::{Setting, TestApp, id};

/// Routes that anybody may ask without a credential. A new one must be added here on purpose (BUGS 107).
const OPEN_ROUTES: &[&str] = &["/healthz", "/readyz", "/version", "/v1/ws"];

#[tokio::test]
async fn every_route_of_the_api_takes_a_credential() {
    let app = TestApp::start().await;
    let openapi = app.owner().get("/openapi.json").await.expect(200);
    let mut seen = 0;
    for (path, methods) in openapi["paths"].as_object().unwrap() {
        if OPEN_ROUTES.contains(&path.as_str()) {
            continue;
        }
        let path = path.replace("{id}", "01900000-0000-7000-8000-000000000000").replace("{dialect}", "claude-code");
        for method in methods.as_object().unwrap().keys() {
            let method = reqwest::Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
            let reply = app.nobody().send(method.clone(), &path, Some(b"{}".to_vec()), "application/json").await;
            reply.expect_problem(401, "unauthorized");
            assert_eq!(reply.headers["www-authenticate"], "Bearer realm=\"askhub\"", "{method} {path}");
            seen += 1;
        }
    }
    assert!(seen > 20, "{seen} routes were tried");
    for path in ["/openapi.json", "/docs"] {
        app.nobody().get(path).await.expect_problem(401, "unauthorized");
    }
}

#[tokio::test]
async fn credentials_that_are_wrong_are_no_credentials() {
    let app = TestApp::start().await;
    let good = app.agent_token().to_owned();
    for bad in [
        String::new(),
        "Bearer".to_owned(),
        "Bearer ".to_owned(),
        "Bearer x".to_owned(),
        format!("Basic {good}"),
        format!("Bearer {good}x"),
        format!("Bearer {}", &good[..good.len() - 1]),
        good.clone(),
    ] {
        let client = app.nobody().header("authorization", bad.clone());
        client.get("/v1/me").await.expect_problem(401, "unauthorized");
    }
    app.nobody().get(&format!("/v1/me?token={good}")).await.expect_problem(401, "unauthorized");
    app.bearer(&good).get("/v1/me").await.expect(200);
}

#[tokio::test]
async fn an_agent_sees_and_touches_only_its_own_calls() {
    let app = TestApp::start().await;
    let other = app.another_agent("other").await;
    let call = app.agent().ask(json!({ "key": "k", "timeout_seconds": 100 })).await;
    let path = format!("/v1/calls/{}", id(&call));
    other.get(&path).await.expect_problem(404, "not_found");
    other.get(&format!("{path}?wait=1")).await.expect_problem(404, "not_found");
    for (verb, body) in [
        ("answer", json!({ "answers": [] })),
        ("decline", json!({})),
        ("cancel", json!({})),
        ("extend", json!({ "seconds": 500 })),
        ("ack", json!({})),
    ] {
        other.post(&format!("{path}/{verb}"), &body).await.expect_problem(404, "not_found");
    }
    other.delete(&path).await.expect_problem(404, "not_found");
    assert_eq!(other.get("/v1/calls?key=k").await.expect(200)["calls"], json!([]));
    assert_eq!(other.get("/v1/sync").await.expect(200)["events"], json!([]));
}

#[tokio::test]
async fn the_decision_table_holds_for_every_role() {
    let app = TestApp::start().await;
    let ana = app.responder("ana").await;
    let verbs = [
        ("answer", json!({ "answers": [] })),
        ("decline", json!({})),
        ("cancel", json!({})),
        ("extend", json!({ "seconds": 500 })),
        ("ack", json!({})),
    ];
    let table = [
        // asker, responder, admin
        ("answer", [403, 200, 200]),
        ("decline", [403, 200, 200]),
        ("cancel", [200, 403, 200]),
        ("extend", [200, 200, 200]),
        ("ack", [409, 403, 403]),
    ];
    for ((verb, body), (name, statuses)) in verbs.iter().zip(table) {
        assert_eq!(*verb, name);
        for (who, status) in [app.agent(), ana.clone(), app.owner()].iter().zip(statuses) {
            let call = app.agent().ask(json!({ "timeout_seconds": 100 })).await;
            let reply = who.post(&format!("/v1/calls/{}/{verb}", id(&call)), body).await;
            assert_eq!(reply.status, status, "{verb}: {}", reply.text);
        }
    }
    for path in ["/v1/users", "/v1/tokens"] {
        app.agent().get(path).await.expect_problem(403, "forbidden");
        ana.get(path).await.expect_problem(403, "forbidden");
        app.owner().get(path).await.expect(200);
    }
    for (path, body) in [
        ("/v1/users", json!({ "name": "x" })),
        ("/v1/tokens", json!({ "name": "x" })),
        ("/v1/sign-in-links", json!({})),
    ] {
        app.agent().post(path, &body).await.expect_problem(403, "forbidden");
        ana.post(path, &body).await.expect_problem(403, "forbidden");
        app.owner().post(path, &body).await.expect(201);
    }
}

#[tokio::test]
async fn a_person_may_ask_and_is_then_the_asker() {
    let app = TestApp::start().await;
    let call = app.owner().ask(json!({ "key": "sample" })).await;
    assert_eq!((&call["asker"]["kind"], &call["asker"]["name"]), (&json!("person"), &json!("owner")));
    app.owner().answer(id(&call), "A").await.expect(200);
    app.owner().post(&format!("/v1/calls/{}/ack", id(&call)), &json!({})).await.expect(200);
    app.agent().get(&format!("/v1/calls/{}", id(&call))).await.expect_problem(404, "not_found");
}

#[tokio::test]
async fn only_known_hosts_are_served() {
    let setting = Setting {
        public_url: Some("https://ask.example/hub".to_owned()),
        allow_hosts: vec!["box.lan"],
        ..Setting::default()
    };
    let app = TestApp::with(setting).await;
    let with = |host: &str| app.agent().header("host", host.to_owned());
    for good in
        ["ask.example", "box.lan", "box.lan:9", "localhost", "localhost:1234", "127.0.0.1:1", "[::1]:7440", "LOCALHOST"]
    {
        let reply = with(good).get("/v1/me").await;
        assert_eq!(reply.status, 200, "{good}: {}", reply.text);
    }
    for evil in [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "0.0.0.0",
        "ask.example:8080",
        "ask.example.",
        "user@localhost",
    ] {
        for path in ["/v1/me", "/", "/v1/events", "/sign-in", "/version", "/v1/ws", "/nothing", "/plain"] {
            let reply = with(evil).get(path).await;
            assert!(matches!(reply.status, 400 | 403), "{evil} {path}: {} {}", reply.status, reply.text);
        }
        assert_eq!(with(evil).get("/healthz").await.status, 200);
    }
}

#[tokio::test]
async fn a_foreign_page_can_do_nothing_with_a_browsers_session() {
    let app = TestApp::start().await;
    let call = app.agent().ask(json!({})).await;
    let path = format!("/v1/calls/{}/answer", id(&call));
    let body = json!({ "answers": [{ "id": "q1", "selected": ["A"] }] });
    let browser = app.browser().await;
    let own = format!("http://{}", app.address);
    let other_port = format!("http://127.0.0.1:{}", app.address.port() ^ 1);
    for origin in ["null", "http://evil.example", &other_port, &own.replace("http:", "https:")] {
        let page = browser.clone().header("origin", origin.to_owned());
        page.post(&path, &body).await.expect_problem(403, "origin_not_allowed");
        page.clone()
            .header("sec-fetch-site", "same-origin".to_owned())
            .post(&path, &body)
            .await
            .expect_problem(403, "origin_not_allowed");
        page.get("/v1/calls").await.expect_problem(403, "origin_not_allowed");
    }
    browser.post(&path, &body).await.expect_problem(403, "origin_not_allowed");
    for fetch_site in ["cross-site", "same-site", "none"] {
        let page = browser.clone().header("origin", own.clone()).header("sec-fetch-site", fetch_site.to_owned());
        page.post(&path, &body).await.expect_problem(403, "origin_not_allowed");
    }
    let upgrade = browser.clone().header("upgrade", "websocket".to_owned()).header("connection", "upgrade".to_owned());
    upgrade.get("/v1/ws").await.expect_problem(403, "origin_not_allowed");
    assert_eq!(app.owner().read(id(&call)).await["status"], "pending");
    let page = browser.header("origin", own);
    page.post(&path, &body).await.expect(200);
}

#[tokio::test]
async fn no_reply_allows_other_origins_to_read_it() {
    let app = TestApp::start().await;
    for (method, path) in [("GET", "/v1/me"), ("OPTIONS", "/v1/calls"), ("POST", "/v1/calls")] {
        let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap();
        let reply = app.agent().header("origin", "http://evil.example".to_owned()).send(method, path, None, "").await;
        assert_eq!(reply.status, 403, "{path}");
        assert!(!reply.headers.contains_key("access-control-allow-origin"));
    }
}

#[tokio::test]
async fn a_sign_in_link_is_used_up_by_its_button_alone() {
    let app = TestApp::start().await;
    let link = app.owner().post("/v1/sign-in-links", &json!({})).await.expect(201);
    let code = link["url"].as_str().unwrap().rsplit_once("code=").unwrap().1.to_owned();
    for _ in 0..5 {
        assert_eq!(app.nobody().get(&format!("/sign-in?code={code}")).await.status, 200);
        app.nobody().send(reqwest::Method::HEAD, &format!("/sign-in?code={code}"), None, "").await;
    }
    let foreign = app.nobody().header("origin", "http://evil.example".to_owned());
    assert_eq!(foreign.send_form("/sign-in", &[("code", &code)]).await.status, 403);
    let page = app.nobody().header("origin", format!("http://{}", app.address));
    let signed_in = page.send_form("/sign-in", &[("code", &code)]).await;
    assert_eq!(signed_in.status, 303);
    let cookie = signed_in.headers["set-cookie"].to_str().unwrap().to_owned();
    for wanted in ["HttpOnly", "SameSite=Lax", "Path=/", &format!("askhub_session_{}", app.address.port())] {
        assert!(cookie.contains(wanted), "{cookie}");
    }
    assert!(!cookie.contains(&code), "the session is not the code");
    assert_ne!(page.send_form("/sign-in", &[("code", &code)]).await.status, 303, "once");
}

#[tokio::test]
async fn everything_is_served_under_the_prefix_and_without_it() {
    let app =
        TestApp::with(Setting { public_url: Some("http://ask.example/hub".to_owned()), ..Setting::default() }).await;
    let call = app.agent().ask(json!({})).await;
    assert_eq!(call["url"], format!("http://ask.example/hub/a/{}", id(&call)));
    for base in ["", "/hub"] {
        app.agent().get(&format!("{base}/v1/calls/{}", id(&call))).await.expect(200);
        assert_eq!(app.nobody().get(&format!("{base}/healthz")).await.status, 200);
    }
    app.agent().get("/hubs/v1/me").await.expect_problem(404, "not_found");
    let link = app.owner().post("/v1/sign-in-links", &json!({})).await.expect(201);
    assert!(link["url"].as_str().unwrap().starts_with("http://ask.example/hub/sign-in?code="));
}

#[tokio::test]
async fn connections_over_the_limit_are_refused_and_the_others_stay() {
    let app = TestApp::with(Setting { connections_max: Some(2), ..Setting::default() }).await;
    let mut open = Vec::new();
    for _ in 0..2 {
        let stream = tokio::net::TcpStream::connect(app.address).await.unwrap();
        open.push(stream);
    }
    crate::support::app::eventually(
        async || {
            let mut stream = tokio::net::TcpStream::connect(app.address).await.unwrap();
            let mut reply = String::new();
            let read = tokio::io::AsyncReadExt::read_to_string(&mut stream, &mut reply);
            let _ = tokio::time::timeout(std::time::Duration::from_secs(1), read).await;
            reply
        },
        |reply| reply.starts_with("HTTP/1.1 503") && reply.contains("Retry-After: 5"),
    )
    .await;
}

#[tokio::test]
async fn an_admin_sees_who_came_and_who_was_refused_and_no_secret() {
    let app = TestApp::start().await;
    app.agent().get("/v1/me").await.expect(200);
    app.bearer("askhub_wrong").header("user-agent", "curl/8.0".to_owned()).get("/v1/me").await.expect(401);
    let reply = app.owner().get("/v1/connections").await;
    let seen = reply.expect(200);
    let agent = app.agent().get("/v1/me").await.expect(200)["id"].clone();
    assert!(seen["seen"].as_array().unwrap().iter().any(|one| one["id"] == agent), "{seen}");
    assert_eq!((seen["refused"].as_array().unwrap().len(), &seen["refused"][0]["user_agent"]), (1, &json!("curl/8.0")));
    assert!(!reply.text.contains("askhub_"), "{}", reply.text);
    app.agent().get("/v1/connections").await.expect_problem(403, "forbidden");
    for _ in 0..30 {
        app.bearer("askhub_wrong").get("/v1/me").await.expect(401);
    }
    let seen = app.owner().get("/v1/connections").await.expect(200);
    assert_eq!(seen["refused"].as_array().unwrap().len(), 20, "no more are kept");
}
