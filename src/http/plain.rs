//! Pages that work without script: the lists, a call's form and its outcome. A browser from 1996 can answer a call here.
//!
//! Invariant: what a person typed comes back in every reply but that of an answer that was taken; a form that is sent
//! twice is one answer. Only for browsers that are signed in: all others are sent to the sign-in page.

mod approval;
mod call;
mod field;
mod form;
pub mod frame;
mod list;
mod outcome;
mod sent;
mod typed;
mod words;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::body::{CallPath, Query, check_type, read_body};
use super::guard::{Caller, Entry, MaybeCaller};
use super::problem::Problem;
use super::{App, sign_in};
use crate::broker::{
    AnswerSubmission, BrokerError, CallQuery, Cursor, DeclineSubmission, Sort, StatusFilter, View, ViewPage,
};
use crate::domain::limits::{PAGE_CALLS_DEFAULT, TIMEOUT_SECONDS_MAX};
use crate::domain::{CallId, Digest, Fault, Faults, Loss, Status, Terms, Timestamp, Via};
use call::{EXTENSION, Feedback, Sheet};
use frame::{Frame, Place, refused, see_other};
use list::Listing;
use outcome::Kept;
use sent::{Action, Draft, Field, Sent};

pub use sent::parse_fields;

/// After how many seconds the list of what is waiting loads itself again.
const REFRESH_SECONDS: u32 = 30;
const STYLE: &str = include_str!("plain/style.css");

/// What is waiting.
pub async fn list(
    State(app): State<App>,
    MaybeCaller(caller): MaybeCaller,
    entry: Entry,
    mut query: Query,
) -> Response {
    let Some(caller) = signed_in(caller) else { return to_sign_in(&entry) };
    let refresh_seconds = (query.text("refresh").as_deref() != Some("off")).then_some(REFRESH_SECONDS);
    let after = query.text("after").and_then(|text| read_cursor(&text));
    let wanted = CallQuery { status: Some(StatusFilter::Is(Status::Pending)), sort: Sort::Due, ..page_after(after) };
    match load(&app, &caller, wanted).await {
        Ok((page, now)) => {
            let frame =
                Frame { place: Place::Waiting, refresh_seconds, ..Frame::new(&entry.base, "Waiting", Some(&caller)) };
            let listing = listing(&page, now, &entry, "/plain", &app);
            frame.respond(StatusCode::OK, |html| listing.draw_waiting(html, refresh_seconds))
        }
        Err(problem) => refused(&entry.base, Some(&caller), problem),
    }
}

/// What has ended.
pub async fn history(
    State(app): State<App>,
    MaybeCaller(caller): MaybeCaller,
    entry: Entry,
    mut query: Query,
) -> Response {
    let Some(caller) = signed_in(caller) else { return to_sign_in(&entry) };
    let after = query.text("after").and_then(|text| read_cursor(&text));
    let wanted = CallQuery { status: Some(StatusFilter::Settled), ..page_after(after) };
    match load(&app, &caller, wanted).await {
        Ok((page, now)) => {
            let frame = Frame { place: Place::History, ..Frame::new(&entry.base, "History", Some(&caller)) };
            let listing = listing(&page, now, &entry, "/plain/history", &app);
            frame.respond(StatusCode::OK, |html| listing.draw_history(html))
        }
        Err(problem) => refused(&entry.base, Some(&caller), problem),
    }
}

/// The style of all pages without script. For everybody: the sign-in page has it too.
pub async fn style(headers: HeaderMap) -> Response {
    let tag = format!("\"{}\"", Digest::of(STYLE.as_bytes()).to_hex());
    let etag = HeaderValue::from_str(&tag).unwrap_or(HeaderValue::from_static("\"\""));
    let caching = [(header::ETAG, etag.clone()), (header::CACHE_CONTROL, HeaderValue::from_static("no-cache"))];
    if headers.get(header::IF_NONE_MATCH) == Some(&etag) {
        return (StatusCode::NOT_MODIFIED, caching).into_response();
    }
    let kind = [(header::CONTENT_TYPE, HeaderValue::from_static("text/css; charset=utf-8"))];
    (caching, kind, STYLE).into_response()
}

/// A call: its form while it is pending, then its outcome.
pub async fn show(
    State(app): State<App>,
    MaybeCaller(caller): MaybeCaller,
    entry: Entry,
    path: Result<CallPath, Problem>,
) -> Response {
    let Some(caller) = signed_in(caller) else { return to_sign_in(&entry) };
    match find(&app, &caller, path).await {
        Ok((view, now)) => {
            let place = Drawing { entry: &entry, caller: &caller, now };
            if view.call.is_settled() {
                place.outcome(StatusCode::OK, &view, None)
            } else {
                let draft = Draft::new(view.call.ask.questions.len());
                place.form(StatusCode::OK, &view, &draft, &Feedback::default())
            }
        }
        Err(problem) => refused(&entry.base, Some(&caller), problem),
    }
}

/// Takes a form: one of its four buttons was pressed.
pub async fn submit(
    State(app): State<App>,
    MaybeCaller(caller): MaybeCaller,
    entry: Entry,
    path: Result<CallPath, Problem>,
    request: Request,
) -> Response {
    let from_our_page = sign_in::check_our_page(&app, request.headers(), &entry);
    let fields = match read_fields(request).await {
        Ok(fields) => fields,
        Err(problem) => return refused(&entry.base, caller.as_ref(), problem),
    };
    let Some(caller) = signed_in(caller) else {
        return if from_our_page.is_ok() { signed_out_meanwhile(&entry, fields) } else { to_sign_in(&entry) };
    };
    match take(&app, &entry, &caller, path, fields).await {
        Ok(response) => response,
        Err(problem) => refused(&entry.base, Some(&caller), problem),
    }
}

/// A browser with a session; a token has no business with forms.
fn signed_in(caller: Option<Caller>) -> Option<Caller> {
    caller.filter(Caller::is_page)
}

fn to_sign_in(entry: &Entry) -> Response {
    see_other(&format!("{}/sign-in", entry.base))
}

async fn read_fields(request: Request) -> Result<Vec<Field>, Problem> {
    let (parts, body) = request.into_parts();
    check_type(&parts.headers, "application/x-www-form-urlencoded")?;
    parse_fields(&read_body(&parts.headers, body).await?)
}

/// The session ended while somebody was typing: without the session the form cannot be drawn, but the words can.
fn signed_out_meanwhile(entry: &Entry, fields: Vec<Field>) -> Response {
    let typed = fields
        .into_iter()
        .filter(|(name, _)| name == "reason" || name.ends_with(".custom") || name.ends_with(".notes"));
    let typed: Vec<String> = typed.map(|(_, value)| value).filter(|value| !value.trim().is_empty()).collect();
    let notice = "You are signed out, and so this was not sent. Sign in, open the question again and send it then.";
    let kept = Kept { notice: notice.to_owned(), text: typed.join("\n\n") };
    Frame::new(&entry.base, "Signed out", None).respond(StatusCode::UNAUTHORIZED, |html| {
        html.tag("h1").text("You are signed out");
        outcome::draw_kept(html, &kept);
        sign_in::draw_how(html);
    })
}

async fn find(app: &App, caller: &Caller, path: Result<CallPath, Problem>) -> Result<(View, Timestamp), Problem> {
    let CallPath(id) = path?;
    let view = app.broker.get(&caller.who, id).await.map_err(|error| Problem::of(app, error))?;
    Ok((view, app.broker.check().await?))
}

async fn take(
    app: &App,
    entry: &Entry,
    caller: &Caller,
    path: Result<CallPath, Problem>,
    fields: Vec<Field>,
) -> Result<Response, Problem> {
    let (view, now) = find(app, caller, path).await?;
    let drawing = Drawing { entry, caller, now };
    let sent = Sent::read(fields, &view.call.ask.questions)?;
    if !caller.identity.check_form_nonce(&sent.nonce) {
        let notice = "This form was drawn for another session. Look at it again, then send it.";
        return Ok(drawing.form(StatusCode::FORBIDDEN, &view, &sent.draft, &Feedback::saying(notice)));
    }
    let result = act(app, caller, &view, now, &sent).await;
    Ok(drawing.result(app, &view, sent, result))
}

/// One call of the broker.
async fn act(app: &App, caller: &Caller, view: &View, now: Timestamp, sent: &Sent) -> Result<View, BrokerError> {
    let (who, id, draft) = (&caller.who, view.call.id, &sent.draft);
    let answers = draft.given(&view.call.ask.questions).map_err(BrokerError::Invalid)?;
    let body = Digest::of(serde_json::json!([sent.action.name(), answers, draft.reason]).to_string().as_bytes());
    let answer_id = Some(draft.answer_id(body));
    let terms = Terms { rev: sent.rev, ..Terms::default() };
    match sent.action {
        Action::Answer => {
            let given = AnswerSubmission { answers, reply: None, answer_id, terms };
            app.broker.answer(who, Via::Form, id, given, body).await.map(|given| given.view)
        }
        Action::Decline | Action::Clarify => {
            let given = DeclineSubmission {
                reason: Some(draft.reason.clone()).filter(|reason| !reason.trim().is_empty()),
                clarify: sent.action == Action::Clarify,
                reply: None,
                answers: if draft.is_blank() { Vec::new() } else { answers },
                answer_id,
                terms,
            };
            app.broker.decline(who, Via::Form, id, given, body).await.map(|given| given.view)
        }
        Action::Extend => {
            let seconds = extended(view, now);
            app.broker.extend(who, Via::Form, id, seconds, answer_id, body).await
        }
    }
}

/// Seconds from now to the deadline that is wanted: the broker counts from now, a person from what is left.
fn extended(view: &View, now: Timestamp) -> u64 {
    let left = view.call.expires_at.map_or(0, |deadline| now.until(deadline).as_secs());
    (left + EXTENSION.as_secs()).min(TIMEOUT_SECONDS_MAX)
}

/// Where and for whom a call's page is drawn.
struct Drawing<'a> {
    entry: &'a Entry,
    caller: &'a Caller,
    now: Timestamp,
}

impl Drawing<'_> {
    fn form(&self, status: StatusCode, view: &View, draft: &Draft, feedback: &Feedback) -> Response {
        let headline = call::headline(&view.call);
        let title = if feedback.faults.is_empty() { headline } else { format!("Not sent: {headline}") };
        let frame = Frame::new(&self.entry.base, &title, Some(self.caller));
        frame.respond(status, |html| self.sheet(view).draw_form(html, draft, feedback))
    }

    fn outcome(&self, status: StatusCode, view: &View, kept: Option<&Kept>) -> Response {
        let title = format!("{}: {}", outcome::state(&view.call), call::headline(&view.call));
        let frame = Frame::new(&self.entry.base, &title, Some(self.caller));
        frame.respond(status, |html| self.sheet(view).draw_outcome(html, kept))
    }

    /// The page after a form was sent.
    fn result(&self, app: &App, view: &View, sent: Sent, result: Result<View, BrokerError>) -> Response {
        let is_extension = sent.action == Action::Extend;
        match result {
            // Not a redirect: that would lose what is typed.
            Ok(view) if is_extension && !view.call.is_settled() => {
                let feedback = Feedback::saying("There is more time. All that you typed is still here.");
                self.form(StatusCode::OK, &view, &sent.draft.renewed(), &feedback)
            }
            Ok(view) => see_other(&self.path(view.call.id)),
            Err(BrokerError::Invalid(faults)) => {
                let feedback = Feedback { notice: None, faults: readable(faults) };
                self.form(StatusCode::UNPROCESSABLE_ENTITY, view, &sent.draft, &feedback)
            }
            Err(BrokerError::Lost(now, _)) if now.call.is_settled() => {
                let notice = self.too_late(&now, is_extension);
                let kept = Kept { notice: notice.to_owned(), text: sent.draft.to_text(&view.call.ask.questions) };
                self.outcome(StatusCode::CONFLICT, &now, Some(&kept))
            }
            Err(BrokerError::Lost(now, loss)) => {
                self.form(StatusCode::CONFLICT, &now, &sent.draft.renewed(), &Feedback::saying(explain(loss)))
            }
            // The same id: if it was stored after all, sending it again finds that out.
            Err(error) => {
                let problem = Problem::of(app, error).into_body();
                let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
                let notice = format!("This was not sent: {}. Please send it again.", problem.detail);
                self.form(status, view, &sent.draft, &Feedback::saying(notice))
            }
        }
    }

    fn too_late(&self, view: &View, is_extension: bool) -> &'static str {
        let by = view.call.read_outcome().and_then(|outcome| outcome.by);
        match by {
            _ if is_extension => "It has ended, so there is no time to add, and nothing was sent.",
            Some(by) if by.id == self.caller.who.id => {
                "You had ended this before. What you sent this time is kept beside the outcome."
            }
            Some(_) => "Somebody else was faster. What you sent is kept beside the outcome.",
            None => "The time was over. What you sent is kept beside the outcome.",
        }
    }

    fn sheet<'a>(&'a self, view: &'a View) -> Sheet<'a> {
        Sheet { view, now: self.now, caller: self.caller, base: &self.entry.base }
    }

    fn path(&self, id: CallId) -> String {
        format!("{}/plain/a/{id}", self.entry.base)
    }
}

impl Feedback {
    fn saying(notice: impl Into<String>) -> Self {
        Self { notice: Some(notice.into()), faults: Vec::new() }
    }
}

fn explain(loss: Loss) -> &'static str {
    match loss {
        Loss::RevMismatch => "The deadline was moved while you were writing. Look at it again, then send it.",
        Loss::Held => {
            "Another answer is about to be sent to the agent. If it is taken back within some seconds, send yours again."
        }
        Loss::HardDeadline => "The agent does not let anybody move this deadline.",
        Loss::NoDeadline => "There is no deadline to move.",
        _ => "The call has changed while you were writing. Look at it again, then send it.",
    }
}

/// The same words for every fault of one place are said once.
fn readable(faults: Faults) -> Vec<Fault> {
    let mut faults = faults.into_vec();
    faults.dedup();
    faults
}

async fn load(app: &App, caller: &Caller, wanted: CallQuery) -> Result<(ViewPage, Timestamp), Problem> {
    let page = app.broker.list(&caller.who, wanted).await.map_err(|error| Problem::of(app, error))?;
    Ok((page, app.broker.check().await?))
}

fn page_after(after: Option<Cursor>) -> CallQuery {
    CallQuery { after, limit: PAGE_CALLS_DEFAULT, ..CallQuery::default() }
}

fn listing<'a>(page: &'a ViewPage, now: Timestamp, entry: &'a Entry, path: &str, app: &App) -> Listing<'a> {
    let next = page.next.map(|cursor| format!("{}{path}?after={}.{}", entry.base, cursor.at, cursor.id));
    let url = match app.hosts().public_url() {
        Some(url) => url.to_string(),
        None => entry.site.origin(),
    };
    Listing { page, now, base: &entry.base, next, url }
}

/// A cursor that cannot be read begins at the beginning: it comes from a link, not from a program.
fn read_cursor(text: &str) -> Option<Cursor> {
    let (at, id) = text.split_once('.')?;
    Some(Cursor { at: at.parse().ok()?, id: id.parse().ok()? })
}
