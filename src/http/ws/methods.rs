//! The methods of the socket: each is the REST route of its name, with the call's id among its parameters.

use serde::Serialize;
use serde_json::json;

use super::frame::{self, Frame, RpcError};
use super::session::Session;
use crate::broker::{AskRequest, BrokerError, Budget, Feed, FeedItem, Presence, View};
use crate::domain::json::Json;
use crate::domain::{CallId, Digest, Faults};
use crate::http::problem::Problem;
use crate::wire::{self, EventReply};

/// Runs one request; the reply, unless it is a notification or the server stops while it waits.
pub(super) async fn run(session: &Session, frame: Frame) -> Option<String> {
    let id = frame.id.clone();
    let reply = match frame.method.as_str() {
        "ask" => ask(session, &frame.params).await,
        "wait" => wait(session, &frame.params).await,
        "answer" => answer(session, &frame.params).await,
        "decline" => decline(session, &frame.params).await,
        "cancel" => cancel(session, &frame.params).await,
        "ack" => ack(session, &frame.params).await,
        "subscribe" => subscribe(session, &frame.params).await,
        "auth" => Err(RpcError::new(-32600, "this socket has its credential already")),
        other => Err(RpcError::new(-32601, format!("there is no method {other:?}"))),
    };
    let id = id?;
    match reply {
        Ok(Reply::Call(view)) => Some(frame::result(&id, &session.app.call_reply(&view))),
        Ok(Reply::Feed(subscription)) => {
            // The reply goes first: its cursor is where the events begin.
            session.send(frame::result(&id, &subscription.reply)).await;
            subscription.start(session);
            None
        }
        Ok(Reply::None) => None,
        Err(refusal) => Some(frame::error(Some(&id), &refusal)),
    }
}

enum Reply {
    Call(Box<View>),
    Feed(Box<Subscription>),
    None,
}

struct Subscription {
    reply: serde_json::Value,
    feed: Feed,
    presence: Option<Presence>,
}

impl Subscription {
    fn start(self, session: &Session) {
        let token = session.renew_subscription();
        let session = session.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = push_events(&session, self.feed, self.presence) => {}
                () = token.cancelled() => {}
            }
        });
    }
}

type Replied = Result<Reply, RpcError>;

async fn ask(session: &Session, params: &Json) -> Replied {
    let (own, body) = split(params, &["wait", "notify"]);
    let waits = flag(&own, "wait")?;
    let notifies = flag(&own, "notify")?;
    let ask = wire::read_ask(&body).map_err(refused)?;
    let request = AskRequest { ask, same_ask: wire::same_ask(&body), dialect: None, via: session.caller.via };
    let budget = if waits { Budget::Unlimited } else { Budget::seconds(0) };
    let asked = session.app.broker.ask(&session.caller.who, request, budget).await;
    let view = asked.map_err(|error| problem(session, error))?.view;
    if notifies && !waits {
        notify_when_settled(session, view.call.id);
    }
    Ok(outcome_or_nothing(waits, view))
}

/// A wait that the server's stop ended has no reply: the client sends it again to the next server.
fn outcome_or_nothing(waits: bool, view: View) -> Reply {
    if waits && !view.call.is_settled() { Reply::None } else { Reply::Call(Box::new(view)) }
}

fn notify_when_settled(session: &Session, id: CallId) {
    let session = session.clone();
    tokio::spawn(async move {
        let settled = session.app.broker.wait(&session.caller.who, id, Budget::Unlimited);
        let view = tokio::select! {
            view = settled => view,
            () = session.gone.cancelled() => return,
        };
        match view {
            Ok(view) if view.call.is_settled() => {
                session.send(frame::notification("settled", &session.app.call_reply(&view))).await;
            }
            Ok(_) => {}
            Err(error) => tracing::warn!(call.id = %id, %error, "could not wait for call {id} to notify its asker"),
        }
    });
}

async fn wait(session: &Session, params: &Json) -> Replied {
    let (id, body) = call_and_body(params)?;
    wire::read_empty(&body).map_err(refused)?;
    let view = session.app.broker.wait(&session.caller.who, id, Budget::Unlimited).await;
    Ok(outcome_or_nothing(true, view.map_err(|error| problem(session, error))?))
}

async fn answer(session: &Session, params: &Json) -> Replied {
    let (id, body) = call_and_body(params)?;
    let form = wire::read_answer(&body).map_err(refused)?;
    let caller = &session.caller;
    let given = session.app.broker.answer(&caller.who, caller.via, id, form.into(), digest(&body)).await;
    call(session, given.map(|given| given.view))
}

async fn decline(session: &Session, params: &Json) -> Replied {
    let (id, body) = call_and_body(params)?;
    let form = wire::read_decline(&body).map_err(refused)?;
    let caller = &session.caller;
    let given = session.app.broker.decline(&caller.who, caller.via, id, form.into(), digest(&body)).await;
    call(session, given.map(|given| given.view))
}

async fn cancel(session: &Session, params: &Json) -> Replied {
    let (id, body) = call_and_body(params)?;
    let form = wire::read_cancel(&body).map_err(refused)?;
    let caller = &session.caller;
    let done = session.app.broker.cancel(&caller.who, caller.via, id, form.reason, form.answer_id, digest(&body));
    call(session, done.await)
}

async fn ack(session: &Session, params: &Json) -> Replied {
    let (id, body) = call_and_body(params)?;
    wire::read_empty(&body).map_err(refused)?;
    call(session, session.app.broker.acknowledge(&session.caller.who, session.caller.via, id).await)
}

/// Begins the feed; a later `subscribe` replaces it.
async fn subscribe(session: &Session, params: &Json) -> Replied {
    let (own, rest) = split(params, &["after"]);
    wire::read_empty(&rest).map_err(refused)?;
    let after = match own.get("after") {
        None | Some(Json::Null) => None,
        Some(Json::String(after)) => Some(after.clone()),
        Some(_) => return Err(wrong("/after", "after is a cursor: a string")),
    };
    let who = &session.caller.who;
    let mut feed = session.app.broker.follow(who, after.as_deref()).await.map_err(|error| problem(session, error))?;
    let presence = if session.caller.is_page() { Some(session.app.broker.attend(&who.space).await) } else { None };
    let (next, reset) = match feed.opening() {
        Some(FeedItem::Reset(next)) => (next, true),
        Some(FeedItem::Ready(next)) => (next, false),
        _ => (after.unwrap_or_default(), false),
    };
    let reply = json!({ "next": next, "reset": reset });
    Ok(Reply::Feed(Box::new(Subscription { reply, feed, presence })))
}

#[derive(Serialize)]
struct EventParams {
    #[serde(flatten)]
    event: EventReply,
    cursor: String,
}

async fn push_events(session: &Session, mut feed: Feed, _presence: Option<Presence>) {
    loop {
        match feed.next().await {
            Ok(Some(FeedItem::Event(event, cursor))) => {
                let params = EventParams { event: event.into(), cursor };
                session.send(frame::notification("event", &params)).await;
            }
            Ok(Some(FeedItem::Ready(next) | FeedItem::Reset(next))) => {
                session.send(frame::notification("reset", &json!({ "next": next }))).await;
            }
            Ok(None) => return,
            Err(error) => {
                tracing::warn!(%error, "a subscription ended because the store failed");
                session.gone.cancel();
                return;
            }
        }
    }
}

fn call(session: &Session, result: Result<View, BrokerError>) -> Replied {
    match result {
        Ok(view) => Ok(Reply::Call(Box::new(view))),
        Err(error) => Err(problem(session, error)),
    }
}

fn problem(session: &Session, error: BrokerError) -> RpcError {
    Problem::of(&session.app, error).into()
}

fn refused(faults: Faults) -> RpcError {
    RpcError { code: -32602, ..RpcError::from(Problem::from(faults)) }
}

fn wrong(pointer: &str, detail: &str) -> RpcError {
    let mut faults = Faults::new();
    faults.add(pointer, detail);
    refused(faults)
}

/// The same body as the REST way would have, so that one `answer_id` means one act by both.
fn digest(body: &Json) -> Digest {
    Digest::of(body.to_canonical_text().as_bytes())
}

fn call_and_body(params: &Json) -> Result<(CallId, Json), RpcError> {
    let (own, body) = split(params, &["id"]);
    let Some(Json::String(id)) = own.get("id") else {
        return Err(wrong("/id", "the call's id is missing"));
    };
    match id.parse() {
        Ok(id) => Ok((id, body)),
        Err(_) => Err(Problem::not_found().into()),
    }
}

/// Parts the socket's own parameters from the REST body.
fn split(params: &Json, own: &[&str]) -> (Json, Json) {
    let Json::Object(members) = params else { return (Json::Null, params.clone()) };
    let (own, body): (Vec<_>, Vec<_>) = members.iter().cloned().partition(|(name, _)| own.contains(&name.as_str()));
    (Json::Object(own), Json::Object(body))
}

fn flag(own: &Json, name: &str) -> Result<bool, RpcError> {
    match own.get(name) {
        None | Some(Json::Null) => Ok(false),
        Some(Json::Bool(flag)) => Ok(*flag),
        Some(_) => Err(wrong(&format!("/{name}"), "must be true or false")),
    }
}
