//! `askhub demo`: one call of each kind, to see what agents and people see.

use super::exit::{Exit, Failure};
use super::progress::Progress;
use super::question::fresh_key;
use super::signals::Signals;
use super::wait::{Ended, Event, until_all_settled};
use super::{Common, connect, list, terminal, words};
use crate::client::{CancelForm, Client};
use crate::config;
use crate::domain::{AgentInfo, AskForm, CallId, JsonText, OptionForm, PreviewFormat, QuestionForm, Risk, ToolForm};

/// Flags of `demo`.
#[derive(Debug, clap::Args)]
pub struct DemoFlags {
    #[command(flatten)]
    common: Common,
}

/// Nobody has to tidy up after a demonstration.
const TIMEOUT_SECONDS: u64 = 60 * 60;

/// Runs it.
///
/// # Errors
/// The server takes no questions.
pub async fn run(flags: DemoFlags) -> Result<Exit, Failure> {
    let client = connect::connect(&flags.common.connect, connect::As::Agent).await?;
    let as_json = flags.common.json;
    let mut signals = Signals::listen()?;
    let mut pending = Vec::new();
    for ask in asks() {
        let body = serde_json::to_string(&ask).map_err(|error| Failure::new(Exit::Failed, error.to_string()))?;
        let call = client.ask(&body).await?.value;
        terminal::note(&format!("asked: {} ({})", call.url, terminal::visible_line(list::headline(&call))));
        pending.push(call.id);
    }
    terminal::note("answer them there; `askhub login` makes a link that signs you in");
    let progress = Progress::start("your answers", false);
    let each = |event: Event<'_>| {
        let Event::Settled(call) = event else { return Ok(false) };
        if as_json {
            let json = serde_json::to_string(call).map_err(|error| Failure::new(Exit::Failed, error.to_string()))?;
            terminal::print_json(&json)?;
        } else {
            let text = call.read_outcome().map(|outcome| outcome.text).unwrap_or_default();
            terminal::print(&format!(
                "{}: {}\n{}\n",
                list::headline(call),
                call.status.name(),
                words::indented(&text)
            ))?;
        }
        Ok(false)
    };
    let ended = until_all_settled(&client, &mut pending, &mut signals, &progress, each).await;
    progress.clear();
    match ended? {
        Ended::Settled(()) | Ended::TimeUp => Ok(Exit::Done),
        Ended::Interrupted => {
            withdraw(&client, &pending).await;
            Ok(Exit::Interrupted)
        }
    }
}

async fn withdraw(client: &Client, pending: &[CallId]) {
    for id in pending {
        let form = CancelForm { reason: Some("the demonstration is over".to_owned()), answer_id: None };
        if let Err(error) = client.cancel(*id, &form).await {
            terminal::note(&format!("could not withdraw {id}: {error}"));
        }
    }
}

/// One call of each kind.
pub(super) fn asks() -> Vec<AskForm> {
    vec![
        ask("Refund path", "Two orders were charged twice.", vec![refund()]),
        ask("Where to roll out", "The build is green everywhere.", vec![regions()]),
        ask("A name for the feature", "It collects what waits for an answer.", vec![name()]),
        ask("Delete old backups?", "They are **older than a year** and take 40 GB.", vec![backups()]),
        ask("Plan the release", "All of it is needed for the announcement.", vec![day(), audience(), at(), cost()]),
        ask("Who is the new vendor?", "It goes into the contract as it is written here.", vec![vendor()]),
        ask("Remove the build directory?", "The disk is full; the next build makes it again.", vec![removal()]),
    ]
}

fn ask(title: &str, context: &str, questions: Vec<QuestionForm>) -> AskForm {
    AskForm {
        key: Some(fresh_key()),
        title: Some(title.to_owned()),
        context: Some(context.to_owned()),
        questions,
        agent: Some(AgentInfo {
            name: Some("askhub demo".to_owned()),
            host: config::host_name(),
            ..AgentInfo::default()
        }),
        tags: Some(vec!["demo".to_owned()]),
        timeout_seconds: Some(TIMEOUT_SECONDS),
        ..AskForm::default()
    }
}

fn refund() -> QuestionForm {
    let source = OptionForm {
        description: Some("3–5 days, no fee".to_owned()),
        preview: Some("Hello Kim,\n\nwe sent **19.90 €** back to your card.".to_owned()),
        preview_format: Some(PreviewFormat::Markdown),
        recommended: Some(true),
        ..option("Refund to source")
    };
    let credit = OptionForm {
        description: Some("at once, with 10 % on top".to_owned()),
        preview: Some("Hello Kim,\n\nyou have **21.89 €** of store credit.".to_owned()),
        preview_format: Some(PreviewFormat::Markdown),
        ..option("Store credit")
    };
    choice("How should I make customers whole?", vec![source, credit])
}

fn regions() -> QuestionForm {
    let options = ["Europe", "America", "Asia"].map(option).to_vec();
    QuestionForm { multi_select: Some(true), ..choice("Which regions get it today?", options) }
}

fn name() -> QuestionForm {
    let placeholder = Some("one or two words".to_owned());
    QuestionForm { placeholder, ..text("What should the inbox be called?") }
}

fn backups() -> QuestionForm {
    QuestionForm {
        kind: Some("confirm".to_owned()),
        yes_label: Some("Delete them".to_owned()),
        no_label: Some("Keep them".to_owned()),
        ..text("Delete 214 backups?")
    }
}

fn day() -> QuestionForm {
    let options = ["Tuesday", "Thursday"].map(option).to_vec();
    QuestionForm { header: Some("Day".to_owned()), ..choice("On which day?", options) }
}

fn audience() -> QuestionForm {
    QuestionForm { header: Some("Audience".to_owned()), ..text("Who should hear of it first?") }
}

fn at() -> QuestionForm {
    let kind = Some("datetime".to_owned());
    QuestionForm { kind, header: Some("Time".to_owned()), ..text("When does it go out?") }
}

fn cost() -> QuestionForm {
    let (kind, unit) = (Some("number".to_owned()), Some("EUR".to_owned()));
    QuestionForm { kind, unit, header: Some("Cost".to_owned()), ..text("What may it cost?") }
}

fn vendor() -> QuestionForm {
    let schema = r#"{"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string", "title": "Name", "minLength": 2},
        "since": {"type": "string", "format": "date", "title": "Known since"},
        "size": {"type": "integer", "title": "People", "minimum": 1},
        "plan": {"type": "string", "title": "Plan", "enum": ["Monthly", "Yearly"]}}}"#;
    QuestionForm { schema: JsonText::read(schema).ok(), ..text("Who is ACME?") }
}

fn removal() -> QuestionForm {
    let tool = ToolForm {
        name: Some("Bash".to_owned()),
        arguments: JsonText::read(r#"{"command": "rm -r build", "timeout": 30}"#).ok(),
        description: Some("Runs a command in the project's directory".to_owned()),
    };
    QuestionForm {
        tool: Some(tool),
        risk: Some(Risk::High),
        editable: Some(true),
        scopes: Some(vec!["once".to_owned(), "this session".to_owned()]),
        ..text("May I remove it?")
    }
}

fn choice(question: &str, options: Vec<OptionForm>) -> QuestionForm {
    QuestionForm { options: Some(options), ..text(question) }
}

fn text(question: &str) -> QuestionForm {
    QuestionForm { question: Some(question.to_owned()), ..QuestionForm::default() }
}

fn option(label: &str) -> OptionForm {
    OptionForm { label: Some(label.to_owned()), ..OptionForm::default() }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_demonstration_asks_every_kind_and_breaks_no_rule() {
        let asks: Vec<_> = asks().into_iter().map(|form| form.check().unwrap()).collect();
        let kinds: BTreeSet<_> =
            asks.iter().flat_map(|ask| &ask.questions).map(|question| question.kind.name()).collect();
        assert_eq!(
            kinds.into_iter().collect::<Vec<_>>(),
            ["approval", "choice", "confirm", "datetime", "form", "number", "text"]
        );
        assert!(asks.iter().any(|ask| ask.questions.len() > 1));
    }
}
