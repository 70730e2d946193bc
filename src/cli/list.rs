//! `askhub list`: one page of calls as a table.

use super::exit::{Exit, Failure};
use super::{Common, connect, terminal, words};
use crate::client::{CallList, CallReply, ListQuery};
use crate::domain::{Status, Timestamp};

const EXAMPLES: &str = "\
Examples:
  askhub list                       what waits for an answer, newest first
  askhub list --status expired
  askhub list --all --search refund --limit 200
  askhub list --json | jq -r '.calls[].id'";

/// Flags of `list`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct ListFlags {
    /// Calls with this status: pending, answered, declined, expired or cancelled
    #[arg(long, value_parser = status, default_value = "pending")]
    status: Status,
    /// Calls with any status
    #[arg(long, conflicts_with = "status")]
    all: bool,
    /// Only calls of the agent with this name
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Only the call with this key
    #[arg(long)]
    key: Option<String>,
    /// Only calls with this in their title, questions or context
    #[arg(long, value_name = "TEXT")]
    search: Option<String>,
    /// How many: 1 to 200
    #[arg(long, value_name = "COUNT")]
    limit: Option<u64>,
    /// Where to go on: the list before says it
    #[arg(long)]
    cursor: Option<String>,
    #[command(flatten)]
    common: Common,
}

const TITLE_CHARACTERS_MAX: usize = 60;
const NAME_CHARACTERS_MAX: usize = 24;

/// Runs it.
///
/// # Errors
/// The list cannot be read.
pub async fn run(flags: ListFlags) -> Result<Exit, Failure> {
    let client = connect::connect(&flags.common.connect, connect::As::Owner).await?;
    let wanted = ListQuery {
        status: if flags.all { None } else { Some(flags.status) },
        key: flags.key,
        agent: flags.agent,
        text: flags.search,
        cursor: flags.cursor,
        limit: flags.limit,
    };
    let as_json = flags.common.json;
    let list = client.calls(&wanted).await.map_err(|error| Failure::from(error).with_json(as_json))?;
    if as_json {
        terminal::print_json(&list.text)?;
        return Ok(Exit::Done);
    }
    if list.value.calls.is_empty() {
        terminal::note(if flags.all { "no calls" } else { "no calls with this status" });
        return Ok(Exit::Done);
    }
    // Ages are by the server's clock: this machine's may be wrong.
    let now = client.me().await?.value.server_time;
    terminal::print_view(&table(&list.value, flags.all, now))?;
    if let Some(cursor) = &list.value.next_cursor {
        terminal::note(&format!("there are more: repeat this with --cursor {cursor}"));
    }
    Ok(Exit::Done)
}

/// What a list says of a call: its title, else what it asks first.
pub fn headline(call: &CallReply) -> &str {
    let title = call.title.as_deref().filter(|title| !title.trim().is_empty());
    title.unwrap_or_else(|| call.questions.first().map_or("", |question| question.question.as_str()))
}

/// Who asks, by its own word, else by its token's name.
pub fn asker(call: &CallReply) -> &str {
    call.agent.name.as_deref().filter(|name| !name.trim().is_empty()).unwrap_or(&call.asker.name)
}

/// When nobody can answer any more.
pub fn deadline(call: &CallReply, now: Timestamp) -> String {
    match (call.status, call.expires_at) {
        (Status::Pending, Some(deadline)) => format!("in {}", words::duration(now.until(deadline))),
        _ => "-".to_owned(),
    }
}

fn table(list: &CallList, with_status: bool, now: Timestamp) -> String {
    let mut names = vec!["ID", "AGE", "AGENT", "TITLE", "DEADLINE"];
    if with_status {
        names.insert(1, "STATUS");
    }
    let mut rows = vec![names.into_iter().map(str::to_owned).collect::<Vec<_>>()];
    for call in &list.calls {
        let mut row = vec![
            call.id.to_string(),
            words::duration(call.asked_at.until(now)),
            words::shortened(&terminal::visible_line(asker(call)), NAME_CHARACTERS_MAX),
            words::shortened(&terminal::visible_line(headline(call)), TITLE_CHARACTERS_MAX),
            deadline(call, now),
        ];
        if with_status {
            row.insert(1, call.status.name().to_owned());
        }
        rows.push(row);
    }
    words::table(&rows)
}

fn status(name: &str) -> Result<Status, String> {
    Status::named(name).ok_or_else(|| {
        let names: Vec<_> = Status::ALL.iter().map(|status| status.name()).collect();
        format!("one of {}", names.join(", "))
    })
}
