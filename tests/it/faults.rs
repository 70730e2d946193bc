//! Public faults of systems like this one, each kept right here: the names carry their numbers in BUGS.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::app::{Setting, TestApp, eventually, id};
use crate::support::postgres;
use crate::support::sse::Sse;

#[tokio::test]
async fn fault_001_an_answer_that_comes_before_the_wait_is_found_by_it() {
    let app = TestApp::start().await;
    for _ in 0..1000 {
        let call = app.agent().ask(json!({})).await;
        app.owner().answer(id(&call), "A").await.expect(200);
        let got = app.agent().get(&format!("/v1/calls/{}?wait=50", id(&call))).await.expect(200);
        assert_eq!(got["status"], "answered");
    }
}

#[tokio::test]
async fn fault_006_whoever_is_told_of_a_call_can_answer_it_at_once() {
    let app = TestApp::start().await;
    let mut feed = Sse::open(&app.owner(), None).await;
    feed.next().await;
    let agent = app.agent();
    let asks = tokio::spawn(async move {
        for _ in 0..300 {
            agent.ask(json!({})).await;
        }
    });
    let mut answered = 0;
    while answered < 300 {
        let event = feed.next().await.unwrap();
        if event.name == "call.asked" {
            app.owner().answer(event.data["call_id"].as_str().unwrap(), "A").await.expect(200);
            answered += 1;
        }
    }
    asks.await.unwrap();
}

#[tokio::test]
async fn fault_010_each_call_of_one_session_gets_its_own_end() {
    let app = TestApp::start().await;
    let mut calls = Vec::new();
    for timeout in [600, 600, 5] {
        calls.push(app.agent().ask(json!({ "agent": { "session": "s" }, "timeout_seconds": timeout })).await);
    }
    app.owner().answer(id(&calls[1]), "B").await.expect(200);
    app.owner().answer(id(&calls[0]), "A").await.expect(200);
    app.clock.advance(6);
    let ids: Vec<_> = calls.iter().map(id).collect();
    let waited = app.agent().post("/v1/wait", &json!({ "ids": ids, "wait": 5 })).await.expect(200);
    let chosen = |id: &str| {
        let settled = waited["settled"].as_array().unwrap();
        let call = settled.iter().find(|call| call["id"] == id).unwrap();
        (call["status"].clone(), call["outcome"]["answers"][0]["selected"][0]["label"].clone())
    };
    assert_eq!(chosen(ids[0]), (json!("answered"), json!("A")));
    assert_eq!(chosen(ids[1]), (json!("answered"), json!("B")));
    assert_eq!(chosen(ids[2]), (json!("expired"), Value::Null));
}

#[tokio::test]
async fn fault_027_nothing_hangs_on_a_call_that_has_ended() {
    let app = TestApp::start().await;
    let call = app.agent().ask(json!({})).await;
    app.owner().answer(id(&call), "A").await.expect(200);
    let path = format!("/v1/calls/{}", id(&call));
    let all = async {
        app.agent().get(&format!("{path}?wait=50")).await.expect(200);
        app.agent().post("/v1/wait", &json!({ "ids": [id(&call)], "wait": 50 })).await.expect(200);
        app.agent().post(&format!("{path}/cancel"), &json!({})).await.expect_problem(409, "already_settled");
        app.owner()
            .post(&format!("{path}/extend"), &json!({ "seconds": 5 }))
            .await
            .expect_problem(409, "already_settled");
        app.owner().answer(id(&call), "A").await.expect_problem(409, "already_settled");
        app.owner().post(&format!("{path}/decline"), &json!({})).await.expect_problem(409, "already_settled");
    };
    tokio::time::timeout(Duration::from_secs(5), all).await.expect("each replies at once");
}

#[tokio::test]
async fn fault_034_a_deadline_years_away_disturbs_nobody() {
    let app = TestApp::start().await;
    let long = app.agent().ask(json!({ "timeout_seconds": 366 * 24 * 3600 })).await;
    let agent = app.agent();
    let path = format!("/v1/calls/{}?wait=2", id(&long));
    let wait = tokio::spawn(async move { agent.get(&path).await.expect(200) });
    let short: Vec<_> = join_all((0..100).map(async |_| app.agent().ask(json!({ "timeout_seconds": 1 })).await)).await;
    for call in &short {
        let got = app.agent().get(&format!("/v1/calls/{}?wait=5", id(call))).await.expect(200);
        assert_eq!(got["status"], "expired");
    }
    assert_eq!(wait.await.unwrap()["status"], "pending");
}

#[tokio::test]
async fn fault_035_a_clock_that_jumps_expires_once_what_is_due() {
    let app = TestApp::start().await;
    let call = app.agent().ask(json!({ "timeout_seconds": 60 })).await;
    app.clock.advance(2 * 3600);
    join_all((0..20).map(async |_| app.agent().read(id(&call)).await)).await;
    app.sweep().await;
    let sync = app.owner().get("/v1/sync").await.expect(200);
    let settled = sync["events"].as_array().unwrap().iter().filter(|event| event["type"] == "call.settled").count();
    assert_eq!(settled, 1);
}

#[tokio::test]
async fn fault_037_a_clock_that_is_set_back_revives_nothing_and_stops_nothing() {
    let app = TestApp::start().await;
    let call = app.agent().ask(json!({ "timeout_seconds": 60 })).await;
    app.clock.advance(61);
    assert_eq!(app.agent().read(id(&call)).await["status"], "expired");
    app.clock.advance(-6 * 3600);
    assert_eq!(app.agent().read(id(&call)).await["status"], "expired");
    let fresh = app.agent().ask(json!({ "timeout_seconds": 1 })).await;
    let got = app.agent().get(&format!("/v1/calls/{}?wait=10", id(&fresh))).await.expect(200);
    assert_eq!(got["status"], "expired", "new deadlines hold by the clock as it is");
}

#[tokio::test]
async fn fault_041_streams_that_are_opened_and_dropped_leave_nothing_behind() {
    let app = TestApp::start().await;
    let call = app.agent().ask(json!({})).await;
    for _ in 0..50 {
        let mut open = Vec::new();
        for _ in 0..10 {
            open.push(Sse::open(&app.owner(), None).await);
        }
        let waits = (0..20).map(|_| {
            let agent = app.agent();
            let path = format!("/v1/calls/{}?wait=50", id(&call));
            tokio::spawn(async move { agent.get(&path).await })
        });
        let waits: Vec<_> = waits.collect();
        eventually(async || app.running().broker.load().0, |waiters| *waiters == 20).await;
        waits.iter().for_each(tokio::task::JoinHandle::abort);
        drop(open);
        eventually(async || app.running().broker.load(), |load| *load == (0, 0)).await;
    }
    assert_eq!(app.agent().read(id(&call)).await["status"], "pending");
}

#[tokio::test]
async fn fault_045_everybody_who_waits_for_a_call_gets_its_outcome() {
    let app = TestApp::start().await;
    let call = app.agent().ask(json!({})).await;
    let waits: Vec<_> = (0..64)
        .map(|_| {
            let agent = app.agent();
            let path = format!("/v1/calls/{}?wait=50", id(&call));
            tokio::spawn(async move { agent.get(&path).await.expect(200)["outcome"].clone() })
        })
        .collect();
    eventually(async || app.running().broker.load().0, |waiters| *waiters == 64).await;
    let one_more = app.agent().get(&format!("/v1/calls/{}?wait=1", id(&call))).await;
    one_more.expect_problem(429, "too_many_waiters");
    let won = app.owner().answer(id(&call), "A").await.expect(200);
    for wait in waits {
        assert_eq!(wait.await.unwrap(), won["outcome"]);
    }
}

#[tokio::test]
async fn fault_048_a_feed_that_never_reads_keeps_nobody_from_reading() {
    let app = TestApp::start().await;
    let mut deaf = TcpStream::connect(app.address).await.unwrap();
    let request = format!(
        "GET /v1/events HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\r\n",
        app.address,
        app.owner_token()
    );
    deaf.write_all(request.as_bytes()).await.unwrap();
    let mut feed = Sse::open(&app.owner(), None).await;
    feed.next().await;
    for _ in 0..40 {
        join_all((0..50).map(async |_| app.agent().ask(json!({})).await)).await;
    }
    for number in 1..=2000 {
        assert_eq!(feed.next().await.unwrap().data["seq"], number);
    }
}

#[tokio::test]
async fn fault_052_connections_that_say_nothing_or_only_half_are_closed() {
    let app = TestApp::start().await;
    let mut streams = Vec::new();
    for number in 0..100 {
        let mut stream = TcpStream::connect(app.address).await.unwrap();
        if number % 2 == 0 {
            stream.write_all(b"GET /v1/me HTTP/1.1\r\nHost: local").await.unwrap();
        }
        streams.push(stream);
    }
    let closed = join_all(streams.iter_mut().map(async |stream| {
        let mut rest = Vec::new();
        let end = tokio::time::timeout(Duration::from_secs(30), stream.read_to_end(&mut rest)).await;
        app.agent().get("/v1/me").await.expect(200);
        end.is_ok()
    }))
    .await;
    assert!(closed.into_iter().all(|closed| closed));
}

#[tokio::test]
async fn fault_069_a_stop_is_no_cancellation() {
    let directory = tempfile::tempdir().unwrap();
    let database = format!("sqlite:{}", directory.path().join("askhub.db").display());
    let setting = || Setting { database_url: Some(database.clone()), ..Setting::default() };
    let app = TestApp::with(setting()).await;
    for _ in 0..10 {
        app.agent().ask(json!({})).await;
    }
    app.stop().await;
    let app = TestApp::with(setting()).await;
    let list = app.owner().get("/v1/calls?status=pending").await.expect(200);
    assert_eq!(list["calls"].as_array().map(Vec::len), Some(10));
    let sync = app.owner().get("/v1/sync").await.expect(200);
    assert!(sync["events"].as_array().unwrap().iter().all(|event| event["type"] == "call.asked"));
    let call = &list["calls"][0];
    app.owner().answer(id(call), "A").await.expect(200);
}

#[tokio::test]
async fn fault_071_a_call_whose_askers_token_is_revoked_can_be_answered() {
    let app = TestApp::start().await;
    let made = app.owner().post("/v1/tokens", &json!({ "name": "gone" })).await.expect(201);
    let call = app.bearer(made["token"].as_str().unwrap()).ask(json!({})).await;
    app.owner().delete(&format!("/v1/tokens/{}", made["id"].as_str().unwrap())).await;
    app.owner().answer(id(&call), "A").await.expect(200);
    assert_eq!(app.owner().get("/v1/calls?status=pending").await.expect(200)["calls"], json!([]));
}

#[tokio::test]
async fn fault_077_a_call_from_an_agent_that_says_nothing_of_itself_is_there() {
    let app = TestApp::start().await;
    let call = app.agent().post("/v1/calls", &json!({ "questions": [{ "question": "Why?" }] })).await.expect(201);
    let list = app.owner().get("/v1/calls?status=pending&q=why").await.expect(200);
    assert_eq!(list["calls"][0]["id"], call["id"]);
    assert_eq!(list["calls"][0]["asker"]["name"], "agent");
}

#[tokio::test]
async fn fault_084_labels_of_any_sensible_length_are_taken() {
    let app = TestApp::start().await;
    for length in [1, 13, 31, 300, 3000] {
        for count in [1, 2, 20] {
            let options: Vec<_> =
                (0..count).map(|number| json!({ "label": format!("{number}{}", "x".repeat(length)) })).collect();
            let ask = json!({ "questions": [{ "question": "Q", "header": "h".repeat(13), "options": options }] });
            app.agent().post("/v1/calls", &ask).await.expect(201);
        }
    }
}

#[tokio::test]
async fn fault_122_requests_that_are_broken_off_leave_nothing_locked() {
    let directory = tempfile::tempdir().unwrap();
    let database = format!("sqlite:{}", directory.path().join("askhub.db").display());
    let app = TestApp::with(Setting { database_url: Some(database), ..Setting::default() }).await;
    for number in 0..300_u64 {
        let agent = app.agent();
        let ask = tokio::spawn(async move { agent.ask(json!({})).await });
        tokio::time::sleep(Duration::from_millis(number % 5)).await; // real time: breaks requests off at many moments
        ask.abort();
    }
    for _ in 0..20 {
        app.agent().ask(json!({})).await;
    }
}

#[tokio::test]
async fn an_answer_given_on_another_node_wakes_who_waits_on_this_one() {
    let Some(database) = postgres::database().await else { return };
    let setting = || Setting { database_url: Some(database.clone()), ..Setting::default() };
    let (a, b) = (TestApp::with(setting()).await, TestApp::with(setting()).await);
    let call = a.agent().ask(json!({})).await;
    let agent = a.agent();
    let path = format!("/v1/calls/{}?wait=50", id(&call));
    let wait = tokio::spawn(async move { agent.get(&path).await.expect(200) });
    eventually(async || a.owner().read(id(&call)).await, |call| call["waiters"] == 1).await;
    let mut feed = Sse::open(&a.owner(), None).await;
    feed.next().await;
    let won = b.owner().answer(id(&call), "A").await.expect(200);
    let got = tokio::time::timeout(Duration::from_secs(10), wait).await.expect("the poll finds it").unwrap();
    assert_eq!(got["outcome"], won["outcome"]);
    assert_eq!(feed.next().await.unwrap().name, "call.settled");
}
