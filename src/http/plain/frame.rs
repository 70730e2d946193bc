//! What all pages without script have around them: head, navigation, footer.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::http::guard::Caller;
use crate::http::html::{Html, one_line};
use crate::http::page;
use crate::http::problem::Problem;

/// The surroundings of one page.
#[derive(Clone, Copy)]
pub struct Frame<'a> {
    /// The path under which this site is served: empty, or `/ask`.
    pub base: &'a str,
    /// What the window is called; it may hold an agent's words.
    pub title: &'a str,
    /// Who is signed in.
    pub caller: Option<&'a Caller>,
    /// Which place of the navigation this is.
    pub place: Place,
    /// After how many seconds a browser loads it again.
    pub refresh_seconds: Option<u32>,
}

/// The places of the navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// What is waiting.
    Waiting,
    /// What has ended.
    History,
    /// Everything else.
    Elsewhere,
}

impl<'a> Frame<'a> {
    /// A page that is no place of the navigation.
    pub fn new(base: &'a str, title: &'a str, caller: Option<&'a Caller>) -> Self {
        Self { base, title, caller, place: Place::Elsewhere, refresh_seconds: None }
    }

    /// The page as a response.
    pub fn respond(&self, status: StatusCode, main: impl FnOnce(&mut Html)) -> Response {
        let kind = HeaderValue::from_static("text/html; charset=utf-8");
        (status, [(header::CONTENT_TYPE, kind)], self.html(main)).into_response()
    }

    /// The page as text.
    pub fn html(&self, main: impl FnOnce(&mut Html)) -> String {
        Html::document(|html| {
            html.tag("head").body(|html| self.head(html));
            html.tag("body").body(|html| {
                html.tag("a").class("skip").attr("href", "#main").text("Skip to the content");
                html.tag("header").class("bar").body(|html| self.bar(html));
                html.tag("main").attr("id", "main").body(main);
            });
        })
    }

    fn head(&self, html: &mut Html) {
        html.tag("meta").attr("charset", "utf-8").end();
        html.tag("meta").attr("name", "viewport").attr("content", "width=device-width, initial-scale=1").end();
        html.tag("meta").attr("name", "color-scheme").attr("content", "light dark").end();
        html.tag("meta").attr("name", "robots").attr("content", "noindex").end();
        if let Some(seconds) = self.refresh_seconds {
            html.tag("meta").attr("http-equiv", "refresh").attr("content", seconds.to_string()).end();
        }
        html.tag("title").text(&format!("{} · askhub", one_line(self.title)));
        html.tag("link").attr("rel", "stylesheet").attr("href", self.path("/plain/style.css")).end();
    }

    fn bar(&self, html: &mut Html) {
        html.tag("a").class("brand").attr("href", self.path("/plain")).text("askhub");
        let Some(caller) = self.caller else { return };
        html.tag("nav").attr("aria-label", "Pages").body(|html| {
            for (place, path, name) in
                [(Place::Waiting, "/plain", "Waiting"), (Place::History, "/plain/history", "History")]
            {
                let current = (place == self.place).then_some("page");
                html.tag("a").attr("href", self.path(path)).attr_if("aria-current", current).text(name);
            }
            if page::is_built() {
                html.tag("a").attr("href", self.path("/")).text("App");
            }
        });
        html.tag("form").class("who").attr("method", "post").attr("action", self.path("/sign-out")).body(|html| {
            html.tag("bdi").class("name").foreign(&caller.who.name);
            nonce(html, caller);
            html.tag("button").class("quiet").text("Sign out");
        });
    }

    fn path(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }
}

/// The hidden field that proves for which session a form was drawn.
pub fn nonce(html: &mut Html, caller: &Caller) {
    hidden(html, "nonce", &caller.identity.form_nonce().unwrap_or_default());
}

/// A field that nobody sees.
pub fn hidden(html: &mut Html, name: &'static str, value: &str) {
    html.tag("input").attr("type", "hidden").attr("name", name).attr("value", value).end();
}

/// A refusal as a page.
pub fn refused(base: &str, caller: Option<&Caller>, problem: Problem) -> Response {
    let problem = problem.into_body();
    let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    Frame::new(base, &problem.title, caller).respond(status, |html| {
        html.tag("h1").text(&problem.title);
        html.tag("p").foreign(&problem.detail);
        html.tag("p").body(|html| {
            html.tag("a").attr("href", format!("{base}/plain")).text("To what is waiting");
        });
    })
}

/// Sends a browser elsewhere on this site, by GET.
pub fn see_other(path: &str) -> Response {
    // Paths are made here and of call ids, so they are always good header values.
    let location = HeaderValue::from_str(path).unwrap_or(HeaderValue::from_static("/"));
    (StatusCode::SEE_OTHER, [(header::LOCATION, location)]).into_response()
}
