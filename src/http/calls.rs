//! `/v1/calls` and what is done to a call.

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::App;
use super::body::{CallPath, JsonBody, Query};
use super::guard::Caller;
use super::problem::Problem;
use crate::broker::{
    AnswerSubmission, AskRequest, Budget, CallQuery, Cursor, DeclineSubmission, Given, Sort, StatusFilter, View,
};
use crate::domain::limits::{PAGE_CALLS_DEFAULT, PAGE_CALLS_MAX, WAIT_SECONDS_MAX};
use crate::domain::{AskForm, CallId, Terms};
use crate::wire::{self, AnyWaitReply, CallList, CallReply, ProblemReply};

/// Ask. The same key with the same ask gives the same call again, whatever its state.
#[utoipa::path(
    post, path = "/v1/calls", tag = "calls", request_body = AskForm,
    params(("wait" = Option<u64>, Query, description = "Seconds to hold for the outcome: 0 to 50")),
    responses(
        (status = 201, description = "Made now", body = CallReply),
        (status = 200, description = "The key names this call", body = CallReply),
        (status = 409, description = "`key_reused`: the key names another ask", body = ProblemReply),
        (status = 422, description = "The ask breaks rules", body = ProblemReply),
        (status = 429, description = "Too many pending calls", body = ProblemReply),
    )
)]
pub async fn ask(
    State(app): State<App>,
    caller: Caller,
    mut query: Query,
    headers: HeaderMap,
    body: JsonBody,
) -> Result<Response, Problem> {
    let wait = query.wait();
    query.finish()?;
    let ask = wire::read_ask(&body.json)?;
    let request = AskRequest { ask, same_ask: wire::same_ask(&body.json), dialect: None, via: caller.via };
    let asked = app.broker.ask(&caller.who, request, Budget::seconds(wait)).await;
    let asked = asked.map_err(|error| Problem::of(&app, error))?;
    let status = if asked.is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, show(&app, &headers, &asked.view)).into_response())
}

/// Read a call; with `wait` hold until it is settled. Always the call, pending or settled.
#[utoipa::path(
    get, path = "/v1/calls/{id}", tag = "calls",
    params(
        ("id" = String, Path, description = "The call's id"),
        ("wait" = Option<u64>, Query, description = "Seconds to hold for the outcome: 0 to 50"),
        ("nodes" = Option<u64>, Query, description = "1: with the markdown texts as node trees in `nodes`"),
    ),
    responses(
        (status = 200, description = "The call", body = CallReply),
        (status = 404, description = "No such call for this asker", body = ProblemReply),
    )
)]
pub async fn get(
    State(app): State<App>,
    caller: Caller,
    CallPath(id): CallPath,
    mut query: Query,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let wait = query.wait();
    let with_nodes = query.whole("nodes", 1) == Some(1);
    query.finish()?;
    let view = app.broker.wait(&caller.who, id, Budget::seconds(wait)).await;
    let view = view.map_err(|error| Problem::of(&app, error))?;
    if with_nodes {
        return Ok(super::nodes::call_with_nodes(&app.call_reply(&view)).into_response());
    }
    Ok(show(&app, &headers, &view))
}

/// List calls: an agent's own, for a person those of the space.
#[utoipa::path(
    get, path = "/v1/calls", tag = "calls",
    params(
        ("status" = Option<String>, Query, description = "Only those with this status; `settled` is every final one"),
        ("key" = Option<String>, Query, description = "Only those with this key"),
        ("agent" = Option<String>, Query, description = "Only those whose agent has this name"),
        ("q" = Option<String>, Query, description = "Only those whose title, questions or context contain this"),
        ("sort" = Option<String>, Query, description = "`newest` (default) or `due`"),
        ("cursor" = Option<String>, Query, description = "`next_cursor` of the page before"),
        ("limit" = Option<u64>, Query, description = "1 to 200; 50 without it"),
    ),
    responses((status = 200, description = "A page", body = CallList), (status = 422, body = ProblemReply))
)]
pub async fn list(State(app): State<App>, caller: Caller, mut query: Query) -> Result<Response, Problem> {
    let wanted = read_list_query(&mut query);
    query.finish()?;
    let sort = wanted.sort;
    let page = app.broker.list(&caller.who, wanted).await.map_err(|error| Problem::of(&app, error))?;
    let calls = page.views.iter().map(|view| app.call_reply(view)).collect();
    let next_cursor = page.next.map(|cursor| write_cursor(sort, cursor));
    Ok(axum::Json(CallList { calls, next_cursor }).into_response())
}

/// Wait for up to 500 calls: returns at the first that is settled.
#[utoipa::path(
    post, path = "/v1/wait", tag = "calls", request_body = wire::AnyWaitForm,
    responses((status = 200, description = "What is settled, pending, unknown", body = AnyWaitReply),
              (status = 422, body = ProblemReply))
)]
pub async fn wait(State(app): State<App>, caller: Caller, body: JsonBody) -> Result<Response, Problem> {
    let form = wire::read_any_wait(&body.json)?;
    let (ids, mut unknown) = form.split_ids();
    let budget = Budget::seconds(form.wait.unwrap_or(0).min(WAIT_SECONDS_MAX));
    let state = app.broker.wait_any(&caller.who, &ids, budget).await.map_err(|error| Problem::of(&app, error))?;
    unknown.extend(state.unknown.iter().map(CallId::to_string));
    let settled = state.settled.iter().map(|view| app.call_reply(view)).collect();
    Ok(axum::Json(AnyWaitReply { settled, pending: state.pending, unknown }).into_response())
}

/// A person answers. The first answer wins; one that comes late is kept.
#[utoipa::path(
    post, path = "/v1/calls/{id}/answer", tag = "calls", request_body = wire::AnswerForm,
    params(("id" = String, Path, description = "The call's id")),
    responses(
        (status = 200, description = "It won", body = CallReply),
        (status = 202, description = "It is held: `undo` takes it back until it settles the call", body = CallReply),
        (status = 403, description = "An agent may not answer", body = ProblemReply),
        (status = 404, body = ProblemReply),
        (status = 409, description = "`already_settled`, `held`, `claim_lost`, `rev_mismatch`, `answer_id_reused`; with the call",
         body = ProblemReply),
        (status = 422, description = "The answers do not fit the questions", body = ProblemReply),
    )
)]
pub async fn answer(
    State(app): State<App>,
    caller: Caller,
    CallPath(id): CallPath,
    body: JsonBody,
) -> Result<Response, Problem> {
    let form = wire::read_answer(&body.json)?;
    given(&app, app.broker.answer(&caller.who, caller.via, id, form.into(), body.digest).await)
}

/// A person refuses to answer, or asks to be asked differently.
#[utoipa::path(
    post, path = "/v1/calls/{id}/decline", tag = "calls", request_body = wire::DeclineForm,
    params(("id" = String, Path, description = "The call's id")),
    responses((status = 200, body = CallReply), (status = 202, description = "It is held", body = CallReply),
              (status = 403, body = ProblemReply), (status = 404, body = ProblemReply),
              (status = 409, body = ProblemReply), (status = 422, body = ProblemReply))
)]
pub async fn decline(
    State(app): State<App>,
    caller: Caller,
    CallPath(id): CallPath,
    body: JsonBody,
) -> Result<Response, Problem> {
    let form = wire::read_decline(&body.json)?;
    given(&app, app.broker.decline(&caller.who, caller.via, id, form.into(), body.digest).await)
}

/// The asker or an admin withdraws a call.
#[utoipa::path(
    post, path = "/v1/calls/{id}/cancel", tag = "calls", request_body = wire::CancelForm,
    params(("id" = String, Path, description = "The call's id")),
    responses((status = 200, body = CallReply), (status = 403, body = ProblemReply), (status = 404, body = ProblemReply),
              (status = 409, body = ProblemReply), (status = 422, body = ProblemReply))
)]
pub async fn cancel(
    State(app): State<App>,
    caller: Caller,
    CallPath(id): CallPath,
    body: JsonBody,
) -> Result<axum::Json<CallReply>, Problem> {
    let form = wire::read_cancel(&body.json)?;
    reply(&app, app.broker.cancel(&caller.who, caller.via, id, form.reason, form.answer_id, body.digest).await)
}

/// The asker or a responder moves the deadline to `seconds` from now, never earlier than it was.
#[utoipa::path(
    post, path = "/v1/calls/{id}/extend", tag = "calls", request_body = wire::ExtendForm,
    params(("id" = String, Path, description = "The call's id")),
    responses((status = 200, body = CallReply), (status = 404, body = ProblemReply),
              (status = 409, body = ProblemReply), (status = 422, body = ProblemReply))
)]
pub async fn extend(
    State(app): State<App>,
    caller: Caller,
    CallPath(id): CallPath,
    body: JsonBody,
) -> Result<axum::Json<CallReply>, Problem> {
    let form = wire::read_extend(&body.json)?;
    reply(&app, app.broker.extend(&caller.who, caller.via, id, form.seconds, form.answer_id, body.digest).await)
}

/// The asker confirms that it has the outcome.
#[utoipa::path(
    post, path = "/v1/calls/{id}/ack", tag = "calls",
    params(("id" = String, Path, description = "The call's id")),
    responses((status = 200, body = CallReply), (status = 403, body = ProblemReply), (status = 404, body = ProblemReply),
              (status = 409, description = "`not_settled`", body = ProblemReply))
)]
pub async fn ack(
    State(app): State<App>,
    caller: Caller,
    CallPath(id): CallPath,
    body: JsonBody,
) -> Result<axum::Json<CallReply>, Problem> {
    wire::read_empty(&body.json)?;
    reply(&app, app.broker.acknowledge(&caller.who, caller.via, id).await)
}

/// An admin erases a settled call: its content goes, its events stay.
#[utoipa::path(
    delete, path = "/v1/calls/{id}", tag = "calls",
    params(("id" = String, Path, description = "The call's id")),
    responses((status = 204, description = "Erased"), (status = 403, body = ProblemReply),
              (status = 404, body = ProblemReply), (status = 409, description = "`not_settled`", body = ProblemReply))
)]
pub async fn erase(State(app): State<App>, caller: Caller, CallPath(id): CallPath) -> Result<StatusCode, Problem> {
    app.broker.erase(&caller.who, caller.via, id).await.map_err(|error| Problem::of(&app, error))?;
    Ok(StatusCode::NO_CONTENT)
}

impl From<wire::AnswerForm> for AnswerSubmission {
    fn from(form: wire::AnswerForm) -> Self {
        let terms = terms(form.rev, form.claim, form.hold_seconds);
        Self { answers: form.answers, reply: form.reply, answer_id: form.answer_id, terms }
    }
}

impl From<wire::DeclineForm> for DeclineSubmission {
    fn from(form: wire::DeclineForm) -> Self {
        Self {
            reason: form.reason,
            clarify: form.clarify.unwrap_or(false),
            reply: form.reply,
            answers: form.answers.unwrap_or_default(),
            answer_id: form.answer_id,
            terms: terms(form.rev, form.claim, form.hold_seconds),
        }
    }
}

fn terms(rev: Option<u64>, claim: Option<u64>, hold_seconds: Option<u64>) -> Terms {
    Terms { rev, claim, hold_seconds: hold_seconds.unwrap_or(0) }
}

fn given(app: &App, result: Result<Given, crate::broker::BrokerError>) -> Result<Response, Problem> {
    let given = result.map_err(|error| Problem::of(app, error))?;
    let status = if given.is_held { StatusCode::ACCEPTED } else { StatusCode::OK };
    Ok((status, axum::Json(app.call_reply(&given.view))).into_response())
}

pub(super) fn reply(
    app: &App,
    result: Result<View, crate::broker::BrokerError>,
) -> Result<axum::Json<CallReply>, Problem> {
    match result {
        Ok(view) => Ok(axum::Json(app.call_reply(&view))),
        Err(error) => Err(Problem::of(app, error)),
    }
}

/// The call as JSON; for an agent that has only a shell, `Accept: text/plain` gives just the model-facing text.
fn show(app: &App, headers: &HeaderMap, view: &View) -> Response {
    let wants_text = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).is_some_and(|accept| {
        accept.split(',').next().is_some_and(|first| first.trim().to_ascii_lowercase().starts_with("text/plain"))
    });
    if !wants_text {
        return axum::Json(app.call_reply(view)).into_response();
    }
    let outcome = view.call.read_outcome();
    let text = outcome.map_or_else(|| "Nobody has answered yet.".to_owned(), |outcome| outcome.text);
    let status = HeaderValue::from_static(view.call.status.name());
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    let id = HeaderValue::from_str(&view.call.id.to_string()).unwrap_or(HeaderValue::from_static(""));
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::HeaderName::from_static("askhub-status"), status),
        (header::HeaderName::from_static("askhub-call"), id),
    ];
    (headers, text).into_response()
}

pub(super) fn read_list_query(query: &mut Query) -> CallQuery {
    let status = query.text("status").and_then(|name| {
        let status = StatusFilter::named(&name);
        if status.is_none() {
            query.fault(
                "status",
                "status is pending, answered, declined, expired, cancelled, or settled for the last four",
            );
        }
        status
    });
    let sort = match query.text("sort").as_deref() {
        None | Some("newest") => Sort::Newest,
        Some("due") => Sort::Due,
        Some(_) => {
            query.fault("sort", "sort is newest or due");
            Sort::Newest
        }
    };
    let after = query.text("cursor").and_then(|text| {
        let cursor = read_cursor(sort, &text);
        if cursor.is_none() {
            query.fault("cursor", "cursor is next_cursor of a page with the same sort");
        }
        cursor
    });
    let limit = query.whole("limit", PAGE_CALLS_MAX as u64);
    if limit == Some(0) {
        query.fault("limit", format!("limit is from 1 to {PAGE_CALLS_MAX}"));
    }
    CallQuery {
        status,
        key: query.text("key"),
        agent: query.text("agent"),
        text: query.text("q").filter(|text| !text.is_empty()),
        sort,
        after,
        limit: limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(PAGE_CALLS_DEFAULT),
    }
}

fn write_cursor(sort: Sort, cursor: Cursor) -> String {
    let letter = if sort == Sort::Newest { 'n' } else { 'd' };
    format!("{letter}{}.{}", cursor.at, cursor.id)
}

fn read_cursor(sort: Sort, text: &str) -> Option<Cursor> {
    let rest = text.strip_prefix(if sort == Sort::Newest { 'n' } else { 'd' })?;
    let (at, id) = rest.split_once('.')?;
    Some(Cursor { at: at.parse().ok()?, id: id.parse().ok()? })
}
