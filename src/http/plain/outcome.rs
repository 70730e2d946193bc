//! The page of a call that has ended: how, by whom, with what, and whether the agent has it.

use super::call::{Sheet, is_headed_by_question};
use super::words;
use crate::domain::{Answer, Call, LateAnswer, Outcome, Provenance, Question, Status};
use crate::http::html::Html;

/// What somebody typed for a call that had ended before it was sent.
pub struct Kept {
    /// What became of it, in a sentence.
    pub notice: String,
    /// All of it as one text.
    pub text: String,
}

impl Sheet<'_> {
    /// The page of the settled call; `kept` is what came too late just now.
    pub fn draw_outcome(&self, html: &mut Html, kept: Option<&Kept>) {
        self.draw_head(html);
        let call = &self.view.call;
        let Some(outcome) = call.read_outcome() else {
            return html.tag("p").text("The outcome cannot be read; the log of the server says more.");
        };
        if is_headed_by_question(call) {
            html.tag("h1").attr("dir", "auto").foreign(&call.ask.questions[0].question);
        }
        if let Some(kept) = kept {
            draw_kept(html, kept);
        }
        self.draw_ending_box(html, &outcome);
        draw_answers(html, &call.ask.questions, &outcome.answers);
        self.draw_late(html);
        self.draw_context(html);
        html.tag("details").class("context").body(|html| {
            html.tag("summary").text("What the agent reads");
            html.tag("pre").attr("tabindex", "0").attr("dir", "auto").foreign(&outcome.text);
        });
    }

    fn draw_ending_box(&self, html: &mut Html, outcome: &Outcome) {
        let class = match outcome.status {
            Status::Answered => "box ok",
            Status::Declined => "box danger",
            _ => "box warn",
        };
        html.tag("div").attr("class", class).body(|html| {
            html.tag("p").class("strong").body(|html| self.draw_how(html, outcome));
            if let Some(reason) = outcome.reason.as_deref().filter(|reason| *reason != "unattended") {
                html.tag("p").class("words").attr("dir", "auto").foreign(reason);
            }
            if let Some(reply) = &outcome.reply {
                html.tag("p").class("words").attr("dir", "auto").foreign(reply);
            }
            html.tag("p").body(|html| self.draw_receipt(html));
        });
    }

    fn draw_how(&self, html: &mut Html, outcome: &Outcome) {
        match &outcome.by {
            Some(by) => {
                html.tag("bdi").foreign(&by.name);
                html.text(verb(outcome)).text(" ").text(words::way(by)).text(" · ");
            }
            None => {
                html.text(no_one(outcome)).text(" · ");
            }
        }
        words::write_time(html, outcome.at);
        html.text(" (");
        words::write_ago(html, outcome.at, self.now);
        html.text(")");
    }

    fn draw_receipt(&self, html: &mut Html) {
        let call = &self.view.call;
        let receipt = match (call.acked_at, call.delivered_at) {
            (Some(at), _) => Some(("✓ Confirmed by ", at)),
            (None, Some(at)) => Some(("✓ Received by ", at)),
            (None, None) => None,
        };
        let Some((words, at)) = receipt else {
            html.text("Saved. ").tag("bdi").foreign(words::agent_name(call));
            html.text(" gets it when it asks for it next.");
            return;
        };
        html.text(words).tag("bdi").foreign(words::agent_name(call));
        html.text(" · ");
        words::write_time(html, at);
    }

    fn draw_late(&self, html: &mut Html) {
        let late = &self.view.late;
        if late.is_empty() {
            return;
        }
        html.tag("section").attr("aria-labelledby", "late").body(|html| {
            html.tag("h2").attr("id", "late").text("Came too late, and was kept");
            for answer in late {
                self.draw_late_answer(html, answer);
            }
            let more = self.view.call.late_answers_total.saturating_sub(late.len() as u64);
            if more > 0 {
                html.tag("p").class("help").text(&format!("{more} more are kept."));
            }
        });
    }

    fn draw_late_answer(&self, html: &mut Html, late: &LateAnswer) {
        html.tag("details").class("context").body(|html| {
            html.tag("summary").body(|html| {
                // A summary lays its parts out itself, and so drops the spaces between them.
                html.tag("span").body(|html| {
                    html.tag("bdi").foreign(&late.by.name);
                    html.text(" · ");
                    words::write_ago(html, late.at, self.now);
                });
            });
            html.tag("pre").attr("tabindex", "0").attr("dir", "auto").foreign(&late.outcome.text);
        });
    }
}

/// In a word, for lists.
pub fn state(call: &Call) -> &'static str {
    let outcome = call.read_outcome();
    let is_default = outcome.as_ref().is_some_and(|outcome| outcome.provenance == Provenance::Default);
    match call.status {
        Status::Pending => "waiting",
        Status::Answered => "answered",
        Status::Declined if outcome.is_some_and(|outcome| outcome.clarify) => "asked to ask differently",
        Status::Declined => "declined",
        Status::Expired if is_default => "expired, declared default used",
        Status::Expired => "expired, no answer",
        Status::Cancelled => "withdrawn",
    }
}

/// Text to be copied, in a field, because without script that is what can be selected whole.
pub fn draw_kept(html: &mut Html, kept: &Kept) {
    html.tag("div").class("box warn").attr("role", "alert").body(|html| {
        html.tag("p").class("strong").text(&kept.notice);
        if kept.text.is_empty() {
            return;
        }
        html.tag("label").attr("for", "kept").text("What you typed, to copy");
        let rows = kept.text.lines().count().clamp(3, 20).to_string();
        html.tag("textarea")
            .attr("id", "kept")
            .attr("rows", rows)
            .attr("dir", "auto")
            .flag("readonly", true)
            .value(&kept.text);
    });
}

fn verb(outcome: &Outcome) -> &'static str {
    match outcome.status {
        Status::Answered if outcome.provenance == Provenance::Rule => " answered by a rule; no person did",
        Status::Answered => " answered",
        Status::Declined if outcome.clarify => " asked to be asked differently",
        Status::Declined => " declined to answer",
        Status::Cancelled => " withdrew the question",
        Status::Expired => " let it expire",
        Status::Pending => " has not answered",
    }
}

fn no_one(outcome: &Outcome) -> &'static str {
    let is_unattended = outcome.reason.as_deref() == Some("unattended");
    match (is_unattended, outcome.provenance) {
        (true, Provenance::Default) => "Nobody could be reached; the agent went on with what it had declared",
        (true, _) => "Nobody could be reached; the agent got no answer",
        (false, Provenance::Default) => "Nobody answered in time; the agent went on with what it had declared",
        (false, _) => "Nobody answered in time; the agent got no answer",
    }
}

fn draw_answers(html: &mut Html, questions: &[Question], answers: &[Answer]) {
    if answers.is_empty() {
        return;
    }
    html.tag("dl").class("answers").body(|html| {
        for (question, answer) in questions.iter().zip(answers) {
            html.tag("div").body(|html| {
                html.tag("dt").attr("dir", "auto").foreign(&question.question);
                match words::answer_line(question, answer) {
                    Some(line) => html.tag("dd").attr("dir", "auto").foreign(&line),
                    None => html.tag("dd").class("skipped").text("left out"),
                }
                if let Some(notes) = answer.notes.as_deref().filter(|notes| !notes.trim().is_empty()) {
                    html.tag("dd").class("notes").attr("dir", "auto").body(|html| {
                        html.text("Note: ").foreign(notes);
                    });
                }
            });
        }
    });
}
