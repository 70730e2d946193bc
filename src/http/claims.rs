//! What a person does around an answer: take it back, say that they are answering, and that they are typing.

use axum::Json;
use axum::extract::State;

use super::App;
use super::body::{CallPath, JsonBody};
use super::calls::reply;
use super::guard::Caller;
use super::problem::Problem;
use crate::domain::limits::CLAIM_SECONDS;
use crate::wire::{self, CallReply, ProblemReply};

type Replied = Result<Json<CallReply>, Problem>;

/// Takes a held answer back: who gave it, until it settles the call.
#[utoipa::path(
    post, path = "/v1/calls/{id}/undo", tag = "calls", request_body = wire::UndoForm,
    params(("id" = String, Path, description = "The call's id")),
    responses(
        (status = 200, description = "It is taken back, or was not held any more", body = CallReply),
        (status = 403, body = ProblemReply), (status = 404, body = ProblemReply),
        (status = 409, description = "`already_settled`; `held`: another answer is", body = ProblemReply),
        (status = 422, body = ProblemReply),
    )
)]
pub async fn undo(State(app): State<App>, caller: Caller, CallPath(id): CallPath, body: JsonBody) -> Replied {
    let form = wire::read_undo(&body.json)?;
    reply(&app, app.broker.undo(&caller.who, caller.via, id, form.answer_id).await)
}

/// Says that this person is answering. Takes the call from whoever said so before; keeps nobody from answering.
#[utoipa::path(
    post, path = "/v1/calls/{id}/claim", tag = "calls", request_body = wire::ClaimForm,
    params(("id" = String, Path, description = "The call's id")),
    responses((status = 200, description = "`claim` has the epoch", body = CallReply),
              (status = 403, body = ProblemReply), (status = 404, body = ProblemReply),
              (status = 409, description = "`already_settled`", body = ProblemReply),
              (status = 422, body = ProblemReply))
)]
pub async fn claim(State(app): State<App>, caller: Caller, CallPath(id): CallPath, body: JsonBody) -> Replied {
    let form = wire::read_claim(&body.json)?;
    let seconds = form.seconds.unwrap_or(CLAIM_SECONDS);
    reply(&app, app.broker.claim(&caller.who, caller.via, id, seconds).await)
}

/// Gives this person's claim back; anybody else's stays.
#[utoipa::path(
    post, path = "/v1/calls/{id}/release", tag = "calls",
    params(("id" = String, Path, description = "The call's id")),
    responses((status = 200, body = CallReply), (status = 403, body = ProblemReply), (status = 404, body = ProblemReply),
              (status = 409, description = "`already_settled`", body = ProblemReply))
)]
pub async fn release(State(app): State<App>, caller: Caller, CallPath(id): CallPath, body: JsonBody) -> Replied {
    wire::read_empty(&body.json)?;
    reply(&app, app.broker.release(&caller.who, caller.via, id).await)
}

/// This person is typing. Renews their claim, or claims what nobody has; keeps the deadline a minute away, by half an
/// hour in all, unless it is a hard one. To be repeated every 15 seconds while it is true.
#[utoipa::path(
    post, path = "/v1/calls/{id}/typing", tag = "calls",
    params(("id" = String, Path, description = "The call's id")),
    responses((status = 200, body = CallReply), (status = 403, body = ProblemReply), (status = 404, body = ProblemReply),
              (status = 409, description = "`already_settled`", body = ProblemReply))
)]
pub async fn typing(State(app): State<App>, caller: Caller, CallPath(id): CallPath, body: JsonBody) -> Replied {
    wire::read_empty(&body.json)?;
    reply(&app, app.broker.typing(&caller.who, caller.via, id).await)
}
