//! Mock-ups: an agent's HTML as its own document, which may be looked at and can do nothing.
//!
//! Invariant: its policy has `sandbox` without any allowance, so it has an origin of its own, runs no script, sends no
//! form and loads nothing; only our own page may frame it, and it is drawn nowhere but in that frame. Never `srcdoc`: that would inherit the page's policy.

use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};

use super::App;
use super::guard::{Caller, MaybeCaller};
use super::problem::Problem;
use crate::domain::{CallId, PreviewFormat};

const POLICY: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; \
    form-action 'none'; base-uri 'none'; frame-ancestors 'self'";

/// The preview of one option, named by the places of question and option in the call.
pub async fn show(
    State(app): State<App>,
    MaybeCaller(caller): MaybeCaller,
    Path((call, question, option)): Path<(String, usize, usize)>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    // In a window of its own nothing around it would say whose it is.
    let is_framed = headers.get("sec-fetch-dest").is_none_or(|into| into == "iframe");
    let caller = caller.filter(Caller::is_page).filter(|_| is_framed).ok_or_else(Problem::not_found)?;
    let id: CallId = call.parse().map_err(|_| Problem::not_found())?;
    let view = app.broker.get(&caller.who, id).await.map_err(|error| Problem::of(&app, error))?;
    let question = view.call.ask.questions.get(question).ok_or_else(Problem::not_found)?;
    let option = question.options.get(option).filter(|option| option.preview_format == Some(PreviewFormat::Html));
    let html = option.and_then(|option| option.preview.clone()).ok_or_else(Problem::not_found)?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
        (header::X_FRAME_OPTIONS, HeaderValue::from_static("SAMEORIGIN")),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
    ];
    Ok((headers, html).into_response())
}
