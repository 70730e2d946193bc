//! A WebSocket client that speaks JSON-RPC.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use super::app::TestApp;

/// One open socket.
pub struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Socket {
    /// Opens a socket at a URL with these headers.
    pub async fn open(url: &str, headers: &[(&'static str, String)]) -> Self {
        let mut request = url.into_client_request().unwrap();
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().unwrap());
        }
        Self(tokio_tungstenite::connect_async(request).await.expect("the upgrade is allowed").0)
    }

    /// Opens a socket for whoever holds this token.
    pub async fn of(app: &TestApp, token: &str) -> Self {
        let bearer = ("authorization", format!("Bearer {token}"));
        Self::open(&format!("ws://{}/v1/ws", app.address), &[bearer]).await
    }

    /// Sends a message as it is; the peer may close in the middle of it.
    pub async fn send_raw(&mut self, message: Message) {
        let _ = self.0.send(message).await;
    }

    /// Sends a frame.
    pub async fn send(&mut self, frame: &Value) {
        self.0.send(Message::text(frame.to_string())).await.unwrap();
    }

    /// Sends a request and waits for its reply.
    pub async fn call(&mut self, method: &str, params: Value) -> Value {
        self.send(&json!({ "jsonrpc": "2.0", "id": method, "method": method, "params": params })).await;
        self.until(|frame| frame["id"] == method).await
    }

    /// The next frame of text; the close code where the socket ends instead.
    pub async fn next(&mut self) -> Result<Value, u16> {
        loop {
            let message = tokio::time::timeout(Duration::from_secs(10), self.0.next()).await.expect("a frame in time");
            match message {
                Some(Ok(Message::Text(text))) => return Ok(serde_json::from_str(&text).unwrap()),
                Some(Ok(Message::Close(frame))) => return Err(frame.map_or(1005, |frame| frame.code.into())),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return Err(1006),
            }
        }
    }

    /// The next frame that is the wanted one.
    pub async fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let frame = self.next().await.expect("the socket is open");
            if wanted(&frame) {
                return frame;
            }
        }
    }
}
