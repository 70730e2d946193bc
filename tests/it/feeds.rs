//! The log of a space: complete, in order, and honest about gaps.

use serde_json::{Value, json};

use crate::support::app::{TestApp, eventually, id};
use crate::support::sse::Sse;

fn kinds(events: &Value) -> Vec<&str> {
    events["events"].as_array().unwrap().iter().filter_map(|event| event["type"].as_str()).collect()
}

#[tokio::test]
async fn a_feed_tells_what_happens_from_now_on() {
    let app = TestApp::start().await;
    app.agent().ask(json!({})).await;
    let mut feed = Sse::open(&app.owner(), None).await;
    let ready = feed.next().await.unwrap();
    assert_eq!(ready.name, "ready");
    assert_eq!(ready.data["next"], ready.id.as_str());
    let call = app.agent().ask(json!({})).await;
    app.owner().answer(id(&call), "A").await.expect(200);
    let asked = feed.next().await.unwrap();
    assert_eq!((asked.name.as_str(), &asked.data["call_id"]), ("call.asked", &call["id"]));
    assert_eq!((asked.data["seq"].as_u64(), asked.data["by"]["kind"].as_str()), (Some(2), Some("agent")));
    let settled = feed.next().await.unwrap();
    assert_eq!((settled.name.as_str(), settled.data["status"].as_str()), ("call.settled", Some("answered")));
    assert!(settled.data.get("outcome").is_none() && settled.data.get("title").is_none(), "events hold no content");
}

#[tokio::test]
async fn a_feed_goes_on_after_the_last_event_that_was_seen() {
    let app = TestApp::start().await;
    let mut feed = Sse::open(&app.owner(), None).await;
    let start = feed.next().await.unwrap().id;
    drop(feed);
    for _ in 0..600 {
        app.agent().ask(json!({})).await;
    }
    let mut feed = Sse::open(&app.owner(), Some(&start)).await;
    for number in 1..=600 {
        let event = feed.next().await.unwrap();
        assert_eq!((event.name.as_str(), event.data["seq"].as_u64()), ("call.asked", Some(number)));
    }
}

#[tokio::test]
async fn a_cursor_of_another_database_or_of_the_future_is_answered_with_reset() {
    let app = TestApp::start().await;
    app.agent().ask(json!({})).await;
    let good = app.owner().get("/v1/sync").await.expect(200)["next"].as_str().unwrap().to_owned();
    let (epoch, _) = good.rsplit_once('-').unwrap();
    for foreign in
        ["x-1".to_owned(), format!("{epoch}-99"), "garbage".to_owned(), "1".to_owned(), format!("{epoch}--1")]
    {
        let mut feed = Sse::open(&app.owner(), Some(&foreign)).await;
        let first = feed.next().await.unwrap();
        assert_eq!((first.name.as_str(), first.data["next"].as_str()), ("reset", Some(good.as_str())), "{foreign}");
        let sync = app.owner().get(&format!("/v1/sync?after={foreign}")).await.expect(200);
        assert_eq!((&sync["reset"], &sync["next"]), (&json!(true), &json!(good)), "{foreign}");
    }
}

#[tokio::test]
async fn sync_gives_the_log_in_pieces_from_the_oldest_kept() {
    let app = TestApp::start().await;
    for _ in 0..510 {
        app.agent().ask(json!({})).await;
    }
    let first = app.owner().get("/v1/sync").await.expect(200);
    assert_eq!((kinds(&first).len(), &first["reset"]), (500, &json!(false)));
    let next = first["next"].as_str().unwrap();
    let second = app.owner().get(&format!("/v1/sync?after={next}")).await.expect(200);
    assert_eq!(kinds(&second).len(), 10);
    let end = second["next"].as_str().unwrap();
    let none = app.owner().get(&format!("/v1/sync?after={end}")).await.expect(200);
    assert_eq!((kinds(&none).len(), none["next"].as_str()), (0, Some(end)));
}

#[tokio::test]
async fn an_agents_feed_holds_its_own_calls_alone() {
    let app = TestApp::start().await;
    let other = app.another_agent("other").await;
    let mut feed = Sse::open(&app.agent(), None).await;
    feed.next().await.unwrap();
    other.ask(json!({})).await;
    let call = app.agent().ask(json!({})).await;
    let event = feed.next().await.unwrap();
    assert_eq!((&event.data["call_id"], event.data["seq"].as_u64()), (&call["id"], Some(2)), "it rises but has holes");
}

#[tokio::test]
async fn a_feed_ends_when_its_token_is_revoked() {
    let app = TestApp::start().await;
    let made = app.owner().post("/v1/tokens", &json!({ "name": "short" })).await.expect(201);
    let client = app.bearer(made["token"].as_str().unwrap());
    let mut feed = Sse::open(&client, None).await;
    feed.next().await.unwrap();
    assert_eq!(app.owner().delete(&format!("/v1/tokens/{}", made["id"].as_str().unwrap())).await.status, 204);
    assert!(feed.next().await.is_none());
    client.get("/v1/me").await.expect_problem(401, "unauthorized");
}

#[tokio::test]
async fn feeds_over_the_limit_are_refused_and_the_others_stay() {
    let app = TestApp::start().await;
    let mut feeds = Vec::new();
    for _ in 0..20 {
        feeds.push(Sse::open(&app.agent(), None).await);
    }
    let refused = app.agent().get("/v1/events").await;
    refused.expect_problem(429, "too_many_waiters");
    assert_eq!(refused.headers["retry-after"], "5");
    drop(feeds);
    eventually(async || app.running().broker.load().1, |feeds| *feeds == 0).await;
}

#[tokio::test]
async fn a_feed_ends_when_the_service_stops() {
    let app = TestApp::start().await;
    let mut feed = Sse::open(&app.owner(), None).await;
    feed.next().await.unwrap();
    app.stop().await;
    assert!(feed.next().await.is_none());
}

#[tokio::test]
async fn receipts_are_events_and_do_not_raise_the_revision() {
    let app = TestApp::start().await;
    let call = app.agent().ask(json!({})).await;
    app.owner().answer(id(&call), "A").await.expect(200);
    app.agent().read(id(&call)).await;
    app.agent().post(&format!("/v1/calls/{}/ack", id(&call)), &json!({})).await.expect(200);
    let sync = eventually(async || app.owner().get("/v1/sync").await.json(), |sync| kinds(sync).len() == 4).await;
    assert_eq!(kinds(&sync), ["call.asked", "call.settled", "call.delivered", "call.acked"]);
    let revs: Vec<_> = sync["events"].as_array().unwrap().iter().filter_map(|event| event["rev"].as_u64()).collect();
    assert_eq!(revs, [1, 2, 2, 2]);
}

#[tokio::test]
async fn lists_page_through_everything_once_in_both_orders() {
    let app = TestApp::start().await;
    for number in 0..25 {
        let more = if number % 3 == 0 { json!({}) } else { json!({ "timeout_seconds": 1000 - number }) };
        app.agent().ask(more).await;
    }
    for sort in ["newest", "due"] {
        let mut seen = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = app.owner().get(&format!("/v1/calls?sort={sort}&limit=10{cursor}")).await.expect(200);
            seen.extend(page["calls"].as_array().unwrap().iter().map(|call| id(call).to_owned()));
            let Some(next) = page["next_cursor"].as_str() else { break };
            cursor = format!("&cursor={next}");
        }
        assert_eq!(seen.len(), 25, "{sort}");
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 25, "{sort}: none comes twice");
    }
    let due = app.owner().get("/v1/calls?sort=due&limit=1").await.expect(200);
    assert_eq!(due["calls"][0]["timeout_seconds"], 1000 - 23);
}
