//! Reads Server-Sent Events as a browser does.

use std::collections::VecDeque;
use std::time::Duration;

use futures_util::StreamExt;
use reqwest::Method;
use serde_json::Value;

use super::app::Client;

/// An open stream of events.
pub struct Sse {
    bytes: std::pin::Pin<Box<dyn futures_util::Stream<Item = reqwest::Result<bytes::Bytes>> + Send>>,
    buffer: String,
    ready: VecDeque<SseEvent>,
}

/// One event.
#[derive(Debug, Clone)]
pub struct SseEvent {
    pub name: String,
    pub id: String,
    pub data: Value,
}

impl Sse {
    /// Opens `/v1/events`, after a cursor if one is given.
    pub async fn open(client: &Client, after: Option<&str>) -> Self {
        Self::open_at(client, "/v1/events", after).await
    }

    /// Opens a stream at another path.
    pub async fn open_at(client: &Client, path: &str, after: Option<&str>) -> Self {
        let client = match after {
            Some(after) => client.clone().header("last-event-id", after.to_owned()),
            None => client.clone(),
        };
        let response = client.request(Method::GET, path, None, "").await;
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self { bytes: Box::pin(response.bytes_stream()), buffer: String::new(), ready: VecDeque::new() }
    }

    /// The next event within ten seconds; none at the end of the stream.
    pub async fn next(&mut self) -> Option<SseEvent> {
        tokio::time::timeout(Duration::from_secs(10), self.read()).await.expect("an event or the end comes in time")
    }

    async fn read(&mut self) -> Option<SseEvent> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            let bytes = self.bytes.next().await?.ok()?;
            self.buffer.push_str(std::str::from_utf8(&bytes).expect("events are UTF-8"));
            while let Some(end) = self.buffer.find("\n\n") {
                let block: String = self.buffer.drain(..end + 2).collect();
                self.ready.extend(parse(&block));
            }
        }
    }
}

/// A block of lines is one event; comments are none.
fn parse(block: &str) -> Option<SseEvent> {
    let field = |name: &str| {
        let lines = block.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        lines.collect::<Vec<_>>().join("\n")
    };
    let data = field("data");
    if data.is_empty() {
        return None;
    }
    Some(SseEvent { name: field("event"), id: field("id"), data: serde_json::from_str(&data).expect("data is JSON") })
}
