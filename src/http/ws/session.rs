//! One open socket: reads frames, runs requests side by side, writes replies, and knows when to end.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use futures_util::stream::SplitSink;
use futures_util::{SinkExt, StreamExt};
use tokio::sync::{Semaphore, mpsc};
use tokio::time::{Instant, MissedTickBehavior, timeout};
use tokio_util::sync::CancellationToken;

use super::frame::{self, Frame, RpcError};
use super::methods;
use crate::domain::limits::{BODY_BYTES_MAX, HEARTBEAT, REQUESTS_PER_SOCKET_MAX};
use crate::http::App;
use crate::http::guard::Caller;

/// Frames that wait to be written; whoever adds one waits while it is full.
const OUTGOING_MAX: usize = 256;
/// A peer that takes nothing for so long is closed.
const WRITE_TIME: Duration = Duration::from_secs(10);
/// A peer of which nothing is heard for so long, pongs included, is gone.
const SILENCE_MAX: Duration = Duration::from_secs(60);
/// How long requests that were read may still take to reply when the socket ends.
const DRAIN_TIME: Duration = Duration::from_secs(2);

/// What every task of a socket shares.
#[derive(Clone)]
pub(super) struct Session {
    pub app: App,
    pub caller: Caller,
    /// Ends when the socket does.
    pub gone: CancellationToken,
    outgoing: mpsc::Sender<Message>,
    room: Arc<Semaphore>,
    subscription: Arc<std::sync::Mutex<CancellationToken>>,
}

/// Why a socket ends.
struct End {
    code: u16,
    reason: &'static str,
}

/// Serves a socket until it ends.
pub(super) async fn serve(app: App, caller: Caller, socket: WebSocket) {
    let (outgoing, replies) = mpsc::channel(OUTGOING_MAX);
    let gone = CancellationToken::new();
    let session = Session {
        app,
        caller,
        subscription: Arc::new(std::sync::Mutex::new(gone.child_token())),
        gone,
        outgoing,
        room: Arc::new(Semaphore::new(REQUESTS_PER_SOCKET_MAX)),
    };
    session.run(socket, replies).await;
}

const TOO_LONG: End = End { code: 1009, reason: "a message has at most 1 MiB" };

impl Session {
    async fn run(self, socket: WebSocket, replies: mpsc::Receiver<Message>) {
        let (sink, stream) = socket.split();
        let closing = CancellationToken::new();
        let writer = tokio::spawn(write(sink, replies, closing.clone(), self.gone.clone()));
        let end = self.read(stream).await;
        let outgoing = self.outgoing.clone();
        if end.code != 1012 {
            self.gone.cancel();
        } else {
            // What was read before the stop is still replied to; waits end without a reply, and are sent again.
            let drained = self.room.acquire_many(u32::try_from(REQUESTS_PER_SOCKET_MAX).unwrap_or(u32::MAX));
            let _ = timeout(DRAIN_TIME, drained).await;
            self.gone.cancel();
        }
        let close = Message::Close(Some(CloseFrame { code: end.code, reason: end.reason.into() }));
        let _ = timeout(WRITE_TIME, outgoing.send(close)).await;
        closing.cancel();
        if writer.await.is_err() {
            tracing::error!("a socket's writer panicked");
        }
    }

    /// Puts a frame into the queue; waits while the peer is slow.
    pub async fn send(&self, text: String) {
        tokio::select! {
            _ = self.outgoing.send(Message::Text(text.into())) => {}
            () = self.gone.cancelled() => {}
        }
    }

    /// Replaces the socket's subscription: the token under which the new one runs.
    pub fn renew_subscription(&self) -> CancellationToken {
        let new = self.gone.child_token();
        if let Ok(mut current) = self.subscription.lock() {
            std::mem::replace(&mut *current, new.clone()).cancel();
        }
        new
    }

    async fn read(&self, mut stream: futures_util::stream::SplitStream<WebSocket>) -> End {
        let mut ended = std::pin::pin!(self.caller.ended(&self.app));
        let mut ping = tokio::time::interval(HEARTBEAT);
        ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut heard = Instant::now();
        loop {
            tokio::select! {
                message = stream.next() => {
                    heard = Instant::now();
                    if let Some(end) = self.take(message) {
                        return end;
                    }
                }
                () = &mut ended => return End { code: 1008, reason: "the credential is no longer valid" },
                _ = ping.tick() => {
                    if heard.elapsed() > SILENCE_MAX {
                        return End { code: 1008, reason: "nothing was heard for 60 seconds" };
                    }
                    // A full queue means that the peer is slow: the writer deals with that.
                    let _ = self.outgoing.try_send(Message::Ping(bytes::Bytes::new()));
                }
                () = self.gone.cancelled() => return End { code: 1008, reason: "the peer reads too slowly" },
                () = self.app.broker.stopped() => return End { code: 1012, reason: "the server restarts" },
            }
        }
    }

    /// Deals with what came; the end, if it ends the socket.
    fn take(&self, message: Option<Result<Message, axum::Error>>) -> Option<End> {
        match message {
            Some(Ok(Message::Text(text))) if text.len() > BODY_BYTES_MAX => Some(TOO_LONG),
            Some(Ok(Message::Text(text))) => {
                self.begin(&text);
                None
            }
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => None,
            Some(Ok(Message::Binary(_))) => Some(End { code: 1003, reason: "frames are text" }),
            Some(Ok(Message::Close(_))) | None => Some(End { code: 1000, reason: "" }),
            Some(Err(error)) => Some(broken(&error)),
        }
    }

    /// Begins a request in a task of its own.
    fn begin(&self, text: &str) {
        let session = self.clone();
        let frame = Frame::read(text);
        let Ok(permit) = Arc::clone(&self.room).try_acquire_owned() else {
            let refusal = RpcError::new(-32000, "too_many_waiters");
            let id = frame.ok().and_then(|frame| frame.id);
            let _ = self.outgoing.try_send(Message::Text(frame::error(id.as_deref(), &refusal).into()));
            return;
        };
        tokio::spawn(async move {
            let _permit = permit;
            let reply = async {
                match frame {
                    Ok(frame) => methods::run(&session, frame).await,
                    Err((id, refusal)) => Some(frame::error(id.as_deref(), &refusal)),
                }
            };
            tokio::select! {
                reply = reply => {
                    if let Some(reply) = reply {
                        session.send(reply).await;
                    }
                }
                () = session.gone.cancelled() => {}
            }
        });
    }
}

fn broken(error: &axum::Error) -> End {
    // The one thing that tells a message which is too long from other faults is its text.
    if error.to_string().contains("too long") || error.to_string().contains("Space limit") {
        TOO_LONG
    } else {
        End { code: 1002, reason: "not a WebSocket frame" }
    }
}

/// Writes what is queued. Ends the socket if the peer takes nothing for ten seconds.
async fn write(
    mut sink: SplitSink<WebSocket, Message>,
    mut replies: mpsc::Receiver<Message>,
    closing: CancellationToken,
    gone: CancellationToken,
) {
    loop {
        let message = tokio::select! {
            biased;
            message = replies.recv() => message,
            () = closing.cancelled() => None,
        };
        let Some(message) = message else { break };
        let is_last = matches!(message, Message::Close(_));
        match timeout(WRITE_TIME, sink.send(message)).await {
            Ok(Ok(())) if !is_last => {}
            Ok(_) => break,
            Err(_) => {
                let frame = CloseFrame { code: 1008, reason: "the peer reads too slowly".into() };
                let _ = timeout(Duration::from_secs(1), sink.send(Message::Close(Some(frame)))).await;
                break;
            }
        }
    }
    gone.cancel();
    let _ = timeout(Duration::from_secs(1), sink.close()).await;
}
