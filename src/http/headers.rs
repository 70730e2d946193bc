//! What every response has in common: security headers, a line in the log; and the replies where no handler is.
//!
//! Invariant: a page has a content policy without inline script or style, whatever its handler forgot.

use std::any::Any;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::App;
use super::guard::{Caller, Entry, MaybeCaller};
use super::plain::frame::refused;
use super::problem::{Code, Problem};
use crate::auth::origin::Authority;

/// What the page with script may do. `svelte-trusted-html` is private to Svelte, for compiled templates only; `sw-url`
/// names the service worker's one address.
pub const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
    connect-src 'self'; font-src 'self'; manifest-src 'self'; worker-src 'self'; frame-src 'self'; base-uri 'self'; \
    form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types svelte-trusted-html \
    sw-url";
/// What a page without script may do.
const PLAIN_POLICY: &str =
    "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/// What is no page may do nothing.
const DATA_POLICY: &str = "default-src 'none'; frame-ancestors 'none'";
const PERMISSIONS: &str =
    "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=(), clipboard-write=(self)";

/// Adds the headers and writes a line to the log for each request. Paths without their queries: those can hold codes.
pub async fn secure(State(app): State<App>, request: Request, next: Next) -> Response {
    let begun = tokio::time::Instant::now();
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let is_private = app.is_https() || names_loopback(&request);
    let mut response = next.run(request).await;
    protect(response.headers_mut());
    if is_private {
        // On other origins browsers only complain about these.
        set(response.headers_mut(), header::HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
        set(response.headers_mut(), header::HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    }
    if app.is_https() {
        set(response.headers_mut(), header::STRICT_TRANSPORT_SECURITY, "max-age=31536000");
    }
    log(&method, &path, response.status(), begun.elapsed().as_millis());
    response
}

/// The reply where there is nothing: a page for a browser, a problem for a program.
pub async fn nothing_here(
    MaybeCaller(caller): MaybeCaller,
    entry: Result<Entry, Problem>,
    headers: HeaderMap,
) -> Response {
    let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    match entry {
        Ok(entry) if accept.contains("text/html") => {
            let caller = caller.filter(Caller::is_page);
            refused(&entry.base, caller.as_ref(), Problem::not_found())
        }
        _ => Problem::not_found().into_response(),
    }
}

/// The reply where there is something, but not for this method. The router adds which ones there are.
pub async fn wrong_method() -> Problem {
    Problem::new(Code::MethodNotAllowed, "Allow has the methods that there are")
}

/// The reply when a handler panicked: the log knows more, the client does not.
#[expect(clippy::needless_pass_by_value, reason = "the layer gives the panic away")]
pub fn after_panic(panic: Box<dyn Any + Send + 'static>) -> Response {
    let words = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    tracing::error!(panic = words.unwrap_or("no words"), "a request handler panicked");
    let mut response = Problem::new(Code::Internal, "the server failed to do this; its log says more").into_response();
    protect(response.headers_mut());
    response
}

fn protect(headers: &mut HeaderMap) {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let policy = if kind.starts_with("text/html") { PLAIN_POLICY } else { DATA_POLICY };
    set(headers, header::CONTENT_SECURITY_POLICY, policy);
    set(headers, header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    // With `no-referrer` a browser would send `Origin: null` from our own forms.
    set(headers, header::REFERRER_POLICY, "same-origin");
    set(headers, header::X_FRAME_OPTIONS, "DENY");
    set(headers, HeaderName::from_static("permissions-policy"), PERMISSIONS);
    set(headers, HeaderName::from_static("x-robots-tag"), "noindex");
    set(headers, header::CACHE_CONTROL, "no-store");
}

/// Whatever a handler set stays.
fn set(headers: &mut HeaderMap, name: HeaderName, value: &'static str) {
    headers.entry(name).or_insert(HeaderValue::from_static(value));
}

fn names_loopback(request: &Request) -> bool {
    let header = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    let host = header.or_else(|| request.uri().authority().map(axum::http::uri::Authority::as_str));
    host.and_then(|host| host.parse::<Authority>().ok()).is_some_and(|authority| authority.host.is_loopback())
}

/// Each request, for whoever debugs: the log of a busy hub would cost more than its requests.
fn log(method: &Method, path: &str, status: StatusCode, millis: u128) {
    let status = status.as_u16();
    tracing::debug!(%method, path, status, millis, "{method} {path} {status} in {millis} ms");
}
