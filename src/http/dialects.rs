//! `/v1/dialects`: ask with another tool's arguments, get that tool's result.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::App;
use super::body::{JsonBody, Query};
use super::guard::Caller;
use super::problem::Problem;
use crate::broker::{AskRequest, Budget, View};
use crate::dialect::{self, Dialect, Parsed, Request, ToolResult};
use crate::domain::{Ask, AskForm, CallId, Digest};
use crate::wire::{self, DialectReply, ProblemReply, ToolResultReply};

/// Which tools are spoken, and in which variants.
#[utoipa::path(get, path = "/v1/dialects", tag = "dialects",
    responses((status = 200, description = "`{dialects: [{name, variants}]}`")))]
pub async fn list(_caller: Caller) -> Json<Value> {
    let dialects: Vec<_> = dialect::dialects()
        .iter()
        .map(|dialect| json!({ "name": dialect.name(), "variants": dialect.variants() }))
        .collect();
    Json(json!({ "dialects": dialects }))
}

/// The tool's definition, in the form of the Anthropic API, the OpenAI API and MCP.
#[utoipa::path(get, path = "/v1/dialects/{dialect}/tool", tag = "dialects",
    params(("dialect" = String, Path, description = "Its name")),
    responses((status = 200, description = "`{anthropic, openai, mcp}`"),
              (status = 404, description = "No such dialect, or no tool of a model", body = ProblemReply)))]
pub async fn tool(_caller: Caller, Path(name): Path<String>) -> Result<Json<Value>, Problem> {
    let tool = spoken(&name)?.tool().ok_or_else(Problem::not_found)?;
    let schema: Value = serde_json::from_str(tool.input_schema).unwrap_or(Value::Null);
    let (name, description) = (tool.name, tool.description);
    Ok(Json(json!({
        "anthropic": { "name": name, "description": description, "input_schema": schema },
        "openai": {
            "type": "function",
            "function": { "name": name, "description": description, "parameters": schema }
        },
        "mcp": { "name": name, "description": description, "inputSchema": schema },
    })))
}

/// Ask with the tool's arguments. The call's questions have the ids `q1`, `q2`, ….
#[utoipa::path(
    post, path = "/v1/dialects/{dialect}/calls", tag = "dialects", request_body = wire::DialectForm,
    params(("dialect" = String, Path, description = "Its name"),
           ("wait" = Option<u64>, Query, description = "Seconds to hold for the outcome: 0 to 50")),
    responses(
        (status = 201, description = "Made now", body = DialectReply),
        (status = 200, description = "The key names this call; or nobody is asked", body = DialectReply),
        (status = 404, body = ProblemReply),
        (status = 409, description = "`key_reused`", body = ProblemReply),
        (status = 422, description = "The tool refuses its arguments: `tool_result` says what the model must see",
         body = ProblemReply),
    )
)]
pub async fn ask(
    State(app): State<App>,
    caller: Caller,
    Path(name): Path<String>,
    mut query: Query,
    body: JsonBody,
) -> Result<Response, Problem> {
    let wait = query.wait();
    query.finish()?;
    let dialect = spoken(&name)?;
    let form = wire::read_dialect_ask(&body.json)?;
    let raw = form.raw();
    let request = Request::check(dialect, &raw, &form.context)?;
    let parts = match dialect.parse(&request)? {
        Parsed::Ask(parts) => parts,
        Parsed::Done(result) => return Ok(Json(done(result)).into_response()),
        Parsed::Refused { result, code } => return Err(Problem::tool(&code, tool_result(result))),
    };
    let form = AskForm { title: form.ask.title.or(parts.title), ..form.ask };
    let ask = form.check_around(parts.questions)?;
    let ask = AskRequest {
        same_ask: same_ask(dialect, &request, &ask),
        ask,
        dialect: Some(request.to_use(dialect)),
        via: caller.via,
    };
    let asked = app.broker.ask(&caller.who, ask, Budget::seconds(wait)).await;
    let asked = asked.map_err(|error| Problem::of(&app, error))?;
    let status = if asked.is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, Json(told(&app, &asked.view))).into_response())
}

/// Read a call as the tool tells it; with `wait` hold until it is settled.
#[utoipa::path(
    get, path = "/v1/dialects/{dialect}/calls/{id}", tag = "dialects",
    params(("dialect" = String, Path, description = "Its name"), ("id" = String, Path, description = "The call's id"),
           ("wait" = Option<u64>, Query, description = "Seconds to hold for the outcome: 0 to 50")),
    responses((status = 200, body = DialectReply), (status = 404, body = ProblemReply))
)]
pub async fn get(
    State(app): State<App>,
    caller: Caller,
    Path((name, id)): Path<(String, String)>,
    mut query: Query,
) -> Result<Json<DialectReply>, Problem> {
    let wait = query.wait();
    query.finish()?;
    let dialect = spoken(&name)?;
    let id: CallId = id.parse().map_err(|_| Problem::not_found())?;
    let view = app.broker.wait(&caller.who, id, Budget::seconds(wait)).await;
    let view = view.map_err(|error| Problem::of(&app, error))?;
    let came_as = view.call.dialect.as_ref().map(|stored| stored.name.as_str());
    if came_as != Some(dialect.name()) {
        return Err(Problem::not_found());
    }
    Ok(Json(told(&app, &view)))
}

fn spoken(name: &str) -> Result<&'static dyn Dialect, Problem> {
    dialect::dialect(name).ok_or_else(Problem::not_found)
}

/// Same ask of a dialect call: name, variant, session and the arguments' bytes (WIRE.md 6).
fn same_ask(dialect: &dyn Dialect, request: &Request<'_>, ask: &Ask) -> Digest {
    let session = ask.agent.session.as_deref().unwrap_or_default();
    // Lengths first: no two different lists of parts have the same bytes.
    let parts = [dialect.name(), request.variant, session, request.raw];
    let text: String = parts.iter().map(|part| format!("{}:{part}", part.len())).collect();
    Digest::of(text.as_bytes())
}

fn told(app: &App, view: &View) -> DialectReply {
    let rendered = dialect::render(&view.call).unwrap_or_default();
    DialectReply {
        call: Some(Box::new(app.call_reply(view))),
        tool_result: rendered.tool_result.map(tool_result),
        user_message: rendered.user_message,
        ends_run: rendered.ends_run,
    }
}

fn done(result: ToolResult) -> DialectReply {
    DialectReply { call: None, tool_result: Some(tool_result(result)), user_message: None, ends_run: false }
}

fn tool_result(result: ToolResult) -> ToolResultReply {
    let structured = result.structured.and_then(|text| RawValue::from_string(text).ok());
    ToolResultReply { text: result.text, is_error: result.is_error, structured }
}
