//! The page of a call that waits for an answer: who asks what until when, and the form.

use std::time::Duration;

use super::frame::{hidden, nonce};
use super::sent::{Action, Draft};
use super::{field, words};
use crate::broker::View;
use crate::domain::{Call, Fault, Timestamp};
use crate::http::guard::Caller;
use crate::http::html::Html;
use crate::http::nodes;

/// A call with what its page needs to know.
#[derive(Clone, Copy)]
pub struct Sheet<'a> {
    /// The call.
    pub view: &'a View,
    /// The time.
    pub now: Timestamp,
    /// Who looks at it.
    pub caller: &'a Caller,
    /// The path under which this site is served.
    pub base: &'a str,
}

/// What came of the form that was sent before.
#[derive(Debug, Clone, Default)]
pub struct Feedback {
    /// What happened, in a sentence.
    pub notice: Option<String>,
    /// What was wrong, with pointers into `{answers: […]}`.
    pub faults: Vec<Fault>,
}

/// By how much one press moves the deadline.
pub const EXTENSION: Duration = Duration::from_secs(15 * 60);
/// When a deadline is near.
pub const SOON: Duration = Duration::from_secs(15 * 60);

impl Sheet<'_> {
    /// The page of the pending call, with what was typed before.
    pub fn draw_form(&self, html: &mut Html, draft: &Draft, feedback: &Feedback) {
        self.draw_head(html);
        self.draw_feedback(html, feedback);
        self.draw_context(html);
        let action = format!("{}/plain/a/{}", self.base, self.view.call.id);
        html.tag("form").attr("method", "post").attr("action", action).class("answer").body(|html| {
            nonce(html, self.caller);
            hidden(html, "answer_id", &draft.id.to_string());
            hidden(html, "rev", &self.view.call.rev.to_string());
            self.draw_questions(html, draft, feedback);
            self.draw_buttons(html);
            draw_refusal(html, draft);
        });
    }

    /// Who asks, since when and until when, and what it is about.
    pub fn draw_head(&self, html: &mut Html) {
        let call = &self.view.call;
        html.tag("p").class("back").body(|html| {
            html.tag("a").attr("href", format!("{}/plain", self.base)).text("← All waiting");
        });
        html.tag("div").class("identity").body(|html| {
            html.tag("bdi").class("chip agent").foreign(words::agent_name(call));
            draw_origin(html, call);
            html.tag("span").body(|html| {
                html.text("asked ");
                words::write_ago(html, call.asked_at, self.now);
            });
            if !call.is_settled() {
                draw_due(html, call, self.now);
            }
        });
        if !is_headed_by_question(call) {
            html.tag("h1").attr("dir", "auto").foreign(&headline(call));
        }
        if !call.is_settled() {
            draw_ending(html, call);
            self.draw_colleague(html);
        }
    }

    /// Who else is at it: an answer that is about to be sent, or a colleague who is writing one.
    fn draw_colleague(&self, html: &mut Html) {
        let call = &self.view.call;
        if let Some(held) = &call.held {
            html.tag("p").class("box warn").body(|html| {
                html.text("The answer of ").tag("bdi").foreign(&held.by.name);
                html.text(" is about to be sent to the agent, at ");
                words::write_time(html, held.until);
                html.text(". Until then it can be taken back; what you send meanwhile is not taken.");
            });
        } else if let Some(claim) = call.claim.as_ref().filter(|claim| claim.by.id != self.caller.who.id) {
            html.tag("p").class("help").body(|html| {
                html.tag("bdi").foreign(&claim.by.name);
                html.text(" is answering this. The first answer counts.");
            });
        }
    }

    /// What the agent wrote for whoever answers.
    pub fn draw_context(&self, html: &mut Html) {
        let Some(context) = self.view.call.ask.context.as_deref().filter(|context| !context.trim().is_empty()) else {
            return;
        };
        html.tag("details").class("context").flag("open", !self.view.call.is_settled()).body(|html| {
            html.tag("summary").text("Context from the agent");
            html.tag("div").class("md").attr("dir", "auto").body(|html| nodes::render(html, &nodes::parse(context)));
        });
    }

    fn draw_feedback(&self, html: &mut Html, feedback: &Feedback) {
        if feedback.notice.is_none() && feedback.faults.is_empty() {
            return;
        }
        let class = if feedback.faults.is_empty() { "box warn" } else { "box danger" };
        html.tag("div").attr("class", class).attr("role", "alert").body(|html| {
            if let Some(notice) = &feedback.notice {
                html.tag("p").text(notice);
            }
            if feedback.faults.is_empty() {
                return;
            }
            let many = words::count(feedback.faults.len(), "thing needs", "things need");
            html.tag("p").text(&format!("Not sent yet: {many} another look. All that you typed is still here."));
            html.tag("ul").body(|html| {
                for fault in &feedback.faults {
                    html.tag("li").body(|html| self.draw_fault(html, fault));
                }
            });
        });
    }

    fn draw_fault(&self, html: &mut Html, fault: &Fault) {
        let questions = &self.view.call.ask.questions;
        match questions.iter().enumerate().find(|(index, _)| field::concerns(fault, *index)) {
            Some((index, _)) => {
                let name = if questions.len() > 1 { format!("Question {}: ", index + 1) } else { String::new() };
                html.tag("a").attr("href", format!("#q{index}")).body(|html| {
                    html.text(&name).foreign(&fault.detail);
                });
            }
            None => {
                html.foreign(&fault.detail);
            }
        }
    }

    fn draw_questions(&self, html: &mut Html, draft: &Draft, feedback: &Feedback) {
        let call = &self.view.call;
        let total = call.ask.questions.len();
        for (index, (question, typed)) in call.ask.questions.iter().zip(&draft.answers).enumerate() {
            let faults = feedback.faults.iter().filter(|fault| field::concerns(fault, index)).collect();
            let field = field::Field { index, total, question, typed, faults, is_title: is_headed_by_question(call) };
            field.draw(html);
        }
    }

    fn draw_buttons(&self, html: &mut Html) {
        let call = &self.view.call;
        html.tag("div").class("buttons").body(|html| {
            button(html, Action::Answer, "primary", "Send answer", false);
            if call.expires_at.is_some() && !call.ask.hard_deadline {
                button(html, Action::Extend, "", "Extend by 15 min", true);
            }
        });
        html.tag("p").class("help").body(|html| {
            html.text("The answer goes to ").tag("bdi").foreign(words::agent_name(call));
            html.text(" only. It cannot be taken back.");
        });
    }
}

/// The window's title: what is asked.
pub fn headline(call: &Call) -> String {
    let has_title = call.ask.title.as_deref().is_some_and(|title| !title.trim().is_empty());
    match call.ask.questions.len() {
        0 | 1 => call.ask.headline().to_owned(),
        _ if has_title => call.ask.headline().to_owned(),
        many => format!("{many} questions"),
    }
}

/// Whether the only question is the page's title, because there is no other.
pub fn is_headed_by_question(call: &Call) -> bool {
    call.ask.questions.len() == 1 && call.ask.headline() == call.ask.questions[0].question
}

/// What the token says and what the agent says of itself are told apart.
fn draw_origin(html: &mut Html, call: &Call) {
    let agent = &call.ask.agent;
    for (name, value) in [("on ", &agent.host), ("session ", &agent.session)] {
        if let Some(value) = value.as_deref().filter(|value| !value.trim().is_empty()) {
            html.tag("span").body(|html| {
                html.text(name).tag("bdi").foreign(value);
            });
        }
    }
    html.tag("span").attr("title", "proven by the credential; the rest is the agent's own word").body(|html| {
        html.text(if call.asker.kind == crate::domain::ByKind::Agent { "token " } else { "person " });
        html.tag("bdi").foreign(&call.asker.name);
    });
}

/// How long there is left.
pub fn draw_due(html: &mut Html, call: &Call, now: Timestamp) {
    let Some(deadline) = call.expires_at else {
        return html.tag("span").class("chip").text("no time limit");
    };
    let left = now.until(deadline);
    let class = if left < SOON { "chip due" } else { "chip" };
    let only = if left < SOON { "only " } else { "" };
    let words = format!("{only}{} left", words::span(left));
    html.tag("time").attr("class", class).attr("datetime", deadline.to_string()).text(&words);
}

/// Until when, and what happens then.
fn draw_ending(html: &mut Html, call: &Call) {
    let Some(deadline) = call.expires_at else { return };
    html.tag("p").class("ending").body(|html| {
        html.text("Answer by ");
        words::write_time(html, deadline);
        html.text(". ");
        let declared = call.ask.declared_answers(call.is_lenient());
        let answers = call.ask.questions.iter().zip(declared.iter().flatten());
        let lines: Vec<String> =
            answers.filter_map(|(question, answer)| words::answer_line(question, answer)).collect();
        match declared {
            None => drop_to_nothing(html),
            Some(_) => {
                html.text("After that the agent goes on with what it declared itself: ");
                html.tag("q").attr("dir", "auto").foreign(&lines.join("; "));
                html.text(", marked as nobody's answer.");
            }
        }
        if call.ask.hard_deadline {
            html.text(" The agent does not let anybody move this time.");
        }
    });
}

fn drop_to_nothing(html: &mut Html) {
    html.text("After that the agent is told that nobody answered; silence is never taken for a yes.");
}

fn draw_refusal(html: &mut Html, draft: &Draft) {
    html.tag("section").class("refusal").attr("aria-labelledby", "refusal").body(|html| {
        html.tag("h2").attr("id", "refusal").text("Not answering it like this?");
        html.tag("label").attr("for", "reason").text("Words to the agent (optional)");
        html.tag("textarea")
            .attr("id", "reason")
            .attr("name", "reason")
            .attr("rows", "2")
            .attr("dir", "auto")
            .value(&draft.reason);
        html.tag("div").class("buttons").body(|html| {
            button(html, Action::Clarify, "", "Ask me differently", true);
            button(html, Action::Decline, "danger", "Decline to answer", true);
        });
        html.tag("p").class("help").text("What you filled in above goes along with either.");
    });
}

fn button(html: &mut Html, action: Action, class: &'static str, label: &str, skips_checks: bool) {
    let tag = html.tag("button").attr("name", "action").attr("value", action.name()).attr("class", class);
    tag.flag("formnovalidate", skips_checks).text(label);
}
