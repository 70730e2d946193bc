//! `askhub wait`: waits for calls that were asked before, also by somebody who crashed meanwhile.

use std::collections::HashSet;
use std::time::Duration;

use super::exit::{Exit, Failure};
use super::outcome::{self, PrintFlags};
use super::progress::Progress;
use super::signals::Signals;
use super::{Common, connect, terminal, words};
use crate::client::{CallReply, Client, Received};
use crate::config::parse_duration;
use crate::domain::CallId;

const EXAMPLES: &str = "\
With one id it prints the answer as `askhub ask` does. \
With several it prints each call as it is settled, with its status and its text (with --json: one JSON object a line), \
and ends with 0 if all were answered, else with the exit code of the first id that was not. \
Ids that are still pending at the end are printed last.

Examples:
  askhub wait 0190c3a1-7e2b-7c11-9d3e-2f6a5b4c3d2e
  askhub wait --any --json $ids
  askhub wait --wait-max 10m $ids";

/// Flags of `wait`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct WaitFlags {
    /// Ids of calls
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// Stop when the first of them is settled
    #[arg(long)]
    any: bool,
    /// Stop waiting after this time with exit 75: 600, 10m, 1h30m
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    wait_max: Option<Duration>,
    #[command(flatten)]
    print: PrintFlags,
    #[command(flatten)]
    common: Common,
}

/// How a wait ended.
pub enum Ended<T> {
    /// With what was waited for.
    Settled(T),
    /// The time was over first.
    TimeUp,
    /// A signal came first.
    Interrupted,
}

/// Runs it.
///
/// # Errors
/// The calls cannot be waited for.
pub async fn run(flags: WaitFlags) -> Result<Exit, Failure> {
    let as_json = flags.common.json;
    let mut seen = HashSet::new();
    let ids: Result<Vec<CallId>, _> = flags.ids.iter().map(|id| connect::call_id(id)).collect();
    let ids: Vec<CallId> = ids?.into_iter().filter(|id| seen.insert(*id)).collect();
    let client = connect::connect(&flags.common.connect, connect::As::Agent).await?;
    let mut signals = Signals::listen()?;
    let ended = match ids.as_slice() {
        [id] => one(&client, *id, &flags, &mut signals).await,
        _ => several(&client, &ids, &flags, &mut signals).await,
    };
    ended.map_err(|failure| failure.with_json(as_json))
}

/// Waits for one call, across restarts of the server, with progress on stderr.
///
/// # Errors
/// What does not pass.
pub async fn until_settled(
    client: &Client,
    id: CallId,
    limit: Option<Duration>,
    signals: &mut Signals,
    progress: &Progress,
) -> Result<Ended<Received<CallReply>>, Failure> {
    let settled = client.until_settled(id, |notice| progress.notice(notice));
    tokio::select! {
        call = settled => Ok(Ended::Settled(call?)),
        () = progress.run() => Ok(Ended::TimeUp),
        () = after(limit) => Ok(Ended::TimeUp),
        () = signals.next() => Ok(Ended::Interrupted),
    }
}

/// Waits for several calls and hands each to `each` when it is settled, until none is left or `each` says stop (true).
/// Ids that are unknown are left out of what stays pending.
///
/// # Errors
/// What does not pass, and what `each` says.
pub async fn until_all_settled(
    client: &Client,
    pending: &mut Vec<CallId>,
    signals: &mut Signals,
    progress: &Progress,
    mut each: impl FnMut(Event<'_>) -> Result<bool, Failure>,
) -> Result<Ended<()>, Failure> {
    while !pending.is_empty() {
        let ids: Vec<String> = pending.iter().map(CallId::to_string).collect();
        let reply = tokio::select! {
            reply = client.until_any(&ids, |notice| progress.notice(notice)) => reply?.value,
            () = progress.run() => return Ok(Ended::TimeUp),
            () = signals.next() => return Ok(Ended::Interrupted),
        };
        progress.clear();
        for unknown in &reply.unknown {
            pending.retain(|id| id.to_string() != *unknown);
            each(Event::Unknown(unknown))?;
        }
        for call in &reply.settled {
            pending.retain(|id| *id != call.id);
            let is_enough = each(Event::Settled(call))?;
            outcome::confirm(client, call).await;
            if is_enough {
                return Ok(Ended::Settled(()));
            }
        }
    }
    Ok(Ended::Settled(()))
}

/// What is found while waiting for several calls.
pub enum Event<'a> {
    /// A call has its outcome.
    Settled(&'a CallReply),
    /// There is no such call for this asker.
    Unknown(&'a str),
}

async fn one(client: &Client, id: CallId, flags: &WaitFlags, signals: &mut Signals) -> Result<Exit, Failure> {
    let as_json = flags.common.json;
    let progress = Progress::start("an answer", flags.print.quiet);
    let ended = until_settled(client, id, flags.wait_max, signals, &progress).await;
    progress.clear();
    let exit = match ended? {
        Ended::Settled(call) => return outcome::finish(client, &call, &flags.print, as_json).await,
        Ended::TimeUp => Exit::Pending,
        Ended::Interrupted => Exit::Interrupted,
    };
    print_pending(id, as_json)?;
    Ok(exit)
}

async fn several(client: &Client, ids: &[CallId], flags: &WaitFlags, signals: &mut Signals) -> Result<Exit, Failure> {
    let progress = Progress::start(&format!("{} calls", ids.len()), flags.print.quiet);
    let mut pending = ids.to_vec();
    let mut exits = vec![Exit::Done; ids.len()];
    let each = |event: Event<'_>| {
        let (id, exit) = match event {
            Event::Settled(call) => (call.id.to_string(), print_one(call, flags)?),
            Event::Unknown(id) => {
                terminal::note(&format!("there is no call {id} for you"));
                (id.to_owned(), Exit::NotFound)
            }
        };
        if let Some(index) = ids.iter().position(|known| known.to_string() == id) {
            exits[index] = exit;
        }
        Ok(flags.any)
    };
    let all = until_all_settled(client, &mut pending, signals, &progress, each);
    let ended = tokio::select! {
        ended = all => ended,
        () = after(flags.wait_max) => Ok(Ended::TimeUp),
    };
    progress.clear();
    let exit = match ended? {
        Ended::Settled(()) => return Ok(exits.into_iter().find(|exit| *exit != Exit::Done).unwrap_or(Exit::Done)),
        Ended::TimeUp => Exit::Pending,
        Ended::Interrupted => Exit::Interrupted,
    };
    for id in pending {
        print_pending(id, flags.common.json)?;
    }
    Ok(exit)
}

fn print_one(call: &CallReply, flags: &WaitFlags) -> Result<Exit, Failure> {
    let outcome = call.read_outcome();
    if flags.common.json {
        let json = serde_json::to_string(call).map_err(|error| Failure::new(Exit::Failed, error.to_string()))?;
        terminal::print_json(&json)?;
    } else {
        let text = outcome.as_ref().map_or("", |outcome| outcome.text.as_str());
        terminal::print(&format!("{} {}\n{}\n", call.id, call.status.name(), words::indented(text)))?;
    }
    Ok(Exit::of(call.status, outcome.as_ref(), flags.print.accept_default))
}

/// What is known of a call without asking again: the server may be away just then.
fn print_pending(id: CallId, as_json: bool) -> Result<(), Failure> {
    if as_json {
        return terminal::print_json(&format!(r#"{{"id":"{id}","status":"pending"}}"#));
    }
    terminal::print(&id.to_string())
}

async fn after(limit: Option<Duration>) {
    match limit {
        Some(limit) => tokio::time::sleep(limit).await,
        None => std::future::pending().await,
    }
}
