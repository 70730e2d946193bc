//! Many waits on few WebSockets: one request each, replied to when its call has the outcome.

use std::sync::Arc;

use anyhow::{Context as _, ensure};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use serde::Deserialize;
use serde_json::json;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};
use tokio_tungstenite::{WebSocketStream, client_async};

use super::calls::{self, Call};
use super::lab::Broker;

type Socket = WebSocketStream<TcpStream>;
type Sink = SplitSink<Socket, Message>;

#[derive(Deserialize)]
struct Reply {
    id: usize,
    result: Option<Call>,
}

/// Opens the sockets and asks on each its share of the calls, whenever there is a turn.
pub async fn park(
    broker: &Broker,
    sockets: usize,
    count: usize,
    turns: &Arc<Semaphore>,
    waits: &mut JoinSet<anyhow::Result<()>>,
) -> anyhow::Result<()> {
    for number in 0..sockets {
        let (sink, stream) = open(broker).await?.split();
        let share = count / sockets + usize::from(number < count % sockets);
        let turns = Arc::clone(turns);
        waits.spawn(async move {
            // The stream's half answers pings, too.
            tokio::try_join!(ask_all(sink, number, share, turns), receive_all(stream, number, share)).map(drop)
        });
    }
    Ok(())
}

async fn ask_all(mut sink: Sink, number: usize, share: usize, turns: Arc<Semaphore>) -> anyhow::Result<()> {
    for id in 0..share {
        turns.acquire().await?.forget();
        let mut params = calls::ask(&title(number, id));
        params["wait"] = json!(true);
        let frame = json!({ "jsonrpc": "2.0", "id": id, "method": "ask", "params": params });
        sink.send(Message::text(frame.to_string())).await?;
    }
    Ok(())
}

async fn open(broker: &Broker) -> anyhow::Result<Socket> {
    let program = &broker.program;
    let mut request = format!("ws://{}/v1/ws", program.address).into_client_request()?;
    request.headers_mut().insert("authorization", format!("Bearer {}", program.agent).parse()?);
    let stream = TcpStream::connect(program.address).await?;
    stream.set_nodelay(true)?;
    let (socket, _) = client_async(request, stream).await.context("could not open a WebSocket")?;
    Ok(socket)
}

/// Ends when every request of the socket has its own call's outcome, each once.
async fn receive_all(mut stream: SplitStream<Socket>, number: usize, share: usize) -> anyhow::Result<()> {
    let mut has_reply = vec![false; share];
    for _ in 0..share {
        let text = next_text(&mut stream).await?;
        let reply: Reply = serde_json::from_str(&text).with_context(|| format!("a frame is {text}"))?;
        let call = reply.result.with_context(|| format!("an ask was refused: {text}"))?;
        call.expect_own_answer(&title(number, reply.id))?;
        let is_first = has_reply.get_mut(reply.id).is_some_and(|has| !std::mem::replace(has, true));
        ensure!(is_first, "request {} on socket {number} got a second reply", reply.id);
    }
    Ok(())
}

async fn next_text(stream: &mut SplitStream<Socket>) -> anyhow::Result<Utf8Bytes> {
    loop {
        match stream.next().await.context("a WebSocket ended")?? {
            Message::Text(text) => return Ok(text),
            Message::Ping(_) | Message::Pong(_) => {}
            other => anyhow::bail!("a WebSocket says {other:?}"),
        }
    }
}

fn title(socket: usize, id: usize) -> String {
    format!("wait {id} on socket {socket}")
}
