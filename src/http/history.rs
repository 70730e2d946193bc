//! What was: the trail of one call, and all calls as a file.

use std::io::Write as _;

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;

use super::App;
use super::body::{CallPath, Query};
use super::calls::read_list_query;
use super::guard::Caller;
use super::problem::Problem;
use crate::broker::{BrokerError, CallQuery, View};
use crate::domain::limits::PAGE_CALLS_MAX;
use crate::wire::{EventReply, ProblemReply, TrailReply};

/// What happened to a call, in order; never what was said.
#[utoipa::path(
    get, path = "/v1/calls/{id}/events", tag = "calls",
    params(("id" = String, Path, description = "The call's id")),
    responses((status = 200, body = TrailReply), (status = 404, body = ProblemReply))
)]
pub async fn trail(
    State(app): State<App>,
    caller: Caller,
    CallPath(id): CallPath,
    query: Query,
) -> Result<Json<TrailReply>, Problem> {
    query.finish()?;
    let events = app.broker.trail(&caller.who, id).await.map_err(|error| Problem::of(&app, error))?;
    Ok(Json(TrailReply { events: events.into_iter().map(EventReply::from).collect() }))
}

/// The calls of a list as a file, all of its pages: an agent's own, for a person those of the space.
#[utoipa::path(
    get, path = "/v1/export", tag = "calls",
    params(
        ("format" = String, Query, description = "`jsonl`: a call a line, whole; `csv`: one line a call, for a sheet"),
        ("status" = Option<String>, Query, description = "As in a list"),
        ("key" = Option<String>, Query, description = "As in a list"),
        ("agent" = Option<String>, Query, description = "As in a list"),
        ("q" = Option<String>, Query, description = "As in a list"),
        ("sort" = Option<String>, Query, description = "As in a list"),
    ),
    responses((status = 200, description = "The file", content_type = "application/jsonl"),
              (status = 422, body = ProblemReply))
)]
pub async fn export(State(app): State<App>, caller: Caller, mut query: Query) -> Result<Response, Problem> {
    let format = match query.text("format").as_deref() {
        Some("jsonl") => Format::Jsonl,
        Some("csv") => Format::Csv,
        _ => {
            query.fault("format", "format is jsonl or csv");
            Format::Jsonl
        }
    };
    let wanted = CallQuery { limit: PAGE_CALLS_MAX, ..read_list_query(&mut query) };
    query.finish()?;
    let export = Export { app, caller, format, wanted: Some(wanted), is_begun: false };
    let body = Body::from_stream(stream::try_unfold(export, |mut export| async move {
        Ok::<_, BrokerError>(export.next_part().await?.map(|part| (part, export)))
    }));
    let (kind, name) = match format {
        Format::Jsonl => ("application/jsonl", "attachment; filename=\"askhub.jsonl\""),
        Format::Csv => ("text/csv; charset=utf-8", "attachment; filename=\"askhub.csv\""),
    };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        (header::CONTENT_DISPOSITION, HeaderValue::from_static(name)),
    ];
    Ok((headers, body).into_response())
}

#[derive(Clone, Copy)]
enum Format {
    Jsonl,
    Csv,
}

/// An export under way: one page of the list at a time, so that its size does not matter.
struct Export {
    app: App,
    caller: Caller,
    format: Format,
    /// The next page; none when all were written.
    wanted: Option<CallQuery>,
    is_begun: bool,
}

const COLUMNS: [&str; 13] = [
    "id",
    "status",
    "provenance",
    "asked_at",
    "settled_at",
    "seconds",
    "agent",
    "asker",
    "session",
    "title",
    "questions",
    "by",
    "text",
];

impl Export {
    async fn next_part(&mut self) -> Result<Option<Bytes>, BrokerError> {
        let Some(wanted) = self.wanted.take() else { return Ok(None) };
        let page = self.app.broker.list(&self.caller.who, wanted.clone()).await?;
        self.wanted = page.next.map(|after| CallQuery { after: Some(after), ..wanted });
        let mut part = Vec::new();
        if !self.is_begun && matches!(self.format, Format::Csv) {
            write_row(&mut part, &COLUMNS.map(str::to_owned));
        }
        self.is_begun = true;
        for view in &page.views {
            match self.format {
                Format::Jsonl => {
                    let _ = serde_json::to_writer(&mut part, &self.app.call_reply(view));
                    part.push(b'\n');
                }
                Format::Csv => write_row(&mut part, &row(view)),
            }
        }
        Ok(Some(part.into()))
    }
}

fn row(view: &View) -> [String; COLUMNS.len()] {
    let call = &view.call;
    let outcome = call.read_outcome();
    let questions = call.ask.questions.iter().map(|question| question.question.as_str()).collect::<Vec<_>>();
    let seconds = call.settled_at.map(|at| call.asked_at.until(at).as_secs().to_string());
    let provenance = outcome.as_ref().and_then(|outcome| serde_json::to_value(outcome.provenance).ok());
    [
        call.id.to_string(),
        call.status.name().to_owned(),
        provenance.and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default(),
        call.asked_at.to_string(),
        call.settled_at.map(|at| at.to_string()).unwrap_or_default(),
        seconds.unwrap_or_default(),
        call.ask.agent.name.clone().unwrap_or_default(),
        call.asker.name.clone(),
        call.ask.agent.session.clone().unwrap_or_default(),
        call.ask.title.clone().unwrap_or_default(),
        questions.join("\n"),
        outcome.as_ref().and_then(|outcome| outcome.by.as_ref()).map(|by| by.name.clone()).unwrap_or_default(),
        outcome.map(|outcome| outcome.text).unwrap_or_default(),
    ]
}

/// A row of RFC 4180. A cell that a sheet would take for a formula gets an apostrophe before it: it is an agent's text.
fn write_row(part: &mut Vec<u8>, cells: &[String]) {
    for (index, cell) in cells.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        let guard = if cell.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
        let _ = write!(part, "{comma}\"{guard}{}\"", cell.replace('"', "\"\""));
    }
    part.extend_from_slice(b"\r\n");
}
