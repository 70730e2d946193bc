//! What the server says about itself: limits, who you are, health, version, metrics, the API's description.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use serde_json::json;

use super::App;
use super::guard::Caller;
use super::problem::{Code, Problem};
use crate::domain::limits::*;
use crate::domain::{ByKind, can_administer};
use crate::wire::{LimitReply, LimitsReply, MeReply};

/// Every limit, with its unit.
#[utoipa::path(get, path = "/v1/limits", tag = "about", responses((status = 200, body = LimitsReply)))]
pub async fn limits(_caller: Caller) -> Json<LimitsReply> {
    let bytes = |value: usize| (value as u64, "bytes");
    let count = |value: usize| (value as u64, "count");
    let named = [
        ("body_bytes_max", bytes(BODY_BYTES_MAX)),
        ("text_bytes_max", bytes(TEXT_BYTES_MAX)),
        ("id_bytes_max", bytes(ID_BYTES_MAX)),
        ("name_bytes_max", bytes(NAME_BYTES_MAX)),
        ("nesting_max", (NESTING_MAX as u64, "levels")),
        ("questions_max", count(QUESTIONS_MAX)),
        ("options_max", count(OPTIONS_MAX)),
        ("form_fields_max", count(FORM_FIELDS_MAX)),
        ("tags_max", count(TAGS_MAX)),
        ("priority_max", (u64::from(PRIORITY_MAX), "priority")),
        ("timeout_seconds_min", (TIMEOUT_SECONDS_MIN, "seconds")),
        ("timeout_seconds_max", (TIMEOUT_SECONDS_MAX, "seconds")),
        ("wait_seconds_max", (WAIT_SECONDS_MAX, "seconds")),
        ("wait_ids_max", count(WAIT_IDS_MAX)),
        ("hold_seconds_max", (HOLD_SECONDS_MAX, "seconds")),
        ("claim_seconds", (CLAIM_SECONDS, "seconds")),
        ("claim_seconds_max", (CLAIM_SECONDS_MAX, "seconds")),
        ("typing_hold_seconds", (TYPING_HOLD_SECONDS, "seconds")),
        ("typing_hold_seconds_max", (TYPING_HOLD_SECONDS_MAX, "seconds")),
        ("pending_per_asker_max", count(PENDING_PER_ASKER_MAX)),
        ("waiters_per_call_max", count(WAITERS_PER_CALL_MAX)),
        ("waiters_per_node_max", count(WAITERS_PER_NODE_MAX)),
        ("feeds_per_principal_max", count(FEEDS_PER_PRINCIPAL_MAX)),
        ("requests_per_socket_max", count(REQUESTS_PER_SOCKET_MAX)),
        ("page_calls_max", count(PAGE_CALLS_MAX)),
        ("sync_events_max", count(SYNC_EVENTS_MAX)),
        ("trail_events_max", count(TRAIL_EVENTS_MAX)),
        ("late_answers_shown_max", count(LATE_ANSWERS_SHOWN_MAX)),
        ("heartbeat_seconds", (HEARTBEAT.as_secs(), "seconds")),
        ("sign_in_seconds", (SIGN_IN_LIFE.as_secs(), "seconds")),
    ];
    let limits = named.into_iter().map(|(name, (value, unit))| LimitReply {
        name: name.to_owned(),
        value,
        unit: unit.to_owned(),
    });
    Json(LimitsReply { limits: limits.collect() })
}

/// Who this token or session is, and what it may do.
#[utoipa::path(get, path = "/v1/me", tag = "about", responses((status = 200, body = MeReply)))]
pub async fn me(State(app): State<App>, caller: Caller) -> Result<Json<MeReply>, Problem> {
    let who = caller.who;
    let mut scopes = vec!["ask".to_owned()];
    if who.is_person() {
        scopes.push("answer".to_owned());
    }
    if can_administer(&who) {
        scopes.push("administer".to_owned());
    }
    let kind = if who.is_person() { ByKind::Person } else { ByKind::Agent };
    let server_time = app.broker.check().await?;
    Ok(Json(MeReply { kind, id: who.id, name: who.name, space: who.space, scopes, server_time }))
}

/// Whether the process lives.
#[utoipa::path(get, path = "/healthz", tag = "about", security(()), responses((status = 200, description = "It lives")))]
pub async fn healthz() -> &'static str {
    "ok\n"
}

/// Whether the server can take requests: the database answers and no stop was asked for.
#[utoipa::path(get, path = "/readyz", tag = "about", security(()),
    responses((status = 200, description = "Ready"), (status = 503, description = "Not ready")))]
pub async fn readyz(State(app): State<App>) -> Response {
    if app.is_draining() || app.broker.is_stopping() {
        return (StatusCode::SERVICE_UNAVAILABLE, "stopping\n").into_response();
    }
    match app.broker.check().await {
        Ok(_) => "ready\n".into_response(),
        Err(error) => {
            tracing::warn!(%error, "not ready: {error}");
            (StatusCode::SERVICE_UNAVAILABLE, "the database is not available\n").into_response()
        }
    }
}

/// Which program this is.
#[utoipa::path(get, path = "/version", tag = "about", security(()), responses((status = 200, description = "Name and version")))]
pub async fn version() -> Json<serde_json::Value> {
    Json(json!({ "name": "askhub", "version": env!("CARGO_PKG_VERSION") }))
}

/// How many wait and follow on this node, in the Prometheus text format.
#[utoipa::path(get, path = "/metrics", tag = "about", responses((status = 200, description = "Gauges")))]
pub async fn metrics(State(app): State<App>, _caller: Caller) -> Response {
    let (waiters, feeds) = app.broker.load();
    let gauges = [
        ("askhub_waiters", "Parties waiting for a call on this node", waiters),
        ("askhub_feeds", "Open feeds on this node", feeds),
        ("askhub_connections", "Open connections on this node", app.connections()),
    ];
    let mut text = String::new();
    for (name, help, value) in gauges {
        text.push_str(&format!("# HELP {name} {help}\n# TYPE {name} gauge\n{name} {value}\n"));
    }
    ([(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; version=0.0.4"))], text).into_response()
}

/// The API's description, for programs.
pub async fn openapi(State(app): State<App>, _caller: Caller) -> Result<Response, Problem> {
    let json = app.openapi().to_json().map_err(|error| Problem::new(Code::Internal, error.to_string()))?;
    Ok(([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], json).into_response())
}

/// The API's description, for readers.
pub async fn docs(State(app): State<App>, _caller: Caller) -> Html<String> {
    Html(super::docs::page(app.openapi(), app.base_path()))
}
