//! The built page: its HTML for whoever is signed in, its files for everybody.
//!
//! Invariant: only names that were embedded when askhub was built lead anywhere, so no path can leave the folder.
//! A build without the page is complete too: the plain pages stand in for it.

use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use rust_embed::{Embed, EmbeddedFile};

use super::guard::{Caller, Entry, MaybeCaller};
use super::headers::PAGE_POLICY;
use super::plain::frame::see_other;
use super::problem::Problem;
use crate::domain::Digest;

#[derive(Embed)]
#[folder = "web/dist"]
#[allow_missing = true]
struct Files;

const ROOT_FILES: [&str; 3] = ["sw.js", "manifest.webmanifest", "icon.svg"];
const INDEX: &str = "index.html";
/// What the page's HTML has in its head, to be replaced by where it is served.
const BASE_TAG: &str = "<base href=\"/\">";
/// Encodings in which a file may have been stored beside the plain one, the smallest first.
const TWINS: [(&str, &str); 2] = [("br", ".br"), ("gzip", ".gz")];

/// Whether this build has the page.
pub fn is_built() -> bool {
    Files::get(INDEX).is_some()
}

/// The page. It finds out by its path what to show.
pub async fn app(MaybeCaller(caller): MaybeCaller, entry: Entry, uri: Uri) -> Response {
    if !caller.as_ref().is_some_and(Caller::is_page) {
        return see_other(&format!("{}/sign-in", entry.base));
    }
    let Some(index) = Files::get(INDEX) else {
        let path = uri.path();
        let place = if path == "/" { "" } else { path };
        return see_other(&format!("{}/plain{place}", entry.base));
    };
    let html = String::from_utf8_lossy(&index.data).replace(BASE_TAG, &format!("<base href=\"{}/\">", entry.base));
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(PAGE_POLICY)),
    ];
    (headers, html).into_response()
}

/// A file of the page. Its name has its content's hash, so it may be kept for ever.
pub async fn asset(Path(path): Path<String>, headers: HeaderMap) -> Response {
    let name = format!("assets/{path}");
    let Some(file) = Files::get(&name) else { return Problem::not_found().into_response() };
    let (file, encoding) = smallest(&name, file, &headers);
    let tag = format!("\"{}\"", Digest(file.metadata.sha256_hash()).to_hex());
    let caching = [
        (header::ETAG, HeaderValue::from_str(&tag).unwrap_or(HeaderValue::from_static("\"\""))),
        (header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=31536000, immutable")),
        (header::VARY, HeaderValue::from_static("Accept-Encoding")),
    ];
    if is_known(&headers, &tag) {
        return (StatusCode::NOT_MODIFIED, caching).into_response();
    }
    let kind = [(header::CONTENT_TYPE, HeaderValue::from_static(media_type(&name)))];
    let mut response = (caching, kind, file.data).into_response();
    if let Some(encoding) = encoding {
        response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    response
}

/// Files that must stand at the root: the service worker, whose place bounds what it may see, and what names it. They
/// keep their names, so a browser asks each time whether they changed.
pub async fn root_file(uri: Uri) -> Response {
    let name = uri.path().rsplit('/').next().unwrap_or_default();
    let Some(file) = ROOT_FILES.contains(&name).then(|| Files::get(name)).flatten() else {
        return Problem::not_found().into_response();
    };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(media_type(name))),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        // What the worker fetches goes by its own policy, not by the page's.
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; connect-src 'self'")),
    ];
    (headers, file.data).into_response()
}

fn smallest(name: &str, file: EmbeddedFile, headers: &HeaderMap) -> (EmbeddedFile, Option<&'static str>) {
    let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    for (encoding, ending) in TWINS {
        if accepts(accepted, encoding)
            && let Some(twin) = Files::get(&format!("{name}{ending}"))
        {
            return (twin, Some(encoding));
        }
    }
    (file, None)
}

/// Whether an `Accept-Encoding` names this encoding without refusing it.
fn accepts(accepted: &str, encoding: &str) -> bool {
    accepted.split(',').any(|entry| {
        let (name, parameters) = entry.split_once(';').unwrap_or((entry, ""));
        let weight = parameters.trim().strip_prefix("q=").and_then(|weight| weight.trim().parse::<f32>().ok());
        name.trim().eq_ignore_ascii_case(encoding) && weight.is_none_or(|weight| weight > 0.0)
    })
}

fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    let known = headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok()).unwrap_or_default();
    known.split(',').any(|one| one.trim().trim_start_matches("W/") == tag)
}

/// The endings that a bundler writes. With `nosniff` a browser takes nothing by its content.
fn media_type(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "webp" => "image/webp",
        "woff2" => "font/woff2",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_encoding_is_taken_only_if_it_is_accepted() {
        assert!(accepts("gzip, deflate, br", "br"));
        assert!(accepts("GZIP;q=0.5", "gzip"));
        assert!(!accepts("gzip, br;q=0", "br"));
        assert!(!accepts("", "gzip") && !accepts("brotli", "br"));
    }

    #[tokio::test]
    async fn no_path_leaves_the_folder() {
        for path in ["../../Cargo.toml", "../index.html", "..%2f..%2fCargo.toml", "/etc/passwd", "", ".gitkeep"] {
            let response = asset(Path(path.to_owned()), HeaderMap::new()).await;
            assert_eq!(response.status(), StatusCode::NOT_FOUND, "{path}");
        }
    }
}
