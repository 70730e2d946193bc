//! The kind `approval` without script: what would be called with which arguments, whole, and the decision.
//!
//! Nothing is decided beforehand, and what the agent sent only in part can be denied, but not approved.

use super::field::{Card, Field};
use super::typed::{APPROVE, DENY};
use crate::domain::json::Json;
use crate::domain::{Risk, ToolCall};
use crate::http::html::{Html, visible_json};

impl Field<'_> {
    /// Draws the tool, its arguments and the decision.
    pub fn draw_approval(&self, html: &mut Html) {
        let Some(tool) = &self.question.tool else { return };
        self.draw_tool(html, tool);
        self.draw_decision(html);
        if !self.question.scopes.is_empty() {
            self.draw_scopes(html);
        }
        if self.question.editable && !self.question.arguments_truncated {
            self.draw_other_arguments(html, tool);
        }
        html.tag("div").class("control").body(|html| {
            let label = if self.question.allow_custom {
                "Own words: why not, or without a decision what the agent gets in the tool's place"
            } else {
                "Words to the agent, such as why not"
            };
            html.tag("label").attr("for", self.id("custom")).text(label);
            self.draw_area(html, "custom", 2, &self.typed.custom);
        });
    }

    fn draw_tool(&self, html: &mut Html, tool: &ToolCall) {
        html.tag("div").class("tool").body(|html| {
            html.tag("p").body(|html| {
                html.tag("code").class("strong").foreign(&tool.name);
                if let Some(risk) = self.question.risk {
                    let class = if risk >= Risk::High { "chip risk" } else { "chip" };
                    html.text(" ").tag("span").class(class).text(&format!("risk: {}", risk.name()));
                }
            });
            if let Some(description) = tool.description.as_deref().filter(|text| !text.trim().is_empty()) {
                html.tag("p").class("words").attr("dir", "auto").foreign(description);
            }
            match tool.arguments.parse() {
                Json::Object(members) if members.is_empty() => {
                    html.tag("p").class("help").text("Without arguments.");
                }
                Json::Object(members) => draw_arguments(html, &members),
                other => html.tag("pre").attr("tabindex", "0").foreign(&other.to_text()),
            }
            if self.question.arguments_truncated {
                html.tag("p").class("box warn").text(
                    "The agent sent only a part of the arguments. What cannot be seen whole cannot be approved here.",
                );
            }
        });
    }

    fn draw_decision(&self, html: &mut Html) {
        let question = self.question;
        let is_required = question.required && !question.allow_custom;
        html.tag("div").class("cards pair").body(|html| {
            if !question.arguments_truncated {
                let approve = Card { is_required, ..Card::radio(APPROVE, "Approve") };
                self.draw_card(html, &approve, |_| {});
            }
            let deny = Card { is_required, ..Card::radio(DENY, "Deny") };
            self.draw_card(html, &deny, |_| {});
        });
        if !question.required {
            html.tag("div").class("cards").body(|html| self.draw_skip(html));
        }
    }

    fn draw_scopes(&self, html: &mut Html) {
        html.tag("div").class("control").body(|html| {
            html.tag("label").attr("for", self.id("scope")).text("If approved, for how much");
            html.tag("select").attr("id", self.id("scope")).attr("name", self.name("scope")).body(|html| {
                html.tag("option").attr("value", "").text("not said");
                for (place, scope) in self.question.scopes.iter().enumerate() {
                    let value = place.to_string();
                    let option = html.tag("option").attr("value", &value);
                    option.flag("selected", self.typed.scope == value).foreign(scope);
                }
            });
        });
    }

    fn draw_other_arguments(&self, html: &mut Html, tool: &ToolCall) {
        let asked = &typed_arguments(tool);
        let typed = Some(&self.typed.arguments).filter(|typed| !typed.is_empty());
        let is_changed = typed.is_some_and(|typed| typed != asked);
        html.tag("details").class("note").flag("open", is_changed).body(|html| {
            html.tag("summary").text("Approve with other arguments");
            html.tag("label")
                .attr("for", self.id("arguments"))
                .text("Arguments as JSON, passed instead of those above");
            self.draw_area(html, "arguments", 4, typed.unwrap_or(asked));
        });
    }
}

/// The arguments as the field has them in which they are edited.
pub fn typed_arguments(tool: &ToolCall) -> String {
    visible_json(tool.arguments.get())
}

/// Each argument by its name; texts as they are, with their own line breaks.
fn draw_arguments(html: &mut Html, members: &[(String, Json)]) {
    html.tag("dl").class("arguments").body(|html| {
        for (name, value) in members {
            html.tag("div").body(|html| {
                html.tag("dt").body(|html| {
                    html.tag("code").foreign(name);
                    html.text(" ").tag("span").class("help").text(value.kind());
                });
                let text = if let Json::String(text) = value { text.clone() } else { value.to_text() };
                html.tag("dd").body(|html| {
                    html.tag("pre").attr("tabindex", "0").attr("dir", "auto").foreign(&text);
                });
            });
        }
    });
}
