//! A space's log over HTTP: as a stream that goes on (SSE), and in pieces (`/v1/sync`).

use std::convert::Infallible;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::sse::{Event as SseEvent, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, Stream};

use super::App;
use super::body::Query;
use super::guard::Caller;
use super::problem::Problem;
use crate::broker::{Feed, FeedItem, Presence};
use crate::domain::limits::HEARTBEAT;
use crate::wire::{EventReply, ProblemReply, SyncReply};

/// Follow a space's log (Server-Sent Events). Starts now, or after `Last-Event-ID`.
///
/// Events are named by their type; `ready {next}` comes first where the stream starts now, `reset {next}` where the
/// cursor that was given cannot be continued. A comment comes at least every 15 s.
#[utoipa::path(
    get, path = "/v1/events", tag = "feed",
    params(("Last-Event-ID" = Option<String>, Header, description = "Cursor to go on from")),
    responses((status = 200, description = "A stream of events", content_type = "text/event-stream", body = EventReply),
              (status = 429, description = "Too many open feeds", body = ProblemReply))
)]
pub async fn events(
    State(app): State<App>,
    caller: Caller,
    query: Query,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    query.finish()?;
    let after = headers.get("last-event-id").map(|id| id.to_str().unwrap_or("unreadable").to_owned());
    let feed = app.broker.follow(&caller.who, after.as_deref()).await.map_err(|error| Problem::of(&app, error))?;
    // Before the first byte: whoever sees the stream open can count on being reachable.
    let presence = if caller.is_page() { Some(app.broker.attend(&caller.who.space).await) } else { None };
    let stream = stream(app, caller, feed, presence);
    let keep_alive = KeepAlive::new().interval(HEARTBEAT);
    let mut response = Sse::new(stream).keep_alive(keep_alive).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store, no-transform"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

/// The log after a cursor, up to 500 events; from the oldest kept without `after`.
#[utoipa::path(
    get, path = "/v1/sync", tag = "feed",
    params(("after" = Option<String>, Query, description = "Cursor to go on from")),
    responses((status = 200, description = "Events in order", body = SyncReply))
)]
pub async fn sync(State(app): State<App>, caller: Caller, mut query: Query) -> Result<Json<SyncReply>, Problem> {
    let after = query.text("after");
    query.finish()?;
    let page = app.broker.sync(&caller.who, after.as_deref()).await.map_err(|error| Problem::of(&app, error))?;
    let events = page.events.into_iter().map(EventReply::from).collect();
    Ok(Json(SyncReply { events, next: page.next, reset: page.reset }))
}

struct Open {
    app: App,
    caller: Caller,
    feed: Feed,
    _presence: Option<Presence>,
}

/// The stream ends when the broker stops, when the store fails (the client comes back with its cursor), and within
/// five seconds of the token or session being revoked.
fn stream(
    app: App,
    caller: Caller,
    feed: Feed,
    presence: Option<Presence>,
) -> impl Stream<Item = Result<SseEvent, Infallible>> {
    let open = Open { app, caller, feed, _presence: presence };
    stream::unfold(open, |mut open| async move {
        let item = tokio::select! {
            item = open.feed.next() => item,
            () = open.caller.ended(&open.app) => return None,
        };
        match item {
            Ok(Some(item)) => Some((Ok(sse_event(item)), open)),
            Ok(None) => None,
            Err(error) => {
                tracing::warn!(%error, "a feed ended because the store failed");
                None
            }
        }
    })
}

fn sse_event(item: FeedItem) -> SseEvent {
    let (name, id, data) = match item {
        FeedItem::Ready(next) => ("ready", next.clone(), next_data(&next)),
        FeedItem::Reset(next) => ("reset", next.clone(), next_data(&next)),
        FeedItem::Event(event, cursor) => {
            let name = event.kind.name();
            (name, cursor, serde_json::to_string(&EventReply::from(event)).unwrap_or_default())
        }
    };
    let event = SseEvent::default().event(name).id(id).data(data);
    // With jitter, so that the pages of a server that restarts do not all come back in the same moment (BUGS 061).
    if name == "ready" || name == "reset" {
        event.retry(Duration::from_millis(rand::random_range(500..3000)))
    } else {
        event
    }
}

fn next_data(next: &str) -> String {
    serde_json::json!({ "next": next }).to_string()
}
