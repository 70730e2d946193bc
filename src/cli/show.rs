//! `askhub show`: one call, to read.

use super::exit::{Exit, Failure};
use super::list::{asker, deadline, headline};
use super::{Common, connect, terminal, words};
use crate::client::CallReply;
use crate::domain::{Question, QuestionKind, Timestamp};

/// Flags of `show`.
#[derive(Debug, clap::Args)]
pub struct ShowFlags {
    /// The call's id
    id: String,
    #[command(flatten)]
    common: Common,
}

/// Runs it.
///
/// # Errors
/// There is no such call.
pub async fn run(flags: ShowFlags) -> Result<Exit, Failure> {
    let as_json = flags.common.json;
    let id = connect::call_id(&flags.id)?;
    let client = connect::connect(&flags.common.connect, connect::As::Owner).await?;
    let call = client.call(id, 0).await.map_err(|error| Failure::from(error).with_json(as_json))?;
    if as_json {
        terminal::print_json(&call.text)?;
        return Ok(Exit::Done);
    }
    let now = client.me().await?.value.server_time;
    terminal::print_view(&view(&call.value, now))?;
    Ok(Exit::Done)
}

fn view(call: &CallReply, now: Timestamp) -> String {
    let mut lines = vec![terminal::visible_line(headline(call)), String::new()];
    let mut line = |name: &str, value: &str| lines.push(format!("{name:<10}{value}"));
    line("id", &call.id.to_string());
    line("status", call.status.name());
    let host = call.agent.host.as_deref().map(|host| format!(" on {host}")).unwrap_or_default();
    line("from", &terminal::visible_line(&format!("{}{host}", asker(call))));
    line("asked", &format!("{} ago", words::duration(call.asked_at.until(now))));
    line("deadline", &deadline(call, now));
    if let Some(key) = &call.key {
        line("key", &terminal::visible_line(key));
    }
    if !call.tags.is_empty() {
        line("tags", &terminal::visible_line(&call.tags.join(", ")));
    }
    line("page", &call.url);
    if let Some(context) = &call.context {
        lines.extend([String::new(), context.clone()]);
    }
    for question in &call.questions {
        lines.push(String::new());
        lines.extend(question_lines(question));
    }
    let outcome = call.read_outcome();
    if let Some(outcome) = &outcome {
        lines.extend([String::new(), outcome.text.clone()]);
    }
    if call.late_answers_total > 0 {
        lines.push(format!("\nanswers that came too late: {}", call.late_answers_total));
    }
    lines.join("\n")
}

fn question_lines(question: &Question) -> Vec<String> {
    let kind = match question.kind {
        QuestionKind::Choice if question.multi_select => "choose any",
        QuestionKind::Choice => "choose one",
        QuestionKind::Text => "own words",
        QuestionKind::Confirm => "yes or no",
        QuestionKind::Number => "a number",
        QuestionKind::Date => "a day",
        QuestionKind::DateTime => "a time",
        QuestionKind::Form => "fill in",
        QuestionKind::Approval => "approve or deny",
    };
    let mut lines = vec![format!("[{}] {} ({kind})", question.id, question.question)];
    for option in &question.options {
        let mark = if option.recommended { " (recommended)" } else { "" };
        lines.push(format!("  {}: {}{mark}", option.id, option.label));
        lines.extend(option.description.as_deref().map(|text| words::indented(&words::indented(text))));
    }
    if let Some(schema) = &question.schema {
        lines.push(format!("  {}", schema.get()));
    }
    if let Some(tool) = &question.tool {
        let risk = question.risk.map(|risk| format!(" (risk: {})", risk.name())).unwrap_or_default();
        lines.push(format!("  {}{risk}", tool.name));
        lines.extend(tool.description.as_deref().map(|text| words::indented(&words::indented(text))));
        lines.push(format!("    {}", tool.arguments.get()));
        if question.arguments_truncated {
            lines.push("    (only a part of the arguments: this can be denied, but not approved)".to_owned());
        }
        lines.extend((!question.scopes.is_empty()).then(|| format!("  scopes: {}", question.scopes.join(", "))));
    }
    lines
}
