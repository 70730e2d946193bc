//! `/v1/ws`: JSON-RPC 2.0 over one WebSocket, for agents with many calls and for pages.
//!
//! Requests are answered in any order, each by a task of its own. A socket that goes away ends its waits and nothing
//! else: what was being written is written.

mod frame;
mod methods;
mod session;

use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use tokio::time::timeout;

use super::App;
use super::guard::MaybeCaller;
use super::problem::Problem;
use crate::domain::limits::BODY_BYTES_MAX;

use frame::{Frame, close};

/// How long a socket without a credential may take to send its `auth` frame.
const AUTH_TIME: std::time::Duration = std::time::Duration::from_secs(5);

/// Small buffers: 6.5 KB instead of 137 KB for an idle socket (measured, DESIGN.md 8).
const BUFFER_BYTES: usize = 4 << 10;

/// What is read of one message, in bytes. More than is allowed: a message that is a little too long is read to its end
/// and refused with 1009; were it left unread, the connection would be reset and the peer not told why.
const MESSAGE_BYTES_READ_MAX: usize = 2 * BODY_BYTES_MAX;

/// Open a WebSocket (JSON-RPC 2.0): `ask`, `wait`, `answer`, `decline`, `cancel`, `ack`, `subscribe`.
///
/// The credential is a bearer token or a session with our Origin at the upgrade, else a first frame `auth {token}`
/// within 5 s.
#[utoipa::path(get, path = "/v1/ws", tag = "feed", responses((status = 101, description = "Switched to WebSocket")))]
pub async fn open(
    State(app): State<App>,
    MaybeCaller(caller): MaybeCaller,
    upgrade: WebSocketUpgrade,
) -> Result<Response, Problem> {
    let upgrade = upgrade
        .read_buffer_size(BUFFER_BYTES)
        .write_buffer_size(BUFFER_BYTES)
        .max_write_buffer_size(2 * BODY_BYTES_MAX)
        .max_message_size(MESSAGE_BYTES_READ_MAX)
        .max_frame_size(MESSAGE_BYTES_READ_MAX);
    Ok(upgrade.on_upgrade(move |mut socket| {
        let sockets = app.sockets();
        sockets.track_future(async move {
            let caller = match caller {
                Some(caller) => Some(caller),
                None => timeout(AUTH_TIME, first_frame(&app, &mut socket)).await.ok().flatten(),
            };
            match caller {
                Some(caller) => session::serve(app, caller.over_ws(), socket).await,
                None => close(socket, 1008, "no valid credential within 5 seconds").await,
            }
        })
    }))
}

/// The caller whom the first frame names, if it is `auth {token}` with a good token.
async fn first_frame(app: &App, socket: &mut WebSocket) -> Option<super::guard::Caller> {
    loop {
        match socket.recv().await?.ok()? {
            Message::Text(text) => {
                let frame = Frame::read(&text).ok()?;
                let token = frame.params.get("token").filter(|_| frame.method == "auth")?;
                let crate::domain::json::Json::String(token) = token else { return None };
                let caller = super::guard::Caller::by_token(app, token).await?;
                let reply = frame::result(&frame.id?, &serde_json::json!({ "name": caller.who.name }));
                socket.send(Message::Text(reply.into())).await.ok()?;
                return Some(caller);
            }
            Message::Ping(_) | Message::Pong(_) => {}
            Message::Binary(_) | Message::Close(_) => return None,
        }
    }
}
