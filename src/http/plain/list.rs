//! The lists: what is waiting, and what has ended.

use super::call::{SOON, draw_due, headline};
use super::{outcome, words};
use crate::broker::{View, ViewPage};
use crate::domain::{Call, Timestamp};
use crate::http::html::Html;

/// A page of calls to draw.
pub struct Listing<'a> {
    /// The calls.
    pub page: &'a ViewPage,
    /// The time.
    pub now: Timestamp,
    /// The path under which this site is served.
    pub base: &'a str,
    /// Where the next page is.
    pub next: Option<String>,
    /// Where the hub is, for the lines to type.
    pub url: String,
}

impl Listing<'_> {
    /// What is waiting, what is due soon first.
    pub fn draw_waiting(&self, html: &mut Html, refresh_seconds: Option<u32>) {
        let views = &self.page.views;
        html.tag("h1").text("Waiting for an answer");
        self.draw_refresh(html, refresh_seconds);
        if views.is_empty() {
            return self.draw_empty(html);
        }
        let soon = |view: &&View| view.call.expires_at.is_some_and(|deadline| self.now.until(deadline) < SOON);
        let (due, rest): (Vec<&View>, Vec<&View>) = views.iter().partition(soon);
        if due.is_empty() {
            self.draw_rows(html, &rest);
        } else {
            html.tag("h2").text(&format!("Due within 15 min ({})", due.len()));
            self.draw_rows(html, &due);
            if !rest.is_empty() {
                html.tag("h2").text(&format!("Later ({})", rest.len()));
                self.draw_rows(html, &rest);
            }
        }
        self.draw_next(html, "More that is waiting");
    }

    /// What has ended, last asked first.
    pub fn draw_history(&self, html: &mut Html) {
        html.tag("h1").text("History");
        let settled: Vec<&View> = self.page.views.iter().filter(|view| view.call.is_settled()).collect();
        if settled.is_empty() {
            let more = if self.next.is_some() { "Nothing on this page has ended." } else { "Nothing has ended yet." };
            html.tag("p").class("calm").text(more);
        } else {
            self.draw_rows(html, &settled);
        }
        self.draw_next(html, "Older");
    }

    fn draw_rows(&self, html: &mut Html, views: &[&View]) {
        html.tag("ul").class("rows").body(|html| {
            for view in views {
                html.tag("li").body(|html| self.draw_row(html, &view.call));
            }
        });
    }

    fn draw_row(&self, html: &mut Html, call: &Call) {
        html.tag("div").class("what").body(|html| {
            let link = html.tag("a").attr("href", format!("{}/plain/a/{}", self.base, call.id));
            link.attr("dir", "auto").foreign(&row_title(call));
            html.tag("p").class("meta").body(|html| {
                html.tag("bdi").foreign(words::agent_name(call));
                if let Some(host) = call.ask.agent.host.as_deref().filter(|host| !host.trim().is_empty()) {
                    html.text(" · ").tag("bdi").foreign(host);
                }
                let questions = words::count(call.ask.questions.len(), "question", "questions");
                html.text(" · ").text(&questions).text(" · asked ");
                words::write_ago(html, call.asked_at, self.now);
            });
        });
        html.tag("div").class("when").body(|html| {
            if call.is_settled() {
                html.tag("span").class("chip").text(outcome::state(call));
            } else {
                draw_due(html, call, self.now);
            }
        });
    }

    fn draw_refresh(&self, html: &mut Html, refresh_seconds: Option<u32>) {
        html.tag("p").class("help").body(|html| match refresh_seconds {
            Some(seconds) => {
                html.text(&format!("This list loads itself again every {seconds} s. "));
                html.tag("a").attr("href", format!("{}/plain?refresh=off", self.base)).text("Stop that");
            }
            None => {
                html.text("This list stays as it is. ");
                html.tag("a").attr("href", format!("{}/plain", self.base)).text("Load it again, every 30 s");
            }
        });
    }

    fn draw_next(&self, html: &mut Html, label: &str) {
        if let Some(next) = &self.next {
            html.tag("p").class("next").body(|html| html.tag("a").class("button").attr("href", next).text(label));
        }
    }

    fn draw_empty(&self, html: &mut Html) {
        html.tag("div").class("empty").body(|html| {
            html.tag("p").class("calm").text("Nothing is waiting.");
            html.tag("p").text("An agent asks like this, and waits for what you answer here:");
            html.tag("pre").attr("tabindex", "0").attr("dir", "ltr").text(
                "askhub ask 'Deploy now?' --option Yes --option 'Wait until Monday'",
            );
            html.tag("p").text("or, without the command line:");
            let body = r#"{"questions":[{"question":"Deploy now?","options":[{"label":"Yes"},{"label":"Wait"}]}]}"#;
            let line = format!(
                "curl '{}/v1/calls?wait=50' \\\n  -H \"Authorization: Bearer $ASKHUB_TOKEN\" \\\n  -H 'Content-Type: application/json' \\\n  -d '{body}'",
                self.url
            );
            html.tag("pre").attr("tabindex", "0").attr("dir", "ltr").text(&line);
            html.tag("p").class("help").body(|html| {
                html.tag("code").text("askhub token path");
                html.text(" says where this machine's token is.");
            });
        });
    }
}

/// A list has one line for a call: several questions without a title are named by the first.
fn row_title(call: &Call) -> String {
    match call.ask.headline() {
        "" => headline(call),
        title => title.to_owned(),
    }
}
